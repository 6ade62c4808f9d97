"""The doctor: checks that work without the daemon, each with what to do; `--fix` repairs what it names."""

import os
import shutil
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memoryd.config import Config
from memoryd.counting import counted
from memoryd.errors import DamageError, HeldError, MemorydError, StoreError
from memoryd.service.client import daemon_state
from memoryd.service.history.archive import changed_ns
from memoryd.service.home import OTHERS, owned_paths, prepare_home
from memoryd.service.lock import WriterLock
from memoryd.service.overview import Offsets, describe_lost_log, offsets_for, pending_bytes
from memoryd.service.repair import repair
from memoryd.service.writer import utc_now
from memoryd.sources.base import Source
from memoryd.sources.registry import build_sources
from memoryd.store.connection import DATABASE_NAME, sqlite_version, wal_verdict
from memoryd.store.integrity import Damage, find_damage
from memoryd.store.reader import Reader
from memoryd.store.settings import drop_setting, get_setting
from memoryd.store.store import LOG_LOST, Store
from memoryd.store.traces import why_lost

FIX = "memoryd doctor --fix"
LOW_DISK_BYTES = 500_000_000
LATE = 2 / 3  # of the time that an agent gives its transcripts: 20 of 30 days


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. *fix* says what to do, or what was done."""

    name: str
    ok: bool
    detail: str
    fix: str = ""


def examine(home: Path, config: Config, fix: bool = False) -> list[Check]:
    """Look at everything that can be wrong; with *fix*, repair what can be repaired."""
    checks: list[Check] = []
    for look in (_sqlite, _permissions, _disk, _sources, _cleanup, _database):
        checks += look(home, config, fix)
    return checks


def _sqlite(home: Path, config: Config, fix: bool) -> Iterator[Check]:
    _, detail = wal_verdict(sqlite_version())
    yield Check("sqlite", ok=True, detail=detail)


def _permissions(home: Path, config: Config, fix: bool) -> Iterator[Check]:
    if not home.exists():
        yield Check("permissions", ok=True, detail=f"{home} does not exist yet")
        return
    closed = prepare_home(home) if fix else ()
    loose = [str(path) for path in owned_paths(home) if _mode(path) & OTHERS]
    yield Check(
        "permissions",
        not loose,
        f"open to others: {', '.join(loose)}" if loose else "private",
        FIX if loose else "; ".join(closed),
    )


def _mode(path: Path) -> int:
    try:
        found = path.lstat()
    except OSError:
        return 0
    return 0 if stat.S_ISLNK(found.st_mode) else stat.S_IMODE(found.st_mode)


def _disk(home: Path, config: Config, fix: bool) -> Iterator[Check]:
    existing = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(existing).free
    yield Check(
        "disk space",
        free >= LOW_DISK_BYTES,
        f"{free // 1_000_000} MB free",
        ""
        if free >= LOW_DISK_BYTES
        else "free some space: a full disk stops ingest (nothing is lost, it goes on later)",
    )


def _sources(home: Path, config: Config, fix: bool) -> Iterator[Check]:
    found = [
        source.name
        for source in build_sources(config)
        if any(_readable(root) for root in source.roots)
    ]
    yield Check(
        "agents",
        ok=bool(found),
        detail=f"found: {', '.join(found)}" if found else "no agent's transcripts found",
        fix="" if found else "name their folders in config.toml: [sources.<name>] roots = [...]",
    )


def _cleanup(home: Path, config: Config, fix: bool) -> Iterator[Check]:
    """Agents delete their transcripts after some days: is there one that was not read yet, late in its time?"""
    for source in build_sources(config):
        terms = [(root, source.cleanup_days(root)) for root in source.roots if _readable(root)]
        endangered = [
            one
            for root, days in terms
            if days is not None
            for one in _endangered(home, source, root, days)
        ]
        known = min((days for _, days in terms if days is not None), default=None)
        if endangered:
            yield Check(
                f"cleanup by {source.name}",
                ok=False,
                detail=f"{counted(len(endangered), 'transcript')} with {counted(sum(endangered), 'byte')} not read yet "
                f"will soon be deleted: the agent keeps them for {counted(known or 0, 'day')}",
                fix="memoryd run --once",
            )
        elif known is not None:
            detail = f"it deletes after {counted(known, 'day')}; what is old was read"
            yield Check(f"cleanup by {source.name}", ok=True, detail=detail)


def _endangered(home: Path, source: Source, root: Path, days: float) -> Iterator[int]:
    """Bytes not read yet, of each transcript that has lived for two thirds of its time."""
    offsets = _offsets(home, source.name)
    due = (utc_now() - timedelta(days=days * LATE)).timestamp() * 1e9
    for path in source.discover(root):
        changed, pending = changed_ns(source, path), pending_bytes(source, path, offsets)
        if changed is not None and changed < due and pending:
            yield pending


def _offsets(home: Path, source: str) -> Offsets:
    if not (home / DATABASE_NAME).exists():
        return {}
    try:
        with Reader(home) as reader:
            return offsets_for(source, reader.offsets())
    except StoreError:  # told where the database is looked at
        return {}


def _readable(root: Path) -> bool:
    return root.exists() and os.access(root, os.R_OK)


def _database(home: Path, config: Config, fix: bool) -> Iterator[Check]:
    path = home / DATABASE_NAME
    # An empty file is what a process leaves that was killed while it made the first one.
    if not (path.exists() and path.stat().st_size) and not why_lost(path):
        yield Check("database", ok=True, detail="nothing ingested yet", fix="memoryd run --once")
        return
    try:
        with WriterLock(home):
            yield from _look_inside(home, config, fix)
    except HeldError:
        yield _ask_daemon(home)
    except MemorydError as error:
        yield Check(
            "database",
            ok=False,
            detail=str(error),
            fix="restore a backup, or move the file away and ingest again",
        )


def _ask_daemon(home: Path) -> Check:
    """What the running daemon says of the database, which only it may open for writing."""
    lost = why_lost(home / DATABASE_NAME)
    told = lost or str((daemon_state(home) or {}).get("damage") or "")
    detail = told or "in use by the running daemon; it checks itself every night"
    return Check("database", not told, detail, f"stop memoryd, then {FIX}" if told else "")


def _look_inside(home: Path, config: Config, fix: bool) -> Iterator[Check]:
    damage, log_lost = _find(home, fix)
    mended = [one for one in damage if one.repair == "indexes"]
    if fix and any(one.repair == "salvage" for one in damage):
        done = repair(home, config).describe()
        for one in damage:
            yield Check(one.name, ok=True, detail=one.detail, fix=done)
        damage, log_lost = _find(home, fix=False)
    elif fix and mended:
        with Store(home, utc_now) as store:
            done = f"rebuilt from {counted(store.rebuild_indexes(), 'message')}"
        for one in mended:
            yield Check(one.name, ok=True, detail=one.detail, fix=done)
        damage, _ = _find(home, fix=False)
    for one in damage:
        yield Check(one.name, ok=False, detail=one.detail, fix=FIX)
    if log_lost:
        yield Check("write-ahead log", fix, log_lost, "noted" if fix else FIX)
    if not damage:
        yield Check(
            "database", ok=True, detail="pages, keys, ledger and full-text indexes are whole"
        )


def _find(home: Path, fix: bool) -> tuple[list[Damage], str]:
    """Everything that is damaged, and whether a write-ahead log was lost; taking note of that ends it."""
    try:
        with Store(home, utc_now) as store:
            damage = find_damage(store.connection)
            lost_at = get_setting(store.connection, LOG_LOST)
            if fix and lost_at and not damage:
                drop_setting(store.connection, LOG_LOST)
    except DamageError as error:
        return [Damage("database", str(error), "salvage")], ""
    return damage, describe_lost_log(lost_at)
