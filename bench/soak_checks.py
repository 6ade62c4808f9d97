"""What must be true when everybody is silent: memoryd holds exactly what was said, each message once."""

import sqlite3
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from bench.soak_agents import Said
from memoryd.errors import MemorydError
from memoryd.store.reader import Reader
from tests.sources.foreign_agents import AGENTS

ROWS = (
    "select source.name, session.native_id, role, text from message join session on session.id = message.session_id "
    "join source on source.id = session.source_id where withdrawn = 0 and role <> 'tool'"
)
LEDGER = "select path from transcript where ingested + quarantined <> offset or offset > size"
ENTRIES = "select scope, state, content from entry where state in ('active', 'review')"
REJECTS = "select path, quarantined from transcript where quarantined > 0"
SHOWN = 5


def was_read(home: Path, source: str, path: Path) -> bool:
    """Has memoryd read a transcript to its end?"""
    try:
        with Reader(home) as reader:
            return reader.offsets().get(source, {}).get(str(path), (0, 0))[1] >= path.stat().st_size
    except MemorydError:
        return False


def broken(soak: Any) -> list[str]:
    """Which claims do not hold (yet)."""
    said: Counter[Said] = Counter()
    for agent in soak.agents:
        said += agent.said
    for name, agent in AGENTS.items():
        path = soak.root / name / agent.file
        if path.exists():
            said += _visible(name, path)
    with Reader(soak.home) as reader, reader.snapshot():
        rows = reader.connection.execute(ROWS)
        held = Counter(
            (source, session, role, text.strip()) for source, session, role, text in rows
        )
        wrong = [path for (path,) in reader.connection.execute(LEDGER)]
        aside = reader.connection.execute(REJECTS).fetchall()
        entries = Counter(reader.connection.execute(ENTRIES).fetchall())
    added = Counter(soak.log.added)
    return [
        *_named("missing", said - held),
        *_named("too many", held - said),
        *_named("memory missing", added.keys() - {content for *_, content in entries}),
        *_named("memory twice", entries - Counter(entries.keys())),
        *(f"the ledger does not add up: {path}" for path in wrong[:SHOWN]),
        *(f"kept aside: {count} bytes of {path}" for path, count in aside[:SHOWN]),
    ]


def _visible(name: str, path: Path) -> Counter[Said]:
    connection = sqlite3.connect(path)
    try:
        visible = AGENTS[name].visible(connection)
    finally:
        connection.close()
    said: Counter[Said] = Counter()
    for (session, role, text), count in visible.items():
        if role != "tool":
            said[name, session, role, text.strip()] += count
    return said


def _named(what: str, found: Iterable[Any]) -> list[str]:
    listed = list(found)
    return [f"{what}: {len(listed)}, e.g. {listed[:2]}"[:600]] if listed else []
