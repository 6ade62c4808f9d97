"""What holds for every command: exit statuses, JSON and nothing else, where home is, terminals and pipes."""

import json
import os
import pty
import resource
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from memoryd.interfaces.cli import COMMANDS
from memoryd.service.lock import WriterLock
from memoryd.store.connection import DATABASE_NAME
from memoryd.store.schema import SCHEMA_VERSION
from memoryd.store.store import Store
from tests.agents import claude_session, make_home
from tests.conftest import NOW
from tests.interfaces.conftest import REPOSITORY, Memoryd, Outcome, command

Process = Callable[..., Outcome]


class TestExitStatus:
    def test_0_when_done(self, memoryd: Memoryd) -> None:
        assert memoryd("run", "--once").status == 0

    def test_1_when_the_answer_is_no(self, memoryd: Memoryd, history: Path) -> None:
        assert memoryd("search", "zeppelin", home=history).status == 1
        assert memoryd("show", "999", home=history).status == 1
        assert memoryd("show", "9" * 5000, home=history).status == 1
        assert memoryd("show", "seven", home=history).status == 1
        assert memoryd("sessions", "--source", "nobody", home=history).status == 1

    @pytest.mark.parametrize("name", ["search x", "sessions", "show 1"])
    def test_1_and_what_to_do_where_nothing_was_ingested(self, memoryd: Memoryd, name: str) -> None:
        done = memoryd(*name.split())

        assert done.status == 1
        assert "memoryd run --once" in done.err

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ("nonsense", "nonsense"),
            ("--nonsense status", "--nonsense"),
            ("run --twice", "--twice"),
            ("ingest /does/not/exist", "/does/not/exist"),
            ("ingest --source nobody", "claude-code"),
            ("show", "ID"),
            ("sessions --limit 0", "--limit"),
            ("sessions --since soon", "--since"),
        ],
    )
    def test_2_for_wrong_usage_which_is_named(
        self, memoryd: Memoryd, history: Path, arguments: str, said: str
    ) -> None:
        done = memoryd(*arguments.split(), home=history)

        assert done.status == 2
        assert said in done.err
        assert done.out == b""

    @pytest.mark.parametrize(
        "words",
        [
            *("search ?", "search x --source ?", "sessions --project ?", "show ?", "undo ?"),
            *("memory add ?", "memory add x --key ?", "memory list --namespace ?", "forget --session ?"),
        ],
    )  # fmt: skip
    def test_2_for_what_is_no_text(self, memoryd: Memoryd, history: Path, words: str) -> None:
        done = memoryd(*words.replace("?", "caf\udce9").split(), home=history)

        assert (done.status, done.out) == (2, b"")
        assert done.err == "memoryd: 'caf\\udce9' is not valid UTF-8\n"

    @pytest.mark.parametrize("words", ["memory pin", "search x --since", "undo", "ingest"])
    def test_2_in_a_short_line_however_long_the_word(
        self, process: Process, history: Path, words: str
    ) -> None:
        done = process("--home", str(history), *words.split(), "9" * 100_000)

        assert (done.status, done.out) == (2, b"")
        assert "Traceback" not in done.err
        assert 900 < max(map(len, done.err.splitlines())) < 1100

    def test_2_for_half_a_character_in_a_batch(self, memoryd: Memoryd, history: Path) -> None:
        line = rb'{"id": "1", "query": "port", "source": "\ud800"}'
        done = memoryd("search", "--batch", stdin=line, home=history)

        assert done.status == 2
        assert "lone surrogate" in done.err

    @pytest.mark.parametrize(
        ("words", "status"),
        [("search port >&-", 0), ("status --json >&- 2>&-", 0), ("search --batch <&-", 0), ("search zeppelin >&-", 1)],
    )  # fmt: skip
    def test_closed_streams_change_no_status(self, history: Path, words: str, status: int) -> None:
        line = f"{shlex.join(command('--home', str(history)))} {words}"
        done = subprocess.run(line, shell=True, check=False, capture_output=True, cwd=REPOSITORY)

        assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")

    def test_2_for_a_file_of_nobody_which_is_named(self, memoryd: Memoryd, tmp_path: Path) -> None:
        path = tmp_path / "letter.jsonl"
        path.write_text('{"dear": "friend"}\n')

        done = memoryd("ingest", str(path))

        assert done.status == 2
        assert f"{path}: not a transcript of a known agent" in done.err

    def test_2_for_a_home_that_is_a_file(self, memoryd: Memoryd, tmp_path: Path) -> None:
        path = tmp_path / "file"
        path.touch()

        done = memoryd("status", home=path)

        assert done.status == 2
        assert "--home" in done.err

    @pytest.mark.parametrize("place", ["/proc/none", "/proc/none/deeper", "/etc/passwd/home"])
    @pytest.mark.parametrize("words", ["status", "sources", "memory add x"])
    def test_2_for_a_home_that_cannot_be(self, memoryd: Memoryd, place: str, words: str) -> None:
        done = memoryd(*words.split(), home=Path(place))

        assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1)
        assert place in done.err

    def test_a_home_that_could_be_is_not_made_by_looking(
        self, memoryd: Memoryd, tmp_path: Path
    ) -> None:
        before = set(tmp_path.iterdir())

        assert memoryd("status", home=tmp_path / "new" / "home").status == 0
        assert set(tmp_path.iterdir()) == before

    def test_3_when_another_process_writes(self, memoryd: Memoryd, home: Path) -> None:
        with WriterLock(home):
            done = memoryd("run", "--once")

        assert done.status == 3
        assert f"pid {os.getpid()}" in done.err

    def test_75_when_the_disk_is_full_and_later_all_is_well(
        self, memoryd: Memoryd, process: Process, home: Path, tmp_path: Path
    ) -> None:
        path = tmp_path / "5e551011-aaaa-4bbb-8ccc-000000000001.jsonl"
        path.write_bytes(
            claude_session(path.stem, [("user", f"text {n} " * 90) for n in range(900)])
        )
        limits = (300_000, 300_000)

        done = process(
            *("--home", str(home), "ingest", str(path)),
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limits),
        )

        assert (done.status, done.out) == (75, b"")
        assert "cannot be used now" in done.err
        assert memoryd("ingest", "--json", str(path)).status == 0
        assert memoryd("search", "text", "--json").status == 0

    def test_75_when_the_answer_cannot_be_written(self, process: Process, history: Path) -> None:
        if not Path("/dev/full").exists():
            pytest.skip("no /dev/full here")
        with Path("/dev/full").open("wb") as full:
            done = subprocess.run(
                command("--home", str(history), "search", "port", "--json"),
                stdout=full,
                stderr=subprocess.PIPE,
                cwd=REPOSITORY,
                check=False,
            )

        assert done.returncode == 75
        assert b"Traceback" not in done.stderr

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("[ingest]\nrescan_second = 3\n", "unknown key ingest.rescan_second"),
            (
                "[ingest]\nrescan_seconds = 'x'\n",
                "ingest.rescan_seconds: expected float, not negative, got 'x'",
            ),
            ("[ingest\n", "not valid TOML"),
            ("[sources.nobody]\nroots = ['/x']\n", "nobody"),
        ],
    )
    @pytest.mark.parametrize("place", ["home", "--config", "MEMORYD_CONFIG"])
    def test_78_for_a_bad_configuration_naming_file_table_and_key(
        self,
        memoryd: Memoryd,
        home: Path,
        monkeypatch: pytest.MonkeyPatch,
        text: str,
        said: str,
        place: str,
    ) -> None:
        path = home / ("config.toml" if place == "home" else "other.toml")
        path.write_text(text)
        if place == "MEMORYD_CONFIG":
            monkeypatch.setenv(place, str(path))
        option = ("--config", str(path)) if place == "--config" else ()

        done = memoryd(*option, "status", "--json")

        assert (done.status, done.out) == (78, b"")
        assert said in done.err
        if said != "nobody":
            assert str(path) in done.err

    def test_78_for_a_configuration_that_is_not_there(self, memoryd: Memoryd) -> None:
        done = memoryd("--config", "/no/such.toml", "run", "--once")

        assert done.status == 78
        assert "/no/such.toml does not exist" in done.err


class TestDatabase:
    @pytest.mark.parametrize(
        ("version", "said"), [(SCHEMA_VERSION + 1, "upgrade memoryd"), (1, "memoryd run --once")]
    )
    def test_one_of_another_version_is_told(
        self, memoryd: Memoryd, home: Path, version: int, said: str
    ) -> None:
        with Store(home, lambda: NOW) as store:
            store.connection.execute(f"pragma user_version={version}")

        for arguments in (("search", "x"), ("sessions",), ("show", "1")):
            done = memoryd(*arguments)
            assert (done.status, done.out) == (1, b"")
            assert said in done.err
        status = memoryd("status", "--json")
        assert status.status == 1
        assert said in status.json["degraded"][0]

    def test_a_damaged_one_is_told_without_a_traceback(self, memoryd: Memoryd, home: Path) -> None:
        with Store(home, lambda: NOW):
            pass
        path = home / DATABASE_NAME
        path.write_bytes(path.read_bytes()[:100] + b"\xff" * 20_000)

        for arguments in (("search", "x"), ("sessions",), ("show", "1"), ("run", "--once")):
            done = memoryd(*arguments)
            assert done.status == 1
            assert "memoryd doctor" in done.err
        assert memoryd("status", "--json").status == 1
        assert memoryd("doctor", "--json").json["ok"] is False


class TestOutput:
    @pytest.mark.parametrize(
        "arguments",
        [
            "run --once",
            "ingest",
            "status",
            "sources",
            "doctor",
            "sessions",
            "search index",
            "search zeppelin",
            "show 1",
        ],
    )
    def test_json_is_one_document_and_nothing_else(
        self, process: Process, home: Path, user: Path, arguments: str
    ) -> None:
        make_home(user)
        process("--home", str(home), "run", "--once")

        done = process("--home", str(home), *arguments.split(), "--json")

        assert isinstance(done.json, dict)
        assert done.out.endswith(b"\n")
        assert done.out.count(b"\n") == 1

    def test_json_is_utf8_whatever_the_terminal_speaks(
        self, process: Process, history: Path
    ) -> None:
        environment = {**os.environ, "PYTHONIOENCODING": "latin-1"}
        arguments = ("--home", str(history), "search", "索引")

        plain = process(*arguments, env=environment)
        done = process(*arguments, "--json", env=environment)

        assert (plain.status, plain.err) == (0, "")
        assert done.json["hits"][0]["text"] == "怎么给订单表加索引？"

    def test_a_reader_that_goes_away_is_no_fault(self, history: Path) -> None:
        arguments = command("--home", str(history), "search", "--batch")
        query = json.dumps({"id": 1, "query": "the", "limit": 1000}).encode() + b"\n"
        with subprocess.Popen(
            arguments,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=REPOSITORY,
        ) as running:
            assert running.stdin is not None
            assert running.stdout is not None
            assert running.stderr is not None
            running.stdout.close()
            running.stdin.write(query * 50)
            running.stdin.close()
            errors = running.stderr.read()

        assert (running.returncode, errors) == (0, b"")

    def test_a_terminal_gets_tables_and_a_pipe_gets_tabs(
        self, process: Process, home: Path, tmp_path: Path
    ) -> None:
        """What agents wrote is shown as it is: brackets are no markup, tabs and breaks are no columns."""
        path = tmp_path / "5e551011-aaaa-4bbb-8ccc-000000000001.jsonl"
        path.write_bytes(claude_session(path.stem, [("user", "[/close] :smile:\tof\n[bold]x")]))
        process("--home", str(home), "ingest", str(path))

        piped = process("--home", str(home), "sessions").out.decode()
        drawn = on_terminal("--home", str(home), "sessions")

        assert len(piped.splitlines()) == 1
        assert len(piped.split("\t")) == 6
        assert "[/close] :smile: of [bold]x" in piped
        assert "last active" not in piped
        assert "last active" in drawn
        assert "[/close] :smile: of" in drawn

    def test_a_terminal_sees_what_is_read(self, home: Path, user: Path) -> None:
        make_home(user)

        text = on_terminal("--home", str(home), "run", "--once")

        assert "7 new messages" in text
        assert "Traceback" not in text

    def test_completion_knows_the_commands_and_their_options(self, process: Process) -> None:
        def completions(words: str, count: int) -> str:
            asked = {"_MEMORYD_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(count)}  # fmt: skip
            return process(env={**os.environ, **asked}).out.decode()

        assert {"plain,search", "plain,sessions"} <= set(completions("memoryd se", 1).split())
        assert "plain,--since" in completions("memoryd search --si", 2)
        assert "plain,newest" in completions("memoryd search --sort n", 3)
        script = process(env={**os.environ, "_MEMORYD_COMPLETE": "bash_source"})
        assert b"_MEMORYD_COMPLETE=bash_complete" in script.out

    @pytest.mark.parametrize("arguments", [("--help",), *((name, "--help") for name in COMMANDS)])
    def test_help_is_given(self, memoryd: Memoryd, arguments: tuple[str, ...]) -> None:
        done = memoryd(*arguments)

        assert done.status == 0
        assert b"Usage: memoryd" in done.out

    def test_the_version(self, memoryd: Memoryd) -> None:
        done = memoryd("--version", home=None)

        assert (done.status, done.out) == (0, b"memoryd 0.1.0\n")


def on_terminal(*arguments: str) -> str:
    """What a person sees on a terminal of 200 columns."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": "200", "TERM": "xterm"}
    with subprocess.Popen(
        command(*arguments), stdout=theirs, stderr=theirs, cwd=REPOSITORY, env=environment
    ) as running:
        os.close(theirs)
        seen = b""
        try:
            while part := os.read(ours, 65536):
                seen += part
        except OSError:  # the other end was closed: Linux tells it so
            pass
    os.close(ours)
    assert running.returncode == 0
    return seen.decode()


class TestHome:
    def test_the_option_stands_before_the_subcommand(self, memoryd: Memoryd, home: Path) -> None:
        assert memoryd("status", "--json").json["database"]["path"] == str(home / DATABASE_NAME)
        assert memoryd("status", "--home", str(home), home=None).status == 2

    def test_the_variable_does_the_same_and_the_option_wins(
        self, memoryd: Memoryd, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MEMORYD_HOME", str(tmp_path / "other"))

        by_variable = memoryd("status", "--json", home=None).json["database"]["path"]
        by_option = memoryd("status", "--json").json["database"]["path"]

        assert by_variable == str(tmp_path / "other" / DATABASE_NAME)
        assert by_option == str(home / DATABASE_NAME)

    @pytest.mark.parametrize("variable", ["", None])
    def test_without_either_it_is_the_platforms_data_folder(
        self, memoryd: Memoryd, user: Path, monkeypatch: pytest.MonkeyPatch, variable: str | None
    ) -> None:
        if variable is not None:
            monkeypatch.setenv("MEMORYD_HOME", variable)

        path = Path(memoryd("status", "--json", home=None).json["database"]["path"])

        assert path.is_relative_to(user)
        assert path.parent.name == "memoryd"

    def test_everything_of_ours_is_below_it_and_private(
        self, memoryd: Memoryd, tmp_path: Path, user: Path
    ) -> None:
        make_home(user)
        before = set(user.rglob("*"))
        home = tmp_path / "deep" / "er"

        assert memoryd("run", "--once", home=home).status == 0

        assert set(user.rglob("*")) == before
        assert home.stat().st_mode & 0o777 == 0o700
        assert all(path.stat().st_mode & 0o077 == 0 for path in home.rglob("*"))

    @pytest.mark.parametrize(
        "name", ["status", "sources", "doctor", "search x", "sessions", "show 1"]
    )
    def test_reading_commands_leave_no_trace(
        self, memoryd: Memoryd, tmp_path: Path, name: str
    ) -> None:
        home = tmp_path / "nowhere"

        memoryd(*name.split(), home=home)

        assert not home.exists()
