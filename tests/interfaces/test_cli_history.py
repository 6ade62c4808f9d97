"""`memoryd ingest`, `sessions`, `show` and `sources`: the fields of the contract, and the words for people."""

import json
from pathlib import Path

import pytest

from tests.agents import claude_session, make_home
from tests.interfaces.conftest import Memoryd

CLAUDE = "5e551011-aaaa-4bbb-8ccc-000000000001"
CODEX = "019ce0d1-2189-7980-bde2-9b5c50289100"


class TestIngest:
    def test_everything_and_then_nothing_new(self, memoryd: Memoryd, user: Path) -> None:
        make_home(user)

        first, second = (memoryd("ingest", "--json").json for _ in range(2))

        assert (first["files"], first["messages_added"], first["quarantined"]) == (2, 7, 0)
        assert first["messages_seen"] == 7
        assert first["bytes"] == sum(path.stat().st_size for path in user.rglob("*.jsonl"))
        assert first["seconds"] >= 0
        assert (second["messages_added"], second["bytes"]) == (0, 0)

    def test_a_file_is_recognised_by_its_content(self, memoryd: Memoryd, tmp_path: Path) -> None:
        path = tmp_path / "copy of something.jsonl"
        path.write_bytes(claude_session(CLAUDE, [("user", "hello there")]))

        assert memoryd("ingest", "--json", str(path)).json["messages_added"] == 1
        hit = memoryd("search", "hello", "--json").json["hits"][0]
        assert (hit["source"], hit["session_id"]) == ("claude-code", CLAUDE)

    def test_a_folder_is_read_whole_and_a_source_may_be_named(
        self, memoryd: Memoryd, tmp_path: Path
    ) -> None:
        make_home(tmp_path)

        every = memoryd("ingest", "--json", str(tmp_path)).json
        named = memoryd("ingest", "--json", "--source", "codex", str(tmp_path / ".codex")).json

        assert (every["files"], every["messages_added"]) == (2, 7)
        assert (named["files"], named["messages_added"]) == (1, 0)

    def test_a_source_alone_reads_its_roots(self, memoryd: Memoryd, user: Path) -> None:
        make_home(user)

        assert memoryd("ingest", "--json", "--source", "codex").json["messages_added"] == 2

    def test_a_relative_path_is_meant_from_here(
        self, memoryd: Memoryd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "a.jsonl").write_bytes(claude_session(CLAUDE, [("user", "hello")]))
        monkeypatch.chdir(tmp_path)

        assert memoryd("ingest", "--json", "a.jsonl").json["messages_added"] == 1

    def test_people_read_what_was_done_and_what_was_damaged(
        self, memoryd: Memoryd, tmp_path: Path
    ) -> None:
        path = tmp_path / "a.jsonl"
        path.write_bytes(claude_session(CLAUDE, [("user", "hello")]) + b"garbage\n")

        text = memoryd("ingest", str(path)).out.decode()

        assert "1 new message from 1 transcript" in text
        assert "1 damaged record kept aside" in text

    def test_secrets_are_replaced_and_counted(self, memoryd: Memoryd, tmp_path: Path) -> None:
        secret = "ghp_" + "a1B2c3D4e5" * 3 + "f6G7h8"
        path = tmp_path / "a.jsonl"
        path.write_bytes(claude_session(CLAUDE, [("user", f"my token is {secret} thanks")]))

        assert memoryd("ingest", "--json", str(path)).json["secrets_replaced"] == 1
        text = memoryd("search", "thanks", "--json").json["hits"][0]["text"]
        assert secret not in text
        assert "‹secret:" in text


class TestSessions:
    def test_the_last_active_comes_first(self, memoryd: Memoryd, history: Path) -> None:
        listed = memoryd("sessions", "--json", home=history).json["sessions"]

        assert [one["session_id"] for one in listed] == [CODEX, CLAUDE]
        assert (listed[1]["source"], listed[1]["project"]) == ("claude-code", "/projects/shop")
        assert (listed[1]["messages"], listed[1]["title"]) == (5, "怎么给订单表加索引？")
        assert listed[1]["started"] == "2026-03-01T10:00:00.000Z"
        assert listed[1]["ended"] == "2026-03-01T10:00:03.000Z"

    @pytest.mark.parametrize(
        ("options", "expected"),
        [
            (("--source", "codex"), [CODEX]),
            (("--project", "/projects/shop"), [CLAUDE]),
            (("--limit", "1"), [CODEX]),
            (("--since", "2026-03-05"), [CODEX]),
            (("--until", "2026-03-05"), [CLAUDE]),
            (("--since", "1d"), []),
        ],
    )
    def test_filters(
        self, memoryd: Memoryd, history: Path, options: tuple[str, ...], expected: list[str]
    ) -> None:
        done = memoryd("sessions", *options, "--json", home=history)

        assert [one["session_id"] for one in done.json["sessions"]] == expected
        assert done.status == (0 if expected else 1)

    def test_without_any_time_it_is_listed_last(self, memoryd: Memoryd, tmp_path: Path) -> None:
        timeless = {"type": "user", "uuid": "u", "sessionId": "timeless", "message": {"role": "user", "content": "when?"}}  # fmt: skip
        (tmp_path / "a.jsonl").write_text(json.dumps(timeless) + "\n")
        (tmp_path / "b.jsonl").write_bytes(claude_session(CLAUDE, [("user", "hello")]))
        memoryd("ingest", "--source", "claude-code", str(tmp_path))

        listed = memoryd("sessions", "--json").json["sessions"]
        drawn = memoryd("sessions").out.decode()

        assert [one["session_id"] for one in listed] == [CLAUDE, "timeless"]
        assert (listed[1]["started"], listed[1]["ended"]) == (None, None)
        assert "timeless" in drawn
        assert "[when]?" in memoryd("search", "when").out.decode()
        assert memoryd("search", "when", "--since", "2020-01-01").status == 1

    @pytest.mark.parametrize(
        "stamp", ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59-14:00", "1969-12-31T23:59:59Z"]
    )
    def test_an_impossible_time_harms_nothing(
        self, memoryd: Memoryd, tmp_path: Path, stamp: str
    ) -> None:
        data = claude_session(CLAUDE, [("user", "hello")])
        path = tmp_path / "a.jsonl"
        path.write_bytes(data.replace(b"2026-03-01T10:00:00.000Z", stamp.encode()))
        memoryd("ingest", str(path))

        for arguments in (("sessions",), ("search", "hello"), ("show", "1"), ("sources",)):
            assert memoryd(*arguments).status == 0
            assert memoryd(*arguments, "--json").status == 0


class TestShow:
    def test_a_message_with_its_neighbours_and_its_bytes(
        self, memoryd: Memoryd, history: Path
    ) -> None:
        hit = memoryd("search", "index migration", "--json", home=history).json["hits"][0]

        shown = memoryd("show", hit["message_id"], "--context", "1", "--json", home=history).json

        assert {name: shown[name] for name in ("message_id", "text", "native_id")} == {
            name: hit[name] for name in ("message_id", "text", "native_id")
        }
        assert [one["role"] for one in shown["context"]] == ["user", "assistant", "tool"]
        start, end = shown["span"]
        record = json.loads(Path(shown["path"]).read_bytes()[start:end])
        assert record["uuid"] == hit["native_id"]

    def test_people_see_which_one_it_is(self, memoryd: Memoryd, history: Path) -> None:
        text = memoryd("show", "1", home=history).out.decode()

        assert text.startswith("▶ 2026-03-")
        assert "#1" in text
        assert ", bytes 0 to " in text

    def test_no_context_is_the_message_alone(self, memoryd: Memoryd, history: Path) -> None:
        shown = memoryd("show", "1", "--context", "0", "--json", home=history).json

        assert [one["message_id"] for one in shown["context"]] == ["1"]

    @pytest.mark.parametrize(
        "identity", ["0", "999999", "9" * 18, "9" * 19, "9" * 5000, "٣", "1.5"]
    )
    def test_what_is_not_there_is_said(
        self, memoryd: Memoryd, history: Path, identity: str
    ) -> None:
        done = memoryd("show", identity, home=history)

        assert (done.status, done.out) == (1, b"")
        assert "there is no" in done.err


class TestSources:
    def test_what_was_found_read_and_left_out(self, memoryd: Memoryd, user: Path) -> None:
        make_home(user)
        path = next(user.rglob(f"{CLAUDE}.jsonl"))
        extra = b'{"type":"progress","sessionId":"x"}\ngarbage\n{"type":"user"'
        path.write_bytes(path.read_bytes() + extra)
        memoryd("ingest")

        listed = {one["name"]: one for one in memoryd("sources", "--json").json["sources"]}
        claude = listed["claude-code"]
        text = memoryd("sources").out.decode()

        assert (claude["found"], claude["sessions"], claude["messages"]) == (True, 1, 5)
        assert claude["skipped"] == {"progress": 1}
        assert claude["rejected"] == {"not JSON": 1}
        assert claude["bytes"] == {
            "ingested": path.stat().st_size - 7 - 14,
            "quarantined": 7,
            "pending": 14,
        }
        assert (listed["cursor"]["found"], listed["cursor"]["messages"]) == (False, 0)
        assert "claude-code: 1 progress, 1 damaged: not JSON" in text

    def test_what_was_read_by_hand_is_listed_too(self, memoryd: Memoryd, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl").write_bytes(claude_session(CLAUDE, [("user", "hello")]))
        memoryd("ingest", str(tmp_path))

        listed = {one["name"]: one for one in memoryd("sources", "--json").json["sources"]}

        assert (listed["claude-code"]["found"], listed["claude-code"]["messages"]) == (False, 1)
