"""What changed is read, once, whoever looks first and however the looks take turns."""

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import zstandard

from memoryd.errors import UsageError
from memoryd.service.ingest import Ingest, IngestReport
from memoryd.service.watching.scanner import Scanner
from memoryd.sources.base import ReadLimits
from memoryd.sources.generic import GenericJsonLines
from memoryd.store.reader import Reader
from memoryd.store.store import Store


class Place:
    """A store, a root, and a scanner between them; a batch holds one or two messages."""

    def __init__(self, folder: Path) -> None:
        self.home, self.root = folder / "home", folder / "root"
        self.home.mkdir()
        self.root.mkdir()
        self.store = Store(self.home, lambda: datetime(2026, 11, 30, tzinfo=UTC))
        self.source = GenericJsonLines("chats", [self.root], ReadLimits(batch_bytes=100))
        self.scanner = Scanner(Ingest(self.store, [self.source]))
        self.report = IngestReport()
        self.said = 0

    def say(self, name: str, count: int = 1) -> Path:
        path = self.root / name
        with path.open("a") as file:
            for _ in range(count):
                text = f"message {self.said} " + "word " * 700  # a batch has at least 4 KiB
                record = {"role": "user", "text": text, "session": name, "id": str(self.said)}
                file.write(json.dumps(record) + "\n")
                self.said += 1
        return path

    def scan(self) -> Iterator[None]:
        return self.scanner.scan(self.report)

    def follow(self, path: Path) -> Iterator[None]:
        return self.scanner.follow(self.source, path, self.report)

    def count(self) -> int:
        with Reader(self.home) as reader:
            return int(reader.counts()["messages"])

    def pending(self) -> dict[str, int]:
        """Bytes of each file that its cursor has not covered."""
        with Reader(self.home) as reader:
            offsets = reader.offsets().get("chats", {})
        return {
            path.name: path.stat().st_size - offsets.get(str(path), (0, 0))[1]
            for path in self.root.glob("*.jsonl")
        }


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    one = Place(tmp_path)
    yield one
    one.store.close()


def drain(steps: Iterator[None]) -> int:
    return sum(1 for _ in steps)


def compress(path: Path) -> Path:
    """What an agent does to an old transcript: the compressed twin takes the place of the file."""
    twin = path.with_name(path.name + ".zst")
    twin.write_bytes(zstandard.compress(path.read_bytes()))
    path.unlink()
    return twin


def test_a_transcript_that_is_only_there_compressed_is_read_once(place: Place) -> None:
    compress(place.say("a.jsonl", 3))
    place.say("b.jsonl", 2)
    drain(place.scan())
    assert (2, 5) == (place.report.files, place.count())

    drain(place.scan())
    assert place.report.files == 2


def test_a_compressed_twin_that_appears_later_is_read_too(place: Place) -> None:
    path = place.say("a.jsonl", 3)
    compress(path).rename(place.root / "kept")
    drain(place.scan())
    (place.root / "kept").rename(place.root / "a.jsonl.zst")

    drain(place.follow(place.root / "a.jsonl"))

    assert place.count() == 3


def test_a_scan_reads_what_is_new_and_then_nothing(place: Place) -> None:
    place.say("a.jsonl", 3)
    place.say("b.jsonl", 2)
    drain(place.scan())
    assert (2, 5) == (place.report.files, place.count())

    drain(place.scan())
    assert 2 == place.report.files

    place.say("a.jsonl")
    drain(place.scan())
    assert (3, 6) == (place.report.files, place.count())


def test_a_big_transcript_is_read_in_many_steps(place: Place) -> None:
    place.say("a.jsonl", 50)

    assert drain(place.scan()) > 20
    assert 50 == place.count()


def test_what_a_look_at_everything_costs_is_known_unless_it_found_something(place: Place) -> None:
    place.say("a.jsonl")
    drain(place.scan())
    assert 0.0 == place.scanner.look_seconds

    place.report.files = 0
    drain(place.scan())
    assert 0.0 < place.scanner.look_seconds < 1.0


def test_following_a_folder_reads_what_lies_below(place: Place) -> None:
    (place.root / "new" / "deep").mkdir(parents=True)
    place.say("new/deep/a.jsonl", 2)

    drain(place.follow(place.root / "new"))

    assert 2 == place.count()


def test_a_vanished_transcript_is_nothing(place: Place) -> None:
    drain(place.follow(place.root / "never.jsonl"))

    assert (0, []) == (place.report.files, place.report.errors)


def test_what_changes_while_it_is_read_is_read_again(place: Place) -> None:
    path = place.say("a.jsonl", 10)
    steps = place.scan()
    next(steps)
    place.say("a.jsonl", 5)
    assert 0 == drain(place.follow(path))

    drain(steps)

    assert 15 == place.count()
    assert {"a.jsonl": 0} == place.pending()


def test_an_abandoned_reading_does_not_lock_the_transcript(place: Place) -> None:
    path = place.say("a.jsonl", 10)
    steps = place.scan()
    next(steps)
    del steps

    drain(place.follow(path))

    assert 10 == place.count()


def test_a_foreign_database_is_read_when_only_its_log_changed(place: Place) -> None:
    path = place.say("a.jsonl")
    drain(place.scan())
    (place.root / "a.jsonl-wal").write_text("x")

    drain(place.follow(path))

    assert 2 == place.report.files


def test_a_named_path_is_read_again_and_an_unknown_one_refused(place: Place) -> None:
    path = place.say("a.jsonl")
    drain(place.scan())

    drain(place.scanner.read([path], place.source, place.report))
    assert 2 == place.report.files
    with pytest.raises(UsageError, match="does not exist"):
        drain(place.scanner.read([place.root / "nothing"], place.source, place.report))


@pytest.mark.parametrize("seed", range(6))
def test_looks_that_take_turns_read_everything_once(tmp_path: Path, seed: int) -> None:
    """Any interleaving of appends, replacements, scans and follows ends with every message, once."""
    chance = random.Random(seed)
    place = Place(tmp_path)
    looks: list[Iterator[None]] = []
    for _ in range(150):
        action = chance.random()
        name = f"{chance.randrange(4)}.jsonl"
        if action < 0.3:
            looks.append(place.follow(place.say(name, chance.randrange(1, 6))))
        elif action < 0.35:
            copy = place.root / "copy"
            if (place.root / name).exists():
                copy.write_bytes((place.root / name).read_bytes())
                copy.rename(place.root / name)
        elif action < 0.4:
            looks.append(place.scan())
        elif looks:
            look = chance.choice(looks)
            if next(look, "ended") == "ended":
                looks.remove(look)
    for look in looks:
        drain(look)
    drain(place.scan())

    assert place.said == place.count()
    assert set(place.pending().values()) <= {0}
    assert [] == place.report.errors
    place.store.close()
