"""The data path: whose a file is, what is read, and that every byte is accounted for."""

import json
import os
import random
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memoryd.errors import SourceError, UsageError
from memoryd.model import Batch, Cursor, Message, Reject, Session
from memoryd.service.ingest import Ingest, IngestReport, screen_batch
from memoryd.service.writer import utc_now
from memoryd.sources.base import Source
from memoryd.sources.claude_code import ClaudeCode
from memoryd.sources.codex import Codex
from memoryd.sources.registry import source_classes
from memoryd.store.integrity import find_damage
from memoryd.store.reader import Reader
from memoryd.store.store import Store
from tests.agents import claude_session, codex_session, damaged, make_home, make_turns
from tests.sources.foreign_agents import AGENTS, create

SECRET = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
CLAUDE = "5e551011-aaaa-4bbb-8ccc-000000000001"
CODEX = "rollout-2026-03-11T00-00-00-019ce0d1-2189-7980-bde2-9b5c50289100"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def store(home: Path) -> Iterator[Store]:
    with Store(home, utc_now) as opened:
        yield opened


@pytest.fixture
def ingest(store: Store, root: Path) -> Ingest:
    return Ingest(store, [ClaudeCode([root / "claude"]), Codex([root / "codex"])])


def write(path: Path, data: bytes, age: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, ns=(10**18 - age, 10**18 - age))
    return path


def texts(store: Store) -> list[str]:
    return [text for (text,) in store.connection.execute("select text from message order by id")]


def ledger(store: Store) -> list[tuple[int, ...]]:
    """(size, offset, ingested, quarantined) of every transcript."""
    sql = "select size, offset, ingested, quarantined from transcript order by path"
    return store.connection.execute(sql).fetchall()


def test_no_secret_of_a_session_or_of_what_is_remembered_between_reads_is_stored(
    ingest: Ingest, store: Store, root: Path
) -> None:
    record = {
        "type": "user", "uuid": "u1", "sessionId": "a", "timestamp": "2026-11-01T10:00:00Z",
        "cwd": f"/projects/{SECRET}", "gitBranch": f"try-{SECRET}", "message": {"role": "user", "content": "hello"},
    }  # fmt: skip
    lines = [
        record,
        {"type": "summary", "summary": f"Why is {SECRET} refused?", "leafUuid": "elsewhere"},
        {"type": "ai-title", "aiTitle": f"About {SECRET}", "sessionId": "a"},
    ]
    data = "".join(json.dumps(line) + "\n" for line in lines)
    path = write(root / "claude" / "p" / "a.jsonl", data.encode())
    ingest.everything()
    write(path, (data + json.dumps(record | {"uuid": "u2"}) + "\n").encode())
    report = ingest.everything()

    store.checkpoint()
    told = store.connection.execute("select project, branch, title from session").fetchone()
    assert SECRET.encode() not in store.path.read_bytes()
    assert all("‹secret:" in text for text in told)
    assert report.added == 1


class TestNames:
    @pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
    def test_a_name_that_is_no_text_costs_only_its_own_transcript_and_is_told(
        self, ingest: Ingest, store: Store, root: Path
    ) -> None:
        write(root / "claude" / "caf\udce9" / "a.jsonl", claude_session("a", [("user", "lost")]), 3)
        write(root / "claude" / "b\udcff.jsonl", claude_session("b", [("user", "lost")]), 2)
        write(root / "claude" / "p" / "c.jsonl", claude_session("c", [("user", "found")]), 1)

        report = ingest.everything()

        assert texts(store) == ["found"]
        assert [error.partition(": ")[2] for error in report.errors] == [
            "its name is not valid UTF-8"
        ] * 2
        assert ["caf\\udce9" in report.errors[0], "b\\udcff" in report.errors[1]] == [True, True]


class TestEverything:
    def test_roots_are_read_the_longest_untouched_first(
        self, ingest: Ingest, store: Store, root: Path
    ) -> None:
        write(root / "claude/p/b.jsonl", claude_session("b", [("user", "newer")]))
        write(root / "claude/p/a.jsonl", claude_session("a", [("user", "older")]), age=5)

        report = ingest.everything()

        assert (report.files, report.added, texts(store)) == (2, 2, ["older", "newer"])

    def test_again_adds_nothing_and_reads_nothing(self, ingest: Ingest, root: Path) -> None:
        chance = random.Random(1)
        write(
            root / "claude/p/a.jsonl",
            damaged(claude_session(CLAUDE, make_turns(chance, 40)), chance),
        )
        write(root / f"codex/{CODEX}.jsonl", codex_session(CODEX[-36:], make_turns(chance, 40)))

        first, second = ingest.everything(), ingest.everything()

        assert first.added > 60
        assert (second.files, second.added, second.updated, second.consumed) == (2, 0, 0, 0)

    def test_a_copy_under_another_name_is_seen_and_not_added(
        self, ingest: Ingest, root: Path
    ) -> None:
        data = claude_session(CLAUDE, make_turns(random.Random(1), 12))
        first = write(root / "claude/p/a.jsonl", data)
        ingest.everything()
        write(first.with_name("resumed.jsonl"), data)

        report = ingest.everything()

        assert (report.added, report.seen) == (0, 16)

    def test_one_that_cannot_be_read_costs_only_itself_and_is_named(
        self, ingest: Ingest, store: Store, root: Path
    ) -> None:
        source = ingest.sources[0]
        good = write(root / "claude/p/a.jsonl", claude_session("a", [("user", "hello")]))
        gone = good.with_name("gone.jsonl")

        report = ingest.transcripts([(source, gone), (source, good)])

        assert (report.files, texts(store)) == (2, ["hello"])
        assert len(report.errors) == 1
        assert str(gone) in report.errors[0]

    def test_it_stops_between_batches_and_goes_on_from_there(
        self, store: Store, root: Path
    ) -> None:
        for name in "abc":
            write(root / f"{name}.jsonl", claude_session(name, [("user", f"hello {name}")]))
        source = ClaudeCode([root])
        seen: list[int] = []
        stopping = Ingest(
            store, [source], lambda path, size: seen.append(size), lambda: len(seen) == 2
        )

        first, second = stopping.everything(), Ingest(store, [source]).everything()

        assert (first.added, second.added) == (2, 1)
        assert sum(seen) == first.consumed

    def test_progress_tells_every_byte(self, store: Store, root: Path) -> None:
        path = write(root / "a.jsonl", claude_session("a", make_turns(random.Random(2), 9)))
        told: list[tuple[Path, int]] = []

        Ingest(store, [ClaudeCode([root])], lambda *what: told.append(what)).everything()

        assert told == [(path, path.stat().st_size)]


class TestPaths:
    def test_the_content_of_a_file_says_whose_it_is(
        self, ingest: Ingest, store: Store, tmp_path: Path
    ) -> None:
        one = write(tmp_path / "x/one.jsonl", claude_session("a", [("user", "to Claude")]))
        two = write(tmp_path / "x/two.jsonl", codex_session(CODEX[-36:], [("user", "to Codex")]))

        ingest.paths([one, two])

        found = store.connection.execute(
            "select source.name, text from message join session on session.id = session_id join source on source.id = source_id order by 1"
        ).fetchall()
        assert found == [("claude-code", "to Claude"), ("codex", "to Codex")]

    def test_a_folder_is_searched_and_what_is_nobodys_is_passed_over(
        self, ingest: Ingest, tmp_path: Path
    ) -> None:
        make_home(tmp_path / "x")
        write(tmp_path / "x/notes.txt", b"hello")
        write(tmp_path / "x/other.jsonl", b'{"a": 1}\n')
        (tmp_path / "x/link.jsonl").symlink_to(next((tmp_path / "x").rglob("rollout*.jsonl")))

        report = ingest.paths([tmp_path / "x"])

        assert (report.files, report.added, report.errors) == (2, 7, [])

    def test_a_named_source_is_believed(self, ingest: Ingest, tmp_path: Path) -> None:
        write(tmp_path / "x/a.jsonl", claude_session("a", [("user", "hello")]))
        source = ingest.sources[0]

        assert ingest.paths([tmp_path / "x"], source).added == 1
        assert ingest.paths([tmp_path / "x/a.jsonl"], source).added == 0

    @pytest.mark.parametrize(
        ("name", "said"),
        [("missing.jsonl", "does not exist"), ("letter.txt", "not a transcript of a known agent")],
    )
    def test_what_a_person_named_wrongly_is_said(
        self, ingest: Ingest, tmp_path: Path, name: str, said: str
    ) -> None:
        write(tmp_path / "letter.txt", b"Dear friend")

        with pytest.raises(UsageError, match=said) as raised:
            ingest.paths([tmp_path / name])
        assert str(tmp_path / name) in str(raised.value)


class TestScreening:
    def test_every_text_of_a_batch_is_screened(self) -> None:
        batch = Batch(
            Cursor("/t"),
            messages=(Message("s", "1", "k", "user", f"token {SECRET}\u202e"),),
            sessions=(Session("s", "1", title=f"about {SECRET}"), Session("s", "2")),
            rejects=(Reject(0, 9, "not JSON", b'{"token": "' + SECRET.encode() + b"\xff"),),
        )

        screened, secrets = screen_batch(batch)

        kept = [*screened.texts, *screened.titles, *screened.heads]
        assert secrets == 3
        assert SECRET not in str(kept)
        assert "\u202e" not in str(kept)
        assert (len(screened.texts), screened.titles[1], len(screened.heads)) == (1, None, 1)

    def test_no_secret_reaches_the_file(
        self, ingest: Ingest, store: Store, root: Path, home: Path
    ) -> None:
        data = claude_session(
            CLAUDE, [("user", f"my token: {SECRET}"), ("tool", f"curl -H {SECRET}", SECRET)]
        )
        write(root / "claude/p/a.jsonl", data + f'{{"broken {SECRET}\n'.encode())

        report = ingest.everything()
        store.close()

        assert (report.added, report.quarantined) == (3, 1)
        assert report.secrets >= 4
        assert all(SECRET.encode() not in path.read_bytes() for path in home.iterdir())


class Broken(Source):
    """Gives one batch and then trouble."""

    trouble: Exception = SourceError("cannot read it")
    name = "broken"
    title = "Broken"
    default_roots = NotImplemented
    transcript = NotImplemented
    recognises = NotImplemented

    def read(self, path: Path, cursor: Cursor | None) -> Iterator[Batch]:
        yield Batch(
            Cursor(str(path), size=9, offset=5),
            (Message("broken", "s", "k", "user", "hi"),),
            consumed=5,
        )
        raise self.trouble


@pytest.mark.parametrize("trouble", [SourceError("cannot read it"), ValueError("a fault of ours")])
def test_what_came_before_the_trouble_is_kept(
    store: Store, tmp_path: Path, trouble: Exception
) -> None:
    report = IngestReport()
    broken = Broken([tmp_path])
    broken.trouble = trouble
    Ingest(store, ()).transcript(broken, tmp_path, report)

    assert (report.added, report.consumed, len(report.errors)) == (1, 5, 1)
    assert ledger(store) == [(9, 5, 5, 0)]


class TestLedger:
    """offset = ingested + quarantined, and what lies behind is pending."""

    @pytest.mark.parametrize("seed", range(4))
    @pytest.mark.parametrize("tail", [b"", b'{"type":"user","mess', b"\0\0"])
    def test_of_damaged_lines(
        self, ingest: Ingest, store: Store, root: Path, seed: int, tail: bytes
    ) -> None:
        chance = random.Random(seed)
        for path, make in (("claude/p/a", claude_session), (f"codex/{CODEX}", codex_session)):
            data = damaged(make(CODEX[-36:], make_turns(chance, 50)), chance)
            write(root / f"{path}.jsonl", data + b"\n" + tail)

        report = ingest.everything()

        for size, offset, ingested, quarantined in ledger(store):
            assert offset == ingested + quarantined
            assert size - offset == len(tail)
            assert quarantined > 0
        assert report.consumed == sum(offset for _, offset, _, _ in ledger(store))
        assert find_damage(store.connection) == []

    @pytest.mark.parametrize("name", AGENTS)
    def test_of_foreign_databases(self, store: Store, root: Path, name: str) -> None:
        folder = root / "kiro-cli" if name == "kiro" else root
        folder.mkdir(exist_ok=True)
        connection, agent = create(name, folder / AGENTS[name].file, 3)
        ingest = Ingest(store, [source_classes()[name]([root])])
        added = ingest.everything().added
        for _ in range(60):
            agent.step()

        later, again = ingest.everything(), ingest.everything()
        connection.close()

        assert added + later.added > 0
        assert (again.added, again.updated) == (0, 0)
        for size, offset, ingested, quarantined in ledger(store):
            assert offset == ingested + quarantined
            assert 0 <= offset <= size
        with Reader(store.path.parent) as reader:
            (status,) = reader.sources()
        assert status.pending == sum(size - offset for size, offset, _, _ in ledger(store))
        assert find_damage(store.connection) == []


SAMPLES = ROOT.parent / "shared/samples"


@pytest.mark.skipif(not SAMPLES.is_dir(), reason="no samples beside the repository")
class TestSamples:
    def test_every_file_is_read_and_every_byte_and_skip_is_counted(
        self, store: Store, every_source: Callable[[], list[Source]]
    ) -> None:
        ingest = Ingest(store, every_source())

        first, second = ingest.paths([SAMPLES]), ingest.paths([SAMPLES])

        assert first.errors == []
        assert first.added > 5000
        assert (second.added, second.updated, second.consumed) == (0, 0, 0)
        for path, size, offset, ingested, quarantined in store.connection.execute(
            "select path, size, offset, ingested, quarantined from transcript"
        ):
            assert offset == ingested + quarantined, path
            assert 0 <= offset <= size, path
        assert find_damage(store.connection) == []
        with Reader(store.path.parent) as reader:
            described = reader.sources()
        assert sum(sum(one.rejected.values()) for one in described) == first.quarantined
        assert sum(one.messages for one in described) == first.added
        assert all(
            reason and count > 0 for one in described for reason, count in one.skipped.items()
        )
        assert len([one for one in described if one.messages]) > 25
