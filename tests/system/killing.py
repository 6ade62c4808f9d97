"""Runs memoryd again and again in processes of their own, and kills them, or fails them, where it is told.

stdin: JSON lines {"arguments": [...], "at": N}: the process gets SIGKILL at its Nth call inside memoryd; 0: never.
Where the injector is preloaded (see faults/injector.py), more can be asked for:
  "fault": {"match", "at", "mode", "sticky", "calls", "record"}, as in faults/injector.c; then `calls` are its calls;
  "then": [[...], ...]: more commands of the same process, until one fails;
  "environ": {...}, "stderr": file; "journal": "delete" for a file system that has no write-ahead log.
stdout: JSON lines {"status": exit status, or -9, "calls": how many were made by a process that ended by itself}.
"""

import ctypes
import json
import os
import signal
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import memoryd
from memoryd.interfaces.cli import main
from memoryd.store import connection

PACKAGE = str(Path(str(memoryd.__file__)).parent)
TEXTS = ("Remember: the staging server listens on port 8082 now.", "请记住：部署之前先备份数据库。")
os.nice = lambda increment: (
    0
)  # a night steps back behind everything else; a sweep of nights would take days
INJECTOR = ctypes.CDLL(None)


def without_log() -> None:
    """Open databases as on a file system without shared memory: SQLite falls back to a rollback journal."""
    configure = connection._configure_writer

    def fall_back(opened: Any) -> None:
        configure(opened)
        opened.execute("pragma journal_mode=delete")

    connection._configure_writer = fall_back  # type: ignore[assignment] # a module's name


def arm(fault: Mapping[str, Any]) -> None:
    texts = [str(fault.get(name, "")).encode() for name in ("match", "mode", "calls", "record")]
    match, mode, calls, record = map(ctypes.c_char_p, texts)
    at, sticky = ctypes.c_long(fault.get("at", 0)), ctypes.c_int(bool(fault.get("sticky")))
    INJECTOR.fault_arm(match, at, mode, sticky, calls, record)


def prepare(asked: Mapping[str, Any]) -> None:
    os.environ.update(asked.get("environ", {}))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    if asked.get("stderr"):
        os.dup2(os.open(asked["stderr"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
    if asked.get("journal") == "delete":
        without_log()


def run_one(arguments: list[str]) -> int:
    try:
        main(arguments)
    except SystemExit as end:
        return int(end.code or 0)
    return 0


def run(asked: Mapping[str, Any], report: int) -> None:
    """Be memoryd; never returns."""
    calls, status = 0, 0

    def count(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        if frame.f_code.co_filename.startswith(PACKAGE):
            calls += 1
            if calls == asked.get("at"):
                os.kill(os.getpid(), signal.SIGKILL)

    prepare(asked)
    try:
        if fault := asked.get("fault"):
            arm(fault)
        else:
            sys.setprofile(count)
        for number, arguments in enumerate([asked["arguments"], *asked.get("then", [])]):
            status = run_one(arguments)
            if fault and status == 0:
                INJECTOR.fault_mark(str(number).encode())
            if status:
                break
    finally:
        sys.setprofile(None)
        if asked.get("fault"):
            calls = INJECTOR.fault_count()
        os.write(report, str(calls).encode())
        os._exit(status)


def warm() -> None:
    """Import and make on first use what every child needs: here, and only once."""
    said = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    with tempfile.TemporaryDirectory() as folder:
        chats = Path(folder, "chats.jsonl")
        records = [{"role": "user", "text": text, "session": "s"} for text in TEXTS]
        chats.write_text("\n".join(json.dumps(record) for record in records))
        Path(folder, "config.toml").write_text(
            f"[sources]\ndiscover = false\n[sources.chats]\ntype = 'jsonl'\nroots = ['{chats}']\n"
            "[embedding]\nengine = 'none'\n"
        )
        for words in (["ingest"], ["memory", "add", TEXTS[0]], ["nightly"], ["runs"]):
            run_one(["--home", folder, *words])
    sys.stdout.flush()
    os.dup2(said, 1)
    os.close(said)


warm()
for line in sys.stdin:
    order = json.loads(line)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        run(order, writing)
    os.close(writing)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    made = int(os.read(reading, 32) or b"0")
    os.close(reading)
    sys.stdout.write(json.dumps({"status": ended, "calls": made}) + "\n")
    sys.stdout.flush()
