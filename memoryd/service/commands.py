"""Every command that writes, in one table: the daemon carries it out, or the caller under the lock itself.

A command is a function of the writer, its arguments (JSON values) and a way to tell progress. It returns
a JSON value; as a generator it pauses at each `yield`, so that a daemon can do more urgent things between.
"""

import time
from collections.abc import Generator, Mapping
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from typing import Any

from memoryd.config import Config
from memoryd.errors import HeldError
from memoryd.service.client import NoDaemonError, request
from memoryd.service.home import prepare_home
from memoryd.service.ingest import IngestReport
from memoryd.service.lock import WriterLock
from memoryd.service.writer import Command, Tell, Writer, open_writer, utc_now
from memoryd.sources.registry import find_source

PATIENCE_SECONDS = 3.0  # a daemon starts or stops, or another command ends, in less
PAUSE_SECONDS = 0.05


def ingest(
    writer: Writer, arguments: Mapping[str, Any], tell: Tell
) -> Generator[None, None, dict[str, Any]]:
    """Read `paths`, or every root of every source (or of `source`); tells `{"path", "bytes"}`."""
    reader = writer.scanner.ingest
    source = arguments.get("source")
    chosen = find_source(source, reader.sources) if source else None
    paths = [Path(path) for path in arguments.get("paths", ())]
    if chosen is not None and not paths:
        paths = [root for root in chosen.roots if root.exists()]
    report = IngestReport()
    started = utc_now()
    steps = writer.scanner.read(paths, chosen, report) if paths else writer.scanner.scan(report)
    consumed = 0
    for _ in steps:
        if report.consumed != consumed:
            tell({"bytes": report.consumed - consumed, "files": report.files})
            consumed = report.consumed
        yield
    report.seconds = (utc_now() - started).total_seconds()
    return report.to_json()


def _at(module: str, function: str) -> Command:
    """A command that is imported when it is first asked for: most daemons never need most of them."""

    def command(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> Any:
        found = getattr(import_module(f"memoryd.service.{module}"), function)
        return found(writer, arguments, tell)

    return command


COMMANDS: dict[str, Command] = {
    "ingest": ingest,
    "memory.add": _at("bank.writing", "add"),
    "memory.import": _at("bank.writing", "import_lines"),
    "memory.change": _at("bank.writing", "change"),
    "memory.feedback": _at("bank.writing", "feedback"),
    "memory.accessed": _at("bank.writing", "note_access"),
    "memory.extract": _at("bank.extraction", "extract_file"),
    "memory.extract_history": _at("bank.extraction", "extract_history"),
    "changes.commit": _at("bank.changes", "commit_changes"),
    "undo": _at("bank.changes", "undo"),
    "review": _at("bank.review", "decide"),
    "backup": _at("backups", "backup"),
    "job.begin": _at("night.nightly", "begin"),
    "job.end": _at("night.nightly", "end"),
    "night.end": _at("night.nightly", "end_night"),
    "clock.trust": _at("clock", "trust"),
    "upkeep": _at("night.nightly", "upkeep"),
    "integrity": _at("night.nightly", "integrity"),
    "files.approve": _at("files.filing", "approve"),
    "files.sync": _at("files.importing", "sync"),
    "files.keep": _at("files.bank", "keep"),
    "files.note": _at("files.bank", "note"),
    "files.undo": _at("files.bank", "undo"),
    "files.loaded": _at("files.bank", "note_loads"),
    "history.limit": _at("history.limits", "limit_history"),
    "reindex": _at("history.reindex", "reindex"),
    "forget": _at("history.forgetting", "forget"),
    "vectors.begin": _at("bank.embedding", "begin"),
    "vectors.store": _at("bank.embedding", "store_vectors"),
    "vectors.switch": _at("bank.embedding", "switch"),
}

# These judge texts, and need the tables of languages.
JUDGING = frozenset({"memory.add", "memory.import", "memory.extract"})


def carry_out(
    home: Path,
    config: Config,
    name: str,
    arguments: Mapping[str, Any],
    tell: Tell = lambda value: None,
) -> Any:
    """Have a writing command done: by the daemon if one runs, else here under the lock.

    Raises:
        HeldError: no daemon answers, and another process keeps holding the lock.
    """
    deadline = None
    while True:
        try:
            return request(home, name, arguments, tell)
        except NoDaemonError:
            prepare_home(home)
        if deadline is None:
            # Loading takes seven times as long as the write: others should not wait for it.
            if name in JUDGING:
                import_module("memoryd.service.bank.twins").load_tables()
            deadline = time.monotonic() + PATIENCE_SECONDS
        with ExitStack() as held:
            try:
                held.enter_context(WriterLock(home))
            except (
                HeldError
            ):  # by another command, or by a daemon that does not listen yet or any more
                if time.monotonic() >= deadline:
                    raise
                time.sleep(PAUSE_SECONDS)
                continue
            writer = held.enter_context(open_writer(home, config))
            return finish(COMMANDS[name](writer, arguments, tell))


def finish(result: Any) -> Any:
    """The value of a command, driven to its end if it goes in steps."""
    if not isinstance(result, Generator):
        return result
    while True:
        try:
            next(result)
        except StopIteration as end:
            return end.value
