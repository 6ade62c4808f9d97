"""`memoryd search`: what comes out, and what is said about what went in."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.service.recall import recall
from memoryd.store.reader import Reader
from memoryd.store.records import Filters
from tests.interfaces.conftest import REPOSITORY, Memoryd

ODD = [
    *('"', "'", "(", ")", "*", "^", ":", "-", "--", "+", "\\", "%", "_", ";", "\0", "\x1b[31m", "`"),
    *("AND", "OR", "NOT", "NEAR(a b)", "a AND", "OR a", "NOT NOT a", "-a", '-"a b', "a*", "text:a", "{a}"),
    *("🎉", "👨‍👩‍👧", "→ =>", "，。！", "ﷺ", "é", "e\u0301", "\u202eabc", "\ufeff", "½", "𠀋", "ไทย"),
]  # fmt: skip


class TestAnswer:
    @pytest.mark.parametrize(
        ("words", "empty"),
        [
            (("search", "x"), "hits"),
            (("memory", "search", "x"), "hits"),
            (("sessions",), "sessions"),
        ],
    )
    def test_before_anything_was_read_the_answer_is_an_empty_document(
        self, memoryd: Memoryd, words: tuple[str, ...], empty: str
    ) -> None:
        done = memoryd(*words, "--json")

        assert 1 == done.status
        assert [] == done.json[empty]

    def test_a_hit_has_the_fields_of_the_contract(self, memoryd: Memoryd, history: Path) -> None:
        answer = memoryd("search", "staging port", "--json", home=history).json
        hit = answer["hits"][0]

        assert answer["mode"] == "lexical"
        assert answer["seconds"] > 0
        assert hit["text"] == "The staging server listens on port 8081."
        assert hit["snippet"] == "The [staging] server listens on [port] 8081."
        assert (hit["source"], hit["project"], hit["role"]) == (
            "codex",
            "/projects/site",
            "assistant",
        )
        assert hit["session_id"] == "019ce0d1-2189-7980-bde2-9b5c50289100"
        assert hit["time"].endswith("Z")
        assert isinstance(hit["message_id"], str)
        assert 1 < hit["score"] < 2
        assert set(hit) >= {"native_id"}

    def test_the_native_id_of_claude_code_is_the_uuid(
        self, memoryd: Memoryd, history: Path
    ) -> None:
        hit = memoryd("search", "索引", "--json", home=history).json["hits"][0]

        assert len(hit["native_id"]) == 36
        assert hit["text"] == "怎么给订单表加索引？"

    def test_no_match_prints_empty_hits_and_exits_1(self, memoryd: Memoryd, history: Path) -> None:
        done = memoryd("search", "zeppelin", "--json", home=history)

        assert (done.status, done.json["hits"]) == (1, [])

    def test_people_read_snippets_and_how_to_go_on(self, memoryd: Memoryd, history: Path) -> None:
        done = memoryd("search", "staging", "--explain", home=history)
        text = done.out.decode()

        assert done.status == 0
        assert "[staging]" in text
        assert "codex · /projects/site · assistant" in text
        assert "all_words 1.000" in text
        assert "memoryd show" in text
        assert "\x1b" not in text

    def test_people_read_what_to_try_when_nothing_is_found(
        self, memoryd: Memoryd, history: Path
    ) -> None:
        done = memoryd("search", "zeppelin", home=history)

        assert (done.status, b"nothing found" in done.out) == (1, True)

    @pytest.mark.parametrize(
        ("options", "sources"),
        [
            ((), {"claude-code", "codex"}),
            (("--source", "codex"), {"codex"}),
            (("--source", "nobody"), set()),
            (("--project", "/projects/shop"), {"claude-code"}),
            (("--session", "019ce0d1-2189-7980-bde2-9b5c50289100"), {"codex"}),
            (("--role", "assistant"), {"claude-code", "codex"}),
            (("--role", "user"), {"codex"}),
            (("--role", "system"), set()),
            (("--role", "tool"), {"claude-code"}),
            (("--since", "2026-03-05"), {"codex"}),
            (("--until", "2026-03-05"), {"claude-code"}),
            (("--since", "1h"), set()),
            (("--sort", "newest"), {"claude-code", "codex"}),
            (("--mode", "semantic"), {"claude-code", "codex"}),
        ],
    )
    def test_filters(
        self, memoryd: Memoryd, history: Path, options: tuple[str, ...], sources: set[str]
    ) -> None:
        query = "migrate" if "tool" in options else "the OR which"
        done = memoryd("search", query, *options, "--json", home=history)

        assert {hit["source"] for hit in done.json["hits"]} == sources
        assert done.status == (0 if sources else 1)

    def test_the_limit_is_kept(self, memoryd: Memoryd, history: Path) -> None:
        assert (
            len(memoryd("search", "the", "--limit", "1", "--json", home=history).json["hits"]) == 1
        )

    @pytest.mark.parametrize("query", ODD)
    def test_odd_queries_are_answered(self, memoryd: Memoryd, history: Path, query: str) -> None:
        done = memoryd("search", "--json", "--", query, home=history)

        assert done.status in (0, 1), done.err
        assert isinstance(done.json["hits"], list)


def test_nothing_heavy_is_imported_on_the_way_to_a_hit(history: Path) -> None:
    """Half of the time of a search is Python's start: what it does not need must not be loaded."""
    program = (
        "import sys; from memoryd.interfaces.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "except SystemExit: print(*sys.modules, file=sys.stderr)"
    )
    command = [sys.executable, "-c", program, "--home", str(history), "search", "port"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, check=True)
    loaded = set(done.stderr.decode().split())

    assert b"[port]" in done.stdout
    assert {"memoryd.service.recall", "memoryd.store.search"} <= loaded
    rooms = {"screening", "sources", "embedding", "memory_files", "rewriter"}
    assert loaded & {f"memoryd.{room}" for room in rooms} == set()
    assert loaded & {"numpy", "orjson", "structlog", "watchdog", "apscheduler", "sqlite_utils", "rich", "importlib.metadata"} == set()  # fmt: skip


class TestUsage:
    def test_words_need_no_quotes(self, memoryd: Memoryd, history: Path) -> None:
        bare = memoryd("search", "port", "the", "--json", home=history)
        quoted = memoryd("search", "port the", "--json", home=history)

        assert bare.json["hits"] == quoted.json["hits"] != []

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            ((), "QUERY"),
            (("a", "--batch"), "--batch"),
            (("a", "--limit", "0"), "--limit"),
            (("a", "--limit", "many"), "--limit"),
            (("a", "--role", "boss"), "--role"),
            (("a", "--mode", "magic"), "--mode"),
            (("a", "--since", "2026-13-01"), "--since"),
            (("a", "--since", "0001-01-01T00:00:00+14:00"), "nothing found"),
            (("a", "--since", "99999999999d"), "--since"),
            (("a", "--until", ""), "--until"),
            (("a", "--nonsense"), "--nonsense"),
        ],
    )
    def test_wrong_usage_names_what_is_wrong(
        self, memoryd: Memoryd, history: Path, arguments: tuple[str, ...], said: str
    ) -> None:
        done = memoryd("search", *arguments, home=history)

        assert done.status == (1 if said == "nothing found" else 2)
        assert said in done.err + done.out.decode()
        assert "Traceback" not in done.err


def ask(memoryd: Memoryd, home: Path, *asked: object, options: tuple[str, ...] = ()) -> list[dict]:  # type: ignore[type-arg] # JSON
    """Answers to a batch."""
    stdin = b"".join(json.dumps(one).encode() + b"\n" for one in asked)
    done = memoryd("search", "--batch", *options, stdin=stdin, home=home)
    assert done.status == 0, done.err
    return done.lines


class TestBatch:
    def test_answers_come_in_order_with_their_ids(self, memoryd: Memoryd, history: Path) -> None:
        ids = ["b", 2, None, [1], {"x": "ü"}, "\ud800"]
        answers = ask(memoryd, history, *({"id": one, "query": "port"} for one in ids))

        assert [answer["id"] for answer in answers] == ids
        assert all(answer["hits"] and answer["mode"] == "lexical" for answer in answers)
        assert all(answer["seconds"] > 0 for answer in answers)

    def test_no_hits_are_no_failure(self, memoryd: Memoryd, history: Path) -> None:
        assert ask(memoryd, history, {"id": 1, "query": "zeppelin"})[0]["hits"] == []

    def test_options_are_keys(self, memoryd: Memoryd, history: Path) -> None:
        answers = ask(
            memoryd,
            history,
            {"id": 1, "query": "the", "limit": 1},
            {"id": 2, "query": "the", "source": "codex", "sort": "newest", "explain": True},
            {"id": 3, "query": "the", "since": "2026-03-05", "until": None, "mode": "auto"},
            {"id": 4, "query": "migrate", "role": "tool", "project": "/projects/shop"},
        )

        assert len(answers[0]["hits"]) == 1
        assert {hit["source"] for hit in answers[1]["hits"] + answers[2]["hits"]} == {"codex"}
        assert {hit["role"] for hit in answers[3]["hits"]} == {"tool"}

    def test_options_of_the_command_hold_where_a_line_says_nothing(
        self, memoryd: Memoryd, history: Path
    ) -> None:
        answers = ask(
            memoryd,
            history,
            {"id": 1, "query": "the"},
            {"id": 2, "query": "the", "source": "claude-code"},
            options=("--source", "codex", "--limit", "1"),
        )

        assert [[hit["source"] for hit in answer["hits"]] for answer in answers] == [
            ["codex"],
            ["claude-code"],
        ]

    def test_blank_lines_and_a_byte_order_mark_are_no_queries(
        self, memoryd: Memoryd, history: Path
    ) -> None:
        stdin = b'\xef\xbb\xbf{"id": 1, "query": "port"}\r\n\n  \n{"id": 2, "query": "port"}'

        assert len(memoryd("search", "--batch", stdin=stdin, home=history).lines) == 2

    def test_an_empty_batch_is_an_empty_answer(self, memoryd: Memoryd, history: Path) -> None:
        done = memoryd("search", "--batch", home=history)

        assert (done.status, done.out) == (0, b"")

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            (b"{", "expected"),
            (b"[]", "expected"),
            (b"null", "expected"),
            (b"[" * 100_000, "expected"),
            (b'{"query": "x"}', "expected"),
            (b'{"id": 1}', "expected"),
            (b'{"id": 1, "query": null}', "expected"),
            (b'{"id": 1, "query": 5}', "expected"),
            (b'{"id": 1, "query": "\xff"}', "expected"),
            (b'{"id": 1, "query": "x", "limits": 3}', "unknown key 'limits'"),
            (b'{"id": 1, "query": "x", "limit": 0}', "limit: expected 1 to 1000"),
            (b'{"id": 1, "query": "x", "limit": true}', "limit: expected"),
            (b'{"id": 1, "query": "x", "limit": "5"}', "limit: expected"),
            (b'{"id": 1, "query": "x", "role": "boss"}', "role: expected one of user"),
            (b'{"id": 1, "query": "x", "role": ["user"]}', "role: expected"),
            (b'{"id": 1, "query": "x", "mode": "magic"}', "mode: expected"),
            (b'{"id": 1, "query": "x", "sort": "oldest"}', "sort: expected"),
            (b'{"id": 1, "query": "x", "project": 7}', "project: expected a text"),
            (b'{"id": 1, "query": "x", "since": 7}', "since: expected a text"),
            (b'{"id": 1, "query": "x", "since": "soon"}', "'soon'"),
            (b'{"id": 1, "query": "x", "explain": "yes"}', "explain: expected true or false"),
        ],
    )
    def test_a_wrong_line_is_named_and_the_ones_before_are_answered(
        self, memoryd: Memoryd, history: Path, line: bytes, said: str
    ) -> None:
        stdin = b'{"id": 1, "query": "port"}\n\n' + line + b"\n"
        done = memoryd("search", "--batch", stdin=stdin, home=history)

        assert done.status == 2
        assert "stdin line 3: " in done.err
        assert said in done.err
        assert len(done.lines) == 1

    def test_odd_queries_are_answered(self, memoryd: Memoryd, history: Path) -> None:
        long = [
            "\ud800",
            "x" * 5000,
            "词" * 5000,
            " ".join(f"w{n}" for n in range(200)),
            "(" * 5000,
        ]
        answers = ask(memoryd, history, *({"id": one, "query": one} for one in [*ODD, *long]))

        assert len(answers) == len(ODD) + len(long)

    def test_operators_and_signs_mean_what_the_help_says(
        self, memoryd: Memoryd, history: Path
    ) -> None:
        queries = ['"staging server"', "server -port", "port NOT 8081", "zeppelin OR port", "server port"]  # fmt: skip
        answers = ask(memoryd, history, *({"id": one, "query": one} for one in queries))

        found = {answer["id"]: [hit["text"][:5] for hit in answer["hits"]] for answer in answers}
        assert set(found['"staging server"']) == {"The s", "Which"}
        assert found["server -port"] == []
        assert found["port NOT 8081"] == ["Which"]
        assert set(found["zeppelin OR port"]) == {"The s", "Which"}


@given(st.text(max_size=300))
def test_whatever_is_typed_is_answered_and_every_hit_is_real(history: Path, text: str) -> None:
    with Reader(history) as reader:
        for hit in recall(reader, text, Filters()):
            assert hit.message == reader.message(hit.message.id)
            assert hit.message.role != "tool"


@pytest.mark.parametrize("words", ["search port", "sessions"])
def test_a_source_that_was_never_read_is_named(memoryd: Memoryd, history: Path, words: str) -> None:
    done = memoryd(*words.split(), "--source", "claude", home=history)

    assert done.status == 1
    assert (
        "nothing of a source 'claude' was read; the history holds: claude-code, codex" in done.err
    )
