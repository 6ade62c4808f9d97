"""A process that runs memoryd again and again in forks of itself, which start in milliseconds; see killing.py."""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self

REPOSITORY = Path(__file__).parents[2]


class Zygote:
    """killing.py, asked over its standard input; a context manager."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("killing.py"))],
            env={**environ, "PYTHONPATH": str(REPOSITORY)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._stdin, self._stdout = self._process.stdin, self._process.stdout

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Let it end."""
        self._stdin.close()
        self._process.wait()
        self._stdout.close()

    def ask(self, arguments: Sequence[str], **asked: Any) -> dict[str, Any]:
        """Have memoryd run with *arguments*; the rest as killing.py says. Its "status" and "calls"."""
        line = json.dumps({"arguments": list(arguments), **asked})
        self._stdin.write(line.encode() + b"\n")
        self._stdin.flush()
        told: dict[str, Any] = json.loads(self._stdout.readline())
        return told
