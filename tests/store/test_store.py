"""The writer: together or not at all, once and only once, never into nothing."""

import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memoryd.errors import RetryError, StoreError
from memoryd.model import Reject, Session
from memoryd.store.batches import Added
from memoryd.store.connection import DATABASE_NAME
from memoryd.store.forgetting import forget_messages
from memoryd.store.integrity import find_damage
from memoryd.store.reader import Reader
from memoryd.store.records import Filters
from memoryd.store.schema import SCHEMA_VERSION
from memoryd.store.store import Store, identity_of
from tests.store.conftest import NOW, message, screened

Add = Callable[..., Added]
ROOT = Path(__file__).parents[2]


def count_as_nobody(home: Path) -> int:
    """How many messages a process without rights counts in a home (as its exit status)."""
    program = (
        "import os, sys; from pathlib import Path; from memoryd.store.reader import Reader\n"
        "if os.geteuid() == 0: os.setuid(65534)\n"
        "with Reader(Path(sys.argv[1])) as reader: os._exit(reader.counts()['messages'])"
    )
    command = [sys.executable, "-c", program, str(home)]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def texts(store: Store) -> list[str]:
    return [text for (text,) in store.connection.execute("select text from message order by id")]


def found(store: Store, word: str, index: str = "words") -> list[int]:
    sql = f"select rowid from {index} where {index} match ?"
    return [row for (row,) in store.connection.execute(sql, (f'"{word}"',))]


class TestAdd:
    def test_a_batch_and_its_cursor_come_back(self, store: Store, add: Add) -> None:
        add(message("hello world"))

        cursor = store.cursor("claude-code", "/t/a.jsonl")

        assert cursor is not None
        assert (cursor.offset, cursor.fingerprint, cursor.state) == (100, "f", {"turn": "t1"})
        assert texts(store) == ["hello world"]

    def test_the_same_batch_again_adds_nothing(self, store: Store, add: Add) -> None:
        first = add(message("hello world"))
        second = add(message("hello world"))

        assert (first.added, second.added, second.seen) == (1, 0, 1)
        assert found(store, "hello") == [1]

    def test_the_same_key_of_two_sources_is_two_messages(self, store: Store) -> None:
        store.add("codex", screened([message("hi", "k", source="codex")]))
        store.add("claude-code", screened([message("hi", "k")]))

        assert texts(store) == ["hi", "hi"]

    def test_a_later_text_of_the_same_key_replaces_the_earlier_in_every_index(
        self, store: Store, add: Add
    ) -> None:
        add(message("the old wording", "k"))
        again = add(message("the new wording", "k"))

        assert again.updated == 1
        assert texts(store) == ["the new wording"]
        assert (found(store, "old"), found(store, "new")) == ([], [1])
        assert find_damage(store.connection) == []

    def test_a_growing_snapshot_is_kept_once_and_longest(self, store: Store, add: Add) -> None:
        add(message("The answer", "r1", group="g", role="assistant"))
        add(message("The answer is 42", "r2", group="g", role="assistant"))
        add(message("The answer", "r3", group="g", role="assistant"))

        assert texts(store) == ["The answer is 42"]

    def test_other_text_of_the_same_response_is_a_message_of_its_own(
        self, store: Store, add: Add
    ) -> None:
        add(message("First part.", "r1", group="g"), message("Second part.", "r2", group="g"))

        assert texts(store) == ["First part.", "Second part."]

    def test_the_same_group_in_another_session_is_another_group(
        self, store: Store, add: Add
    ) -> None:
        add(message("Text", "r1", group="g"), message("Text more", "r2", group="g", session="s2"))

        assert texts(store) == ["Text", "Text more"]

    def test_a_withdrawn_message_is_no_longer_found_but_kept(self, store: Store, add: Add) -> None:
        add(message("regret this", "k"))
        add(retracted=("k",))

        assert found(store, "regret") == []
        assert texts(store) == ["regret this"]
        assert find_damage(store.connection) == []

    def test_a_withdrawn_message_that_is_written_again_is_found_again(
        self, store: Store, add: Add
    ) -> None:
        add(message("regret this", "k"))
        add(retracted=("k",))
        add(message("regret this", "k"))

        assert found(store, "regret") == [1]

    def test_tools_have_an_index_of_their_own(self, store: Store, add: Add) -> None:
        add(message("Bash: make test", role="tool"))

        assert (found(store, "make"), found(store, "make", "tools")) == ([], [1])

    def test_a_failing_row_moves_no_cursor_and_leaves_no_row(self, store: Store, add: Add) -> None:
        add(message("first"))
        broken = screened([message("second"), message("third")], offset=200)
        store.connection.execute(
            "create temp trigger boom before insert on message when new.text = 'third' begin select raise(abort, 'boom'); end"
        )

        with pytest.raises(StoreError, match="boom"):
            store.add("claude-code", broken)

        cursor = store.cursor("claude-code", "/t/a.jsonl")
        assert cursor is not None
        assert (cursor.offset, texts(store)) == (100, ["first"])
        assert found(store, "second") == []

    def test_after_a_failure_the_same_batch_can_be_added(self, store: Store, add: Add) -> None:
        store.connection.execute(
            "create temp trigger boom before insert on message begin select raise(abort, 'boom'); end"
        )
        with pytest.raises(StoreError):
            add(message("hello", session="new"))
        store.connection.execute("drop trigger boom")

        assert add(message("hello", session="new")).added == 1
        assert find_damage(store.connection) == []

    @settings(max_examples=20)
    @given(
        st.lists(
            st.tuples(st.sampled_from("abcd"), st.sampled_from(["x one", "y two", "z three"])),
            max_size=12,
        )
    )
    def test_any_order_of_versions_ends_in_the_last_of_each_key_and_whole_indexes(
        self, tmp_path_factory: pytest.TempPathFactory, versions: list[tuple[str, str]]
    ) -> None:
        with Store(tmp_path_factory.mktemp("home"), lambda: NOW) as store:
            for number, (key, text) in enumerate(versions, 1):
                batch = screened([message(text, key)], offset=number, consumed=1)
                store.add("claude-code", batch)

            assert sorted(texts(store)) == sorted(dict(versions).values())
            assert find_damage(store.connection) == []


class TestSessions:
    def test_facts_are_learned_as_they_come(self, store: Store, add: Add) -> None:
        add(
            message("one", minute=5),
            message("two", minute=1),
            sessions=(Session("claude-code", "s1", project="/p", branch="main"),),
        )
        add(sessions=(Session("claude-code", "s1", title="A title", project="/elsewhere"),))

        with Reader(store.path.parent) as reader:
            session = reader.sessions(Filters(), 10)[0]
        assert (session.project, session.branch, session.title) == ("/p", "main", "A title")
        assert (session.messages, session.started, session.ended) == (
            2,
            message("", minute=1).time,
            message("", minute=5).time,
        )

    def test_a_session_without_a_title_is_named_by_its_first_prompt(
        self, store: Store, add: Add
    ) -> None:
        add(message("I am the assistant", role="assistant"), message("Fix the build, please"))

        with Reader(store.path.parent) as reader:
            assert reader.sessions(Filters(), 10)[0].title == "Fix the build, please"

    def test_a_withdrawn_message_neither_counts_nor_names_its_session(
        self, store: Store, add: Add
    ) -> None:
        add(message("regret this", "k"), message("keep this", "l"))
        add(retracted=("k", "unknown"))

        with Reader(store.path.parent) as reader:
            session = reader.sessions(Filters(), 10)[0]
            assert (session.title, session.messages) == ("keep this", 1)
            assert (reader.counts()["messages"], reader.sources()[0].messages) == (1, 1)

        add(message("regret this", "k"))
        with Reader(store.path.parent) as reader:
            assert reader.sessions(Filters(), 10)[0].messages == 2

    def test_a_forgotten_message_is_counted_no_more(self, store: Store, add: Add) -> None:
        add(message("first"), message("second"), message("withdrawn", "k"))
        add(retracted=("k",))
        with store.transaction() as connection:
            forget_messages(connection, [2, 3])

        with Reader(store.path.parent) as reader:
            assert reader.sessions(Filters(), 10)[0].messages == 1
            assert reader.counts()["messages"] == 1
        assert add(message("second")).added == 0

    def test_a_forgotten_text_does_not_come_back_as_a_longer_one(
        self, store: Store, add: Add
    ) -> None:
        snapshots = [
            message(text, f"r{n}", group="g", role="assistant")
            for n, text in enumerate(["The answer", "The answer is 42", "The answer is 42."])
        ]
        add(*snapshots[:2])
        with store.transaction() as connection:
            forget_messages(connection, [1])

        again = add(*snapshots, message("another", group="h"))

        assert (again.added, again.seen, texts(store)) == (1, 3, ["another"])
        assert find_damage(store.connection) == []

    def test_a_session_with_nothing_said_is_not_listed(self, store: Store, add: Add) -> None:
        add(sessions=(Session("claude-code", "empty", project="/p"),))

        with Reader(store.path.parent) as reader:
            assert reader.sessions(Filters(), 10) == []


class TestLedger:
    def test_bytes_are_ingested_or_quarantined(self, store: Store, add: Add) -> None:
        add(message("x"), rejects=(Reject(10, 40, "not JSON", b"{oops"),), skipped={"progress": 3})

        with Reader(store.path.parent) as reader:
            status = reader.sources()[0]
        assert (status.ingested, status.quarantined, status.pending) == (70, 30, 0)
        assert (status.rejected, status.skipped) == ({"not JSON": 1}, {"progress": 3})

    def test_a_restarted_transcript_counts_anew(self, store: Store, add: Add) -> None:
        add(message("x"), rejects=(Reject(10, 40, "not JSON"),), skipped={"progress": 3})
        add(message("x"), restarted=True, offset=60, consumed=60)

        with Reader(store.path.parent) as reader:
            status = reader.sources()[0]
        assert (status.ingested, status.quarantined, status.rejected, status.skipped) == (
            60,
            0,
            {},
            {},
        )
        assert find_damage(store.connection) == []

    @pytest.mark.parametrize(
        "change", ["ingested = 0", "ingested = 0, quarantined = 0", "quarantined = 1", "size = 99"]
    )
    def test_bytes_that_do_not_add_up_are_found(self, store: Store, add: Add, change: str) -> None:
        add(message("x"), rejects=(Reject(10, 40, "not JSON"),))
        assert find_damage(store.connection) == []

        store.connection.execute(f"update transcript set {change}")

        assert [one.name for one in find_damage(store.connection)] == ["ledger"]

    def test_what_is_kept_aside_is_screened(self, store: Store, add: Add) -> None:
        secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
        add(rejects=(Reject(0, 50, "not JSON", f"token={secret}".encode()),))

        assert secret not in store.connection.execute("select head from reject").fetchone()[0]


class TestFile:
    def test_everything_is_private(self, store: Store, add: Add) -> None:
        add(message("hello"))

        modes = {
            path.name: oct(path.stat().st_mode & 0o777) for path in store.path.parent.iterdir()
        }

        assert set(modes.values()) == {"0o600"}
        assert len(modes) == 4  # with -wal, -shm and the note that there is a database

    def test_a_deleted_database_is_noticed_before_the_next_batch(
        self, store: Store, add: Add
    ) -> None:
        add(message("hello"))
        store.path.unlink()

        with pytest.raises(StoreError, match="deleted or replaced"):
            add(message("lost?"))

    def test_a_replaced_database_is_noticed(self, store: Store, add: Add, tmp_path: Path) -> None:
        add(message("hello"))
        other = tmp_path / "other.db"
        other.write_bytes(store.path.read_bytes())
        other.replace(store.path)

        with pytest.raises(StoreError, match="deleted or replaced"):
            add(message("lost?"))

    def test_a_deleted_log_is_noticed_and_costs_nothing(
        self, store: Store, add: Add, home: Path
    ) -> None:
        add(message("first"))
        Path(f"{store.path}-wal").unlink()

        with pytest.raises(StoreError, match="deleted or replaced"):
            add(message("second"))
        store.close()

        with Store(home, lambda: NOW) as again:
            assert texts(again) == ["first"]
            assert find_damage(again.connection) == []

    def test_a_log_deleted_after_a_crash_takes_the_cursors_with_it(self, home: Path) -> None:
        program = (
            "import os, sys; from pathlib import Path; from memoryd.store.store import Store\n"
            "from tests.store.conftest import NOW, message, screened\n"
            "store = Store(Path(sys.argv[1]), lambda: NOW)\n"
            "store.checkpoint()\n"
            "store.add('claude-code', screened([message('lost')]))\n"
            "os.kill(os.getpid(), 9)"
        )
        subprocess.run([sys.executable, "-c", program, str(home)], cwd=ROOT, check=False)
        Path(home, f"{DATABASE_NAME}-wal").unlink()

        with Store(home, lambda: NOW) as store:
            assert (texts(store), store.cursor("claude-code", "/t/a.jsonl")) == ([], None)
            assert find_damage(store.connection) == []

    def test_asking_for_a_cursor_writes_nothing(self, store: Store) -> None:
        store.connection.execute("pragma query_only=on")

        assert store.cursor("never-read", "/t/a.jsonl") is None

    def test_a_damaged_page_met_while_reading_is_told_in_words(
        self, store: Store, add: Add
    ) -> None:
        add(*[message(f"text number {n} " * 50) for n in range(100)])
        store.close()
        data = bytearray(store.path.read_bytes())
        data[8192 : len(data)] = b"\xff" * (len(data) - 8192)
        store.path.write_bytes(data)

        with (
            pytest.raises(StoreError, match="memoryd doctor"),
            Reader(store.path.parent) as reader,
        ):
            reader.counts()

    @pytest.mark.parametrize(
        "use",
        [
            lambda store: store.cursor("claude-code", "/t/a.jsonl"),
            lambda store: store.rebuild_indexes(),
            lambda store: store.connection.execute("select count(text) from message").fetchall(),
        ],
    )
    def test_a_damaged_page_met_by_the_writer_is_told_in_words(
        self, store: Store, add: Add, use: Callable[[Store], object]
    ) -> None:
        add(*[message(f"text number {n} " * 50) for n in range(100)])
        sql = "select rootpage from sqlite_master where name in ('message', 'transcript')"
        roots = [root for (root,) in store.connection.execute(sql)]
        store.close()
        data = bytearray(store.path.read_bytes())
        for root in roots:
            data[(root - 1) * 4096 : root * 4096] = b"\xff" * 4096
        store.path.write_bytes(data)

        with (
            pytest.raises(StoreError, match=r"memoryd\.db is damaged: .*; run `memoryd doctor`"),
            Store(store.path.parent, lambda: NOW) as again,
        ):
            use(again)

    @pytest.mark.parametrize("left_open", [False, True])
    def test_a_folder_that_may_only_be_read_is_read(self, left_open: bool) -> None:
        """As another user, since nothing is forbidden to root."""
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            store = Store(home, lambda: NOW)
            store.add("claude-code", screened([message("hello"), message("again")]))
            if not left_open:
                store.close()
            for path in home.iterdir():
                path.chmod(0o444)
            home.chmod(0o555)

            assert count_as_nobody(home) == 2

            home.chmod(0o755)
            store.connection.close()

    def test_a_disk_that_is_full_from_the_start_is_temporary(self, home: Path) -> None:
        program = (
            "import resource, sys; from pathlib import Path; from memoryd.store.store import Store\n"
            "from memoryd.errors import RetryError; from tests.store.conftest import NOW\n"
            "resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))\n"
            "try: Store(Path(sys.argv[1]), lambda: NOW)\n"
            "except RetryError: sys.exit(75)"
        )
        done = subprocess.run([sys.executable, "-c", program, str(home)], cwd=ROOT, check=False)

        assert done.returncode == 75

    def test_a_folder_in_the_databases_place_is_a_clear_error(self, home: Path) -> None:
        (home / DATABASE_NAME).mkdir()

        with pytest.raises(StoreError, match=r"memoryd\.db cannot be opened"):
            Store(home, lambda: NOW)

    def test_a_newer_schema_is_refused_by_writer_and_reader(self, home: Path) -> None:
        with Store(home, lambda: NOW) as store:
            store.connection.execute(f"pragma user_version={SCHEMA_VERSION + 1}")

        for opener in (lambda: Store(home, lambda: NOW), lambda: Reader(home)):
            with pytest.raises(StoreError, match="upgrade memoryd"):
                opener()

    def test_another_programs_database_is_refused(self, home: Path) -> None:
        connection = sqlite3.connect(home / DATABASE_NAME)
        connection.execute("create table theirs (x)")
        connection.close()

        with pytest.raises(StoreError, match="not a memoryd database"):
            Store(home, lambda: NOW)

    def test_garbage_is_a_clear_error(self, home: Path) -> None:
        (home / DATABASE_NAME).write_bytes(
            b"not a database at all, but long enough to be looked at" * 50
        )

        with pytest.raises(StoreError, match="doctor"):
            Store(home, lambda: NOW)

    def test_a_reader_without_a_database_says_what_to_do(self, home: Path) -> None:
        with pytest.raises(StoreError, match="memoryd run --once"):
            Reader(home)

    def test_a_full_disk_is_temporary_and_loses_nothing(self, store: Store, add: Add) -> None:
        add(message("first"))
        pages = store.connection.execute("pragma page_count").fetchone()[0]
        store.connection.execute(f"pragma max_page_count={pages + 4}")

        with pytest.raises(RetryError):
            add(*[message(f"filler {n} " * 200) for n in range(200)])
        store.connection.execute("pragma max_page_count=1000000")

        assert add(message("second")).added == 1
        assert texts(store) == ["first", "second"]
        assert find_damage(store.connection) == []

    def test_a_reader_in_the_middle_of_a_search_does_not_hold_up_the_end(self, home: Path) -> None:
        store = Store(home, lambda: NOW)
        store.add("claude-code", screened([message("first")]))
        with Reader(home) as reader, reader.snapshot():
            assert reader.counts()["messages"] == 1
            store.add("claude-code", screened([message("second")], offset=200))
            started = time.monotonic()
            store.close()
            seconds = time.monotonic() - started
            assert reader.counts()["messages"] == 1

        assert seconds < 3
        with Reader(home) as reader:
            assert reader.counts()["messages"] == 2

    def test_rows_survive_a_kill_between_any_two_batches(self, home: Path) -> None:
        """Every batch that was acknowledged before kill -9 is there, and the indexes agree with the rows."""
        program = textwrap.dedent(
            """
            import sys
            from pathlib import Path
            from memoryd.store.store import Store
            from tests.store.conftest import NOW, message, screened
            with Store(Path(sys.argv[1]), lambda: NOW) as store:
                for number in range(10_000):
                    store.add(
                        "claude-code", screened([message(f"number {number}")], offset=number + 1, consumed=1)
                    )
                    print(number, flush=True)
            """
        )
        with subprocess.Popen(
            [sys.executable, "-c", program, str(home)],
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        ) as process:
            assert process.stdout is not None
            acknowledged = [int(process.stdout.readline()) for _ in range(25)][-1]
            os.kill(process.pid, signal.SIGKILL)
            rest = process.stdout.read().split()
        acknowledged = int(rest[-1]) if rest else acknowledged

        with Store(home, lambda: NOW) as store:
            cursor = store.cursor("claude-code", "/t/a.jsonl")
            assert cursor is not None
            assert cursor.offset > acknowledged
            assert texts(store) == [f"number {n}" for n in range(cursor.offset)]
            assert find_damage(store.connection) == []


class TestIndexes:
    def test_damage_is_found_and_rebuilding_mends_it(self, store: Store, add: Add) -> None:
        add(message("hello world"), message("Bash: ls", role="tool"))
        store.connection.execute(
            "insert into words(words, rowid, text) values ('delete', 1, 'hello world')"
        )

        assert [one.repair for one in find_damage(store.connection)] == ["indexes"]
        assert store.rebuild_indexes() == 2
        assert find_damage(store.connection) == []
        assert found(store, "hello") == [1]

    def test_indexes_of_another_token_version_are_rebuilt_at_start(self, home: Path) -> None:
        with Store(home, lambda: NOW) as store:
            store.add("claude-code", screened([message("hello")]))
            store.connection.execute(
                "update setting set value = 'older' where name = 'tokens_version'"
            )
            store.connection.execute("delete from words_docsize")

        with Store(home, lambda: NOW) as store:
            assert find_damage(store.connection) == []


def test_identities_of_different_keys_differ() -> None:
    assert identity_of("a", "b\0c") != identity_of("a\0b", "d")
    assert len(identity_of("codex", "x")) == 16


def test_a_message_is_hashable_and_frozen() -> None:
    assert hash(message("x")) == hash(message("x"))
    with pytest.raises(AttributeError):
        message("x").text = "y"  # type: ignore[misc] # that is the point


def test_a_reader_undoes_what_a_killed_writer_began_where_there_is_no_log(home: Path) -> None:
    """A hot rollback journal: a connection that only reads may not play it back."""
    database = home / DATABASE_NAME
    with Store(home, lambda: NOW) as store:
        store.add("claude-code", screened([message("whole")]))
    program = (
        "import os, sys, sqlite3; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('pragma journal_mode=delete'); c.execute('pragma cache_size=1'); c.execute('begin immediate');"
        "c.execute('delete from reject'); c.execute('create table half (x)');"
        "c.executemany('insert into half values (?)', [(b'x' * 5000,)] * 500); os._exit(9)"
    )
    assert 9 == subprocess.run([sys.executable, "-c", program, str(database)], check=False).returncode  # fmt: skip
    assert Path(f"{database}-journal").stat().st_size > 0

    with Reader(home) as reader:
        assert 1 == reader.counts()["messages"]
        assert ("half",) not in reader.connection.execute("select name from sqlite_master").fetchall()  # fmt: skip
