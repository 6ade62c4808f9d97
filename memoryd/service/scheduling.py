"""What the daemon asks of a scheduler; the night's is in `night/scheduler.py`, above what the daemon knows."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from memoryd.config import Config


class Scheduler(Protocol):
    """What is due at certain times. It looks by its own clock, and has the work done elsewhere."""

    def start(self) -> None:
        """Begin to look."""

    def configure(self, config: Config) -> None:
        """Look at the times of another configuration from now on."""

    def stop(self) -> None:
        """Stop looking, and end what runs."""

    def jobs(self) -> Sequence[Mapping[str, Any]]:
        """The jobs as `status` shows them: name, last_success, next, last_error."""


MakeScheduler = Callable[[Path, Config, Path | None], Scheduler]
