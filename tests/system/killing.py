"""Runs memoryd again and again in processes of their own, and kills them where it is told.

stdin: JSON lines {"arguments": [...], "at": N}: the process gets SIGKILL at its Nth call inside memoryd; 0: never.
stdout: JSON lines {"status": exit status, or -9, "calls": how many were made by a process that ended by itself}.
"""

import json
import os
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType

import sqlite_utils.migrations

import memoryd
import memoryd.service.commands
import memoryd.service.night.nightly
from memoryd.interfaces.cli import main
from memoryd.memory.consolidation import ConsolidationPolicy, plan_consolidation
from memoryd.memory.gate import extract
from memoryd.model import Entry

NOW = datetime(2026, 11, 30, tzinfo=UTC)
PACKAGE = str(Path(str(memoryd.__file__)).parent)
LOADED = (memoryd.service.commands, memoryd.service.night.nightly, sqlite_utils.migrations)

# Tables of languages are made on first use: here, and not in every child.
TEXTS = ("Remember: the staging server listens on port 8082 now.", "请记住：部署之前先备份数据库。")
ENTRIES = [Entry(text, text, NOW, NOW) for text in TEXTS]
WARM = (
    *(extract(text, "user") for text in TEXTS),
    plan_consolidation(ENTRIES, None, ConsolidationPolicy(), NOW),
)


def run(arguments: list[str], at: int, report: int) -> None:
    """Be memoryd; never returns."""
    calls, status = 0, 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        if frame.f_code.co_filename.startswith(PACKAGE):
            calls += 1
            if calls == at:
                os.kill(os.getpid(), signal.SIGKILL)

    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    sys.setprofile(count)
    try:
        main(arguments)
    except SystemExit as end:
        status = int(end.code or 0)
    finally:
        sys.setprofile(None)
        os.write(report, str(calls).encode())
        os._exit(status)


for line in sys.stdin:
    asked = json.loads(line)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        run(asked["arguments"], asked["at"], writing)
    os.close(writing)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    made = int(os.read(reading, 32) or b"0")
    os.close(reading)
    sys.stdout.write(json.dumps({"status": ended, "calls": made}) + "\n")
    sys.stdout.flush()
