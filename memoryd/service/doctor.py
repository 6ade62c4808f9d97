"""The doctor: checks that work without the daemon, each with what to do; `--fix` repairs what it names."""

import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from memoryd.config import Config
from memoryd.errors import HeldError, MemorydError, StoreError
from memoryd.service.history.archive import changed_ns
from memoryd.service.home import OTHERS, owned_paths, prepare_home
from memoryd.service.lock import WriterLock
from memoryd.service.overview import pending_bytes
from memoryd.service.writer import utc_now
from memoryd.sources.base import Source
from memoryd.sources.registry import build_sources
from memoryd.store.connection import DATABASE_NAME, sqlite_version, wal_verdict
from memoryd.store.integrity import Damage, find_damage
from memoryd.store.reader import Reader
from memoryd.store.store import Store

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
        "memoryd doctor --fix" if loose else "; ".join(closed),
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
                detail=f"{len(endangered)} transcripts with {sum(endangered)} bytes not read yet will soon be deleted: "
                f"the agent keeps them for {known:g} days",
                fix="memoryd run --once",
            )
        elif known is not None:
            detail = f"it deletes after {known:g} days; what is old was read"
            yield Check(f"cleanup by {source.name}", ok=True, detail=detail)


def _endangered(home: Path, source: Source, root: Path, days: float) -> Iterator[int]:
    """Bytes not read yet, of each transcript that has lived for two thirds of its time."""
    offsets = _offsets(home, source.name)
    due = (utc_now() - timedelta(days=days * LATE)).timestamp() * 1e9
    for path in source.discover(root):
        changed, pending = changed_ns(source, path), pending_bytes(source, path, offsets)
        if changed is not None and changed < due and pending:
            yield pending


def _offsets(home: Path, source: str) -> Mapping[str, tuple[int, int]]:
    if not (home / DATABASE_NAME).exists():
        return {}
    try:
        with Reader(home) as reader:
            return reader.offsets(source)
    except StoreError:  # told where the database is looked at
        return {}


def _readable(root: Path) -> bool:
    return root.exists() and os.access(root, os.R_OK)


def _database(home: Path, config: Config, fix: bool) -> Iterator[Check]:
    path = home / DATABASE_NAME
    if not path.exists():
        yield Check("database", ok=True, detail="nothing ingested yet", fix="memoryd run --once")
        return
    if path.stat().st_size == 0:
        yield Check(
            "database",
            ok=False,
            detail=f"{path} is empty: its content was lost",
            fix="restore a backup, or move it away and ingest again",
        )
        return
    try:
        yield from _open_database(home, fix)
    except HeldError:
        yield Check(
            "database", ok=True, detail="in use by the running daemon; it checks itself every night"
        )
    except MemorydError as error:
        yield Check(
            "database",
            ok=False,
            detail=str(error),
            fix="restore a backup, or move the file away and ingest again",
        )


def _open_database(home: Path, fix: bool) -> Iterator[Check]:
    with WriterLock(home), Store(home, utc_now) as store:
        damage = find_damage(store.connection)
        for one in damage:
            if fix and one.repair == "indexes":
                done = f"rebuilt from {store.rebuild_indexes()} messages"
                yield Check(one.name, ok=True, detail=one.detail, fix=done)
                damage = find_damage(store.connection)
        for one in damage:
            yield Check(one.name, ok=False, detail=one.detail, fix=_advice(one))
        if not damage:
            yield Check(
                "database", ok=True, detail="pages, keys, ledger and full-text indexes are whole"
            )


def _advice(damage: Damage) -> str:
    return (
        "memoryd doctor --fix"
        if damage.repair == "indexes"
        else "restore a backup, or move the file away and ingest again"
    )
