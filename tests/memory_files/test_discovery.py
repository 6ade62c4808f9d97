"""Files are found where the agents keep them, with the limits that the agents were given."""

import json
import os
from pathlib import Path

import pytest

from memoryd.errors import UsageError
from memoryd.memory_files.approvals import judge_write
from memoryd.memory_files.discovery import Place, discover_files, find_place
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.ledger import LedgerRecord
from memoryd.memory_files.profiles import find_profile
from memoryd.memory_files.reading import READ_BYTES, read_file


def make(path: Path, text: str = "") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def limits(place: Place) -> dict[str, int | None]:
    return {rule.name: rule.limit for rule in place.profile.rules}


def only(places: list[Place]) -> Place:
    [place] = places
    return place


def test_hermes_and_each_of_its_profiles_has_its_own_limits(home: Path) -> None:
    make(
        home / ".hermes/config.yaml",
        "model: x\nmemory:\n  memory_char_limit: 4000 # more\n  user_char_limit: 'no'\n",
    )
    make(home / ".hermes/profiles/office/memories/MEMORY.md", "a")
    main, work = discover_files({}, home)

    assert (limits(main)["MEMORY.md"], limits(main)["USER.md"]) == (4_000, 1_375)
    assert limits(work)["MEMORY.md"] == 2_200
    assert work.files[-1] == home / ".hermes/profiles/office/memories/MEMORY.md"


def test_hermes_home_is_respected(home: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    place = only(discover_files({"HERMES_HOME": str(tmp_path / "elsewhere")}, home))

    assert place.root == tmp_path / "elsewhere"


@pytest.mark.parametrize(
    "config",
    [
        "memory: [",
        "- list",
        "memory:\n  memory_char_limit: -1",
        "\x00",
        "memory: 3",
        "a: !!python/object:x",
    ],
)
def test_a_configuration_that_cannot_be_read_leaves_the_defaults(home: Path, config: str) -> None:
    make(home / ".hermes/config.yaml", config)

    assert limits(only(discover_files({}, home)))["MEMORY.md"] == 2_200


JSON5 = """// OpenClaw
{
\tagents: {
    defaults: { bootstrapMaxChars: 9000, 'bootstrapTotalMaxChars': 30000, workspace: "~/ws//one", },
    entries: { "ops": { bootstrapMaxChars: 3000, workspace: "%s" } }, /* end */
  },
  meta: { lastTouchedVersion: "2026.9.6" },
}
"""


def test_openclaws_workspaces_have_the_limits_of_their_agent(home: Path) -> None:
    make(home / "ws/one/MEMORY.md", "- a\n")
    make(home / "ops/AGENTS.md")
    make(home / ".openclaw/openclaw.json", JSON5 % (home / "ops"))
    make(home / ".openclaw/state/openclaw.sqlite")
    first, ops = discover_files({}, home)

    assert (first.profile.name, first.profile.total, limits(first)["SOUL.md"]) == (
        "openclaw",
        30_000,
        9_000,
    )
    assert (limits(first)["USER.md"], limits(ops)["USER.md"]) == (4_000, 3_000)
    assert [path.name for path in first.files] == [
        "AGENTS.md",
        "SOUL.md",
        "IDENTITY.md",
        "USER.md",
        "MEMORY.md",
    ]
    assert "MEMORY.md" not in [path.name for path in ops.files]
    assert first.ledger == home / ".openclaw/state/openclaw.sqlite"


@pytest.mark.parametrize(
    ("version", "files", "name"),
    [
        ("2026.1.30", [], "openclaw-2026.1"),
        ("2026.7.1-beta", [], "openclaw-2026.1"),
        ("2026.8.0", ["TOOLS.md"], "openclaw"),
        ("", ["TOOLS.md"], "openclaw-2026.1"),
        ("", ["SOUL.md"], "openclaw"),
    ],
)
def test_openclaws_version_is_detected(
    home: Path, version: str, files: list[str], name: str
) -> None:
    for file in ("AGENTS.md", *files):
        make(home / ".openclaw/workspace" / file)
    make(home / ".openclaw/openclaw.json", json.dumps({"meta": {"lastTouchedVersion": version}}))

    assert only(discover_files({}, home)).profile.name == name


def test_an_older_list_of_agents_is_read_too(home: Path) -> None:
    make(home / "w/SOUL.md")
    config = {
        "agents": {"list": [{"id": "w", "workspace": str(home / "w"), "bootstrapMaxChars": 77}]}
    }
    make(home / ".openclaw/openclaw.json", json.dumps(config))

    assert limits(only(discover_files({}, home)))["SOUL.md"] == 77


def test_claude_codes_projects_and_own_folder_are_found(home: Path) -> None:
    make(home / ".claude/CLAUDE.md")
    make(home / ".claude/projects/-a-b/memory/topic.md")
    make(home / ".claude/projects/-a-b/memory/MEMORY.md")
    make(home / "auto/MEMORY.md")
    make(home / ".claude/settings.json", json.dumps({"autoMemoryDirectory": "~/auto"}))
    places = discover_files({}, home)

    assert [place.root for place in places] == [
        home / ".claude",
        home / "auto",
        home / ".claude/projects/-a-b/memory",
    ]
    assert [path.name for path in places[-1].files] == ["MEMORY.md", "topic.md"]


def test_codex_gemini_and_projects_are_found(home: Path, tmp_path: Path) -> None:
    make(home / ".codex/config.toml", "project_doc_max_bytes = 1000\n")
    make(home / ".codex/memories/memory_summary.md")
    make(home / ".gemini/GEMINI.md")
    make(tmp_path / "project/CLAUDE.md")
    codex, gemini, project = discover_files({}, home, [tmp_path / "project"])

    assert limits(codex)["AGENTS.md"] == 1_000
    assert gemini.files == (home / ".gemini/GEMINI.md",)
    assert (project.profile.name, project.files) == (
        "claude-code",
        (tmp_path / "project/CLAUDE.md",),
    )


def test_nothing_there_is_nothing_found(home: Path) -> None:
    assert discover_files({}, home) == []


def test_the_place_of_one_file_is_the_nearest_known(home: Path) -> None:
    path = make(home / ".hermes/profiles/office/memories/MEMORY.md")
    place = find_place(path, {}, home)

    assert (place.profile.name, place.root) == ("hermes", home / ".hermes/profiles/office")


@pytest.mark.parametrize(
    ("names", "text", "profile"),
    [
        (["CLAUDE.md"], "", "claude-code"),
        (["QWEN.md"], "", "gemini"),
        (["MEMORY.md"], "a\n§\nb", "hermes"),
        (["MEMORY.md", "AGENTS.md", "SOUL.md"], "- a", "openclaw"),
        (["MEMORY.md", "AGENTS.md", "SOUL.md", "TOOLS.md"], "- a", "openclaw-2026.1"),
        (["MEMORY.md"], "- a", "generic"),
    ],
)
def test_an_unknown_place_is_judged_by_what_is_there(
    home: Path, names: list[str], text: str, profile: str
) -> None:
    for name in names:
        make(home / "x" / name)
    place = find_place(home / "x" / names[0], {}, home, data=text.encode())

    assert (place.profile.name, place.root) == (profile, home / "x")


def test_the_profile_that_the_user_names_wins_with_its_configured_limits(home: Path) -> None:
    make(home / ".hermes/config.yaml", "memory: {memory_char_limit: 99}")
    path = make(home / ".hermes/memories/MEMORY.md")

    assert find_place(path, {}, home, profile="openclaw").profile == find_profile("openclaw")
    assert limits(find_place(path, {}, home, profile="hermes"))["MEMORY.md"] == 99
    with pytest.raises(UsageError, match="hermes, openclaw"):
        find_place(path, {}, home, profile="nobody")


# --- reading


def test_only_regular_files_of_a_bearable_size_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "big").write_bytes(b"")
    os.truncate(tmp_path / "big", READ_BYTES + 1)
    for name in ("pipe", "big", "missing", "no\0name", "."):
        with pytest.raises(UsageError):
            read_file(tmp_path / name)
    assert read_file(tmp_path / "missing", missing_ok=True).data is None


def test_a_link_is_read_through_only_when_named(tmp_path: Path) -> None:
    make(tmp_path / "AGENTS.md", "a")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")

    assert read_file(tmp_path / "CLAUDE.md").text == "a"
    with pytest.raises(UsageError):
        read_file(tmp_path / "CLAUDE.md", follow=False)


# --- approval


FILE = MemoryFile(Path("/h/MEMORY.md"), b"- a\n")
TRUSTED = LedgerRecord(FILE.digest, trusted=True)


@pytest.mark.parametrize(
    ("profile", "name", "approved", "record", "readable", "reason"),
    [
        ("hermes", "MEMORY.md", ["hermes"], None, True, ""),
        ("hermes", "MEMORY.md", ["/h/MEMORY.md"], None, True, ""),
        ("hermes", "MEMORY.md", [], None, True, "not approved"),
        ("hermes", "MEMORY.md", ["/h", "openclaw"], None, True, "not approved"),
        ("openclaw", "MEMORY.md", ["openclaw"], None, True, ""),
        ("openclaw", "MEMORY.md", ["openclaw"], TRUSTED, True, "foreign write"),
        ("openclaw", "MEMORY.md", ["openclaw"], None, False, "cannot be read"),
        ("codex", "MEMORY.md", ["codex"], None, True, "proposes"),
        ("gemini", "GEMINI.md", ["gemini"], None, True, "proposes"),
        ("claude-code", "CLAUDE.md", ["claude-code"], None, True, "only reads"),
        ("openclaw", "SOUL.md", ["openclaw"], None, True, "only reads"),
    ],
)
def test_a_file_is_written_only_when_profile_ledger_and_user_agree(
    profile: str,
    name: str,
    approved: list[str],
    record: LedgerRecord | None,
    readable: bool,
    reason: str,
) -> None:
    file = MemoryFile(Path("/h") / name, FILE.data)
    judged = judge_write(
        file, find_profile(profile), approved, record=record, ledger_readable=readable
    )

    assert reason in judged
    assert bool(judged) == bool(reason)
