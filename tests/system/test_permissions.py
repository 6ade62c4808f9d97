"""While everything runs at once, nobody else may look in, and no planted secret stands anywhere, not for a moment."""

import json
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.screening.planted import TEMPLATES, plant

Run = Callable[..., Any]
Eventually = Callable[..., bool]
PROGRAM = "import os, sys; os.umask(0); from memoryd.interfaces.cli import main; main(sys.argv[1:])"
REPOSITORY = Path(__file__).parents[2]


class Watch(threading.Thread):
    """Looks at every file of a folder again and again: its mode, and whether it tells a secret."""

    def __init__(self, home: Path, secrets: list[bytes]) -> None:
        super().__init__(daemon=True)
        self.home, self.secrets = home, secrets
        self.over = threading.Event()
        self.looks = 0
        self.wrong: set[str] = set()

    def run(self) -> None:
        while not self.over.is_set():
            for path in (self.home, *self.home.rglob("*")):
                if path.name != "log.txt":  # the test's own
                    self.look(path)
            self.looks += 1
            self.over.wait(0.05)

    def look(self, path: Path) -> None:
        try:
            mode = path.lstat().st_mode
            if stat.S_IMODE(mode) & 0o077:
                self.wrong.add(f"{path} is {stat.S_IMODE(mode):03o}")
            data = path.read_bytes() if stat.S_ISREG(mode) and path.suffix != ".ballast" else b""
        except FileNotFoundError:
            return
        self.wrong |= {f"{path} tells {one!r}" for one in self.secrets if one in data}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_planted_secrets_and_modes_are_watched_while_everything_runs(
    place: Any, run: Run, eventually: Eventually
) -> None:
    """A secret of every kind there is; the daemon and every command begin with umask 0."""
    planted = [plant(kind, template, 1) for kind, template in TEMPLATES.items()]
    place.configure("[embedding]\nengine = 'none'\n")
    daemon = run(program=PROGRAM)
    watch = Watch(place.home, [one.secret.encode() for one in planted if len(one.secret) > 11])
    watch.start()
    for number, one in enumerate(planted):
        record = {"role": "user", "text": one.text, "session": "s", "id": str(number)}
        with (place.root / f"{number % 5}.jsonl").open("a") as file:
            file.write(json.dumps(record) + "\n")
    assert eventually(lambda: place.count() == len(planted), 60)
    for words in (
        ("memory", "add", f"The token is {planted[0].text}"),
        ("nightly",),
        ("backup",),
        ("consolidate",),
        ("forget", "--match", "nothing of the kind"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, "--home", str(place.home), *words],
            env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            capture_output=True,
            check=False,
        )
        assert b"Traceback" not in done.stderr, done.stderr
    daemon.end()
    watch.over.set()
    watch.join()

    assert watch.looks > 3
    assert sorted(watch.wrong) == []
