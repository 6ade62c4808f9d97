"""The log of the daemon: lines for people on a terminal, else JSON lines; a rotated file if nobody reads those.

Everything goes through the standard library's logging, so that libraries' lines obey the same rules: no
local variables, no secrets, no text longer than a few lines. A log that cannot be written is no failure.
"""

import logging
import os
import sys
from collections.abc import MutableMapping
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import Any

import structlog

from memoryd.screening import screen

FILE_NAME = "memoryd.log"
FILE_BYTES = 5_000_000
FILES = 3
FIELD_CHARACTERS = (
    4000  # a traceback is some lines; anything longer is a text that does not belong here
)
QUIET = ("apscheduler", "watchdog")  # they tell of every event


def configure_logs(home: Path) -> None:
    """Send the log to stderr, or to a file in *home* if stderr goes nowhere (launchd never rotates it)."""
    logging.raiseExceptions = False
    terminal = sys.stderr.isatty()
    handler = _open_file(home / "logs") if _goes_nowhere() else logging.StreamHandler(sys.stderr)
    renderer = structlog.dev.ConsoleRenderer() if terminal else structlog.processors.JSONRenderer()
    before: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        clean,
    ]
    meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(foreign_pre_chain=before, processors=[meta, renderer])
    )
    logging.basicConfig(handlers=[handler], level=logging.INFO, force=True)
    for name in QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *before,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
    )


def clean(logger: object, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Take secrets and overlong texts out of every field."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = screen(value[:FIELD_CHARACTERS]).text
    return event


def _goes_nowhere() -> bool:
    try:
        return os.fstat(sys.stderr.fileno()).st_rdev == Path(os.devnull).stat().st_rdev
    except (OSError, ValueError):  # it has no file behind it, or a closed one
        return True


def _open_file(folder: Path) -> logging.Handler:
    """A file that is rotated and private; a folder that cannot be made costs the log, not the daemon."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return RotatingFileHandler(
            folder / FILE_NAME,
            maxBytes=FILE_BYTES,
            backupCount=FILES - 1,
            encoding="utf-8",
            errors="backslashreplace",
            delay=True,
        )
    except OSError:
        return logging.StreamHandler(sys.stderr)
