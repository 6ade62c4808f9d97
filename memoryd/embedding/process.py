"""One worker process seen from outside: started, asked, stopped. No policy; that is the client's."""

import os
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import memoryd
from memoryd.embedding.framing import Channel, Frame
from memoryd.embedding.job import Job

_PACKAGES = str(Path(memoryd.__file__).resolve().parent.parent)
_ENVIRONMENT = {
    "TOKENIZERS_PARALLELISM": "false",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
}


class WorkerProcess:
    """A running worker. Its first frame is awaited by whoever asks first."""

    def __init__(self, command: Sequence[str], job: Job) -> None:
        threads = str(job.threads)
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and module
            [*command, str(job)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={
                **os.environ,
                **_ENVIRONMENT,
                # with -P, nothing of the folder we happen to stand in
                "PYTHONPATH": os.pathsep.join(filter(None, (_PACKAGES, os.getenv("PYTHONPATH")))),
                "OMP_NUM_THREADS": threads,
                "OPENBLAS_NUM_THREADS": threads,
            },
            cwd="/",
            start_new_session=True,  # Ctrl-C in a terminal is the client's business
        )
        assert self._process.stdin is not None  # noqa: S101 - both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._channel = Channel(self._process.stdout.fileno(), self._process.stdin.fileno())

    @property
    def pid(self) -> int:
        return self._process.pid

    def has_news(self) -> bool:
        """Whether it has written something or ended."""
        return self._channel.has_news()

    def receive(self, seconds: float) -> Frame:
        """The next frame; raises what Channel.receive raises."""
        return self._channel.receive(seconds)

    def ask(self, texts: Sequence[str], seconds: float) -> Frame:
        """Send texts and await the answer; raises what Channel raises."""
        self._channel.send({"texts": list(texts)}, seconds=seconds)
        return self._channel.receive(seconds)

    def stop(self, grace_seconds: float = 0.0) -> int:
        """End the process and reap it; return its exit status (negative: the signal).

        A worker keeps nothing that is worth waiting for: *grace_seconds* is for one that is ending
        by itself, to learn how.
        """
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):  # a broken pipe is what we are about to make anyway
                    pipe.close()
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(grace_seconds)
        self._process.kill()
        return self._process.wait()
