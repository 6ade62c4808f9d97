"""What every source keeps, as test classes: a new source's test gives samples and inherits the rest."""

import random
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import orjson
import pytest
import zstandard

from memoryd.model import Batch, Cursor, Message, Session
from memoryd.sources.base import ReadLimits, Source


@dataclass(slots=True)
class Harvest:
    """Everything that reading gave, as a store would end up with it."""

    messages: dict[str, Message] = field(default_factory=dict)
    sessions: dict[str, dict[str, Any]] = field(default_factory=dict)
    skipped: Counter[str] = field(default_factory=Counter)
    rejects: list[tuple[int, int, str]] = field(default_factory=list)
    cursor: Cursor | None = None
    consumed: int = 0
    batches: int = 0

    def take(self, batch: Batch) -> None:
        """Add a batch, and check what holds for each."""
        orjson.dumps(dict(batch.cursor.state))  # JSON values only
        if batch.restarted:
            self.consumed, self.rejects = 0, []
        self.batches += 1
        self.consumed += batch.consumed
        self.cursor = batch.cursor
        self.skipped.update(batch.skipped)
        self.rejects += [(reject.start, reject.end, reject.reason) for reject in batch.rejects]
        for key in batch.retracted:
            self.messages.pop(key, None)
        for message in batch.messages:
            check_message(message)
            self.messages[message.key] = message
        for session in batch.sessions:
            self._take_session(session)

    def _take_session(self, session: Session) -> None:
        facts = self.sessions.setdefault(session.session_id, {})
        for name in ("project", "title", "branch", "model", "parent_id"):
            if getattr(session, name) is not None:
                facts[name] = getattr(session, name)

    @property
    def turns(self) -> list[tuple[str, str]]:
        """What was said, in order, without tools."""
        return [(m.role, m.text) for m in self.messages.values() if m.role != "tool"]

    @property
    def texts(self) -> dict[str, str]:
        """Text by key."""
        return {key: message.text for key, message in self.messages.items()}


def check_message(message: Message) -> None:
    """What holds for every message of every source."""
    message.text.encode()
    assert message.text.strip()
    assert message.key
    assert message.session_id
    assert message.time is None or message.time.tzinfo is not None


def harvest(source: Source, path: Path, into: Harvest | None = None) -> Harvest:
    """Read on from where *into* stopped, and check that the ledger balances."""
    into = into if into is not None else Harvest()
    for batch in source.read(path, into.cursor):
        into.take(batch)
    assert into.cursor is not None
    assert into.consumed == into.cursor.offset <= into.cursor.size
    return into


def line(record: object) -> bytes:
    """A record as an agent writes it: compact, one line."""
    return orjson.dumps(record) + b"\n"


def cuts(data: bytes, seed: int, count: int) -> list[int]:
    """Random places to cut *data*, the end included."""
    random_source = random.Random(seed)
    return [*sorted(random_source.randrange(len(data) + 1) for _ in range(count)), len(data)]


class SourceContract:
    """Inherit as `class TestX(SourceContract)` and give the class attributes.

    Attributes:
        source_class: the source.
        file_name: path of the sample below the root, as the agent names its files.
        records: the sample, one JSON value a line.
        turns: who said what in it, in order (tools left out).
        session_ids: the sessions in it.
        essential: indexes of records that others need to be understood (headers); damage elsewhere costs only itself.
        path_tells: the path names the session, so a copy elsewhere is another session.
    """

    source_class: ClassVar[type[Source]]
    file_name: ClassVar[str]
    records: ClassVar[Sequence[Any]]
    turns: ClassVar[Sequence[tuple[str, str]]]
    session_ids: ClassVar[Iterable[str]]
    essential: ClassVar[Iterable[int]] = (0,)
    path_tells: ClassVar[bool] = False

    @property
    def data(self) -> bytes:
        return b"".join(map(line, self.records))

    def make(self, root: Path, limits: ReadLimits | None = None) -> Source:
        return self.source_class([root], limits)

    def write(self, root: Path, data: bytes) -> Path:
        path = root / self.file_name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path

    def test_reads_what_was_said_and_nothing_else(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data))

        assert list(self.turns) == found.turns
        assert set(self.session_ids) == {m.session_id for m in found.messages.values()}

    def test_its_files_are_found_and_recognised(self, tmp_path: Path) -> None:
        path = self.write(tmp_path, self.data)
        source = self.make(tmp_path)

        assert [path] == list(source.discover(tmp_path))
        assert source.recognises(path.read_bytes()[:65536])

    def test_an_absent_agent_costs_nothing(self, tmp_path: Path) -> None:
        roots = self.source_class.default_roots({}, tmp_path)

        assert [] == [path for root in roots for path in self.make(tmp_path).discover(root)]

    def test_reading_again_gives_nothing_and_anew_gives_the_same_keys(self, tmp_path: Path) -> None:
        source, path = self.make(tmp_path), self.write(tmp_path, self.data)
        first = harvest(source, path)

        assert [] == list(source.read(path, first.cursor))
        assert first.texts == harvest(source, path).texts

    def test_a_copy_elsewhere_meets_itself(self, tmp_path: Path) -> None:
        if self.path_tells:
            pytest.skip("the path names the session")
        source = self.make(tmp_path)
        here = harvest(source, self.write(tmp_path / "here", self.data))
        there = harvest(source, self.write(tmp_path / "there", self.data))

        assert here.texts == there.texts

    @pytest.mark.parametrize("seed", range(8))
    def test_growing_in_any_steps_is_reading_once(self, tmp_path: Path, seed: int) -> None:
        source = self.make(tmp_path, ReadLimits(batch_bytes=1 << seed))
        whole = harvest(source, self.write(tmp_path / "whole", self.data))
        grown = Harvest()
        if self.path_tells:
            tmp_path = tmp_path / "whole"
        for cut in cuts(self.data, seed, 12):
            harvest(source, self.write(tmp_path, self.data[:cut]), grown)

        assert whole.texts == grown.texts
        assert whole.sessions == grown.sessions

    def test_a_last_line_without_its_newline_counts(self, tmp_path: Path) -> None:
        found = harvest(self.make(tmp_path), self.write(tmp_path, self.data.rstrip(b"\n")))

        assert list(self.turns) == found.turns

    def test_a_bad_line_costs_only_itself(self, tmp_path: Path) -> None:
        source = self.make(tmp_path)
        whole = harvest(source, self.write(tmp_path, self.data))
        for index in range(len(self.records)):
            if index in self.essential:
                continue
            rows = list(map(line, self.records))
            rows[index] = b'{"type":"user","mess\xff\n'
            damaged = harvest(source, self.write(tmp_path, b"".join(rows)))
            own = [m.key for m in whole.messages.values() if _within(m, self.records, index)]

            assert len(damaged.rejects) == 1
            assert damaged.texts.items() >= {
                (key, text) for key, text in whole.texts.items() if key not in own
            }

    def test_odd_shapes_never_raise(self, tmp_path: Path) -> None:
        odd = [distort(record, seed) for record in self.records for seed in range(12)]

        harvest(self.make(tmp_path), self.write(tmp_path, b"".join(map(line, odd))))

    def test_a_compressed_twin_is_the_same_transcript(self, tmp_path: Path) -> None:
        source, path = self.make(tmp_path), self.write(tmp_path, self.data)
        plain = harvest(source, path)
        twin = path.with_name(path.name + ".zst")
        twin.write_bytes(zstandard.compress(self.data))
        path.unlink()

        assert source.transcript(twin) == path
        assert source.logical(twin) == source.logical(path)
        assert harvest(source, path).texts == plain.texts
        assert harvest(source, path, plain).texts == harvest(source, path).texts


def _within(message: Message, records: Sequence[Any], index: int) -> bool:
    start = sum(len(line(record)) for record in records[:index])
    assert message.span is not None
    return start <= message.span[0] < start + len(line(records[index]))


def distort(value: Any, seed: int) -> Any:
    """*value* with one of its parts replaced by something of another type."""
    random_source = random.Random(f"{seed}{value!r}"[:200])
    oddities: list[Any] = [None, 0, -1.5, True, "", "x", [], {}, [None], [[1]], {"type": None}]

    def change(part: Any, depth: int) -> Any:
        if isinstance(part, dict) and part and random_source.random() < 0.75 - depth / 10:
            name = random_source.choice(sorted(part))
            return {**part, name: change(part[name], depth + 1)}
        if isinstance(part, list) and part and random_source.random() < 0.75 - depth / 10:
            place = random_source.randrange(len(part))
            return [*part[:place], change(part[place], depth + 1), *part[place + 1 :]]
        return random_source.choice(oddities)

    return change(value, 0)
