"""The profiles say what MEMORY_FILES.md says, and configuration changes limits and nothing else."""

from dataclasses import replace

import pytest

from memoryd.errors import UsageError
from memoryd.memory_files.profiles import PROFILES, find_profile
from memoryd.memory_files.profiles.generic import join_markdown

# profile, file, purpose, unit, limit, permission
RULES: list[tuple[str, str, str, str, int | None, str]] = [
    ("hermes", "MEMORY.md", "memory", "codepoints", 2_200, "direct"),
    ("hermes", "USER.md", "user", "codepoints", 1_375, "direct"),
    ("hermes", "SOUL.md", "persona", "codepoints", 20_000, "never"),
    ("hermes", "ARCHIVE.jsonl", "notes", "codepoints", None, "never"),
    ("openclaw", "AGENTS.md", "rules", "utf16", 20_000, "never"),
    ("openclaw", "SOUL.md", "persona", "utf16", 20_000, "never"),
    ("openclaw", "USER.md", "user", "utf16", 4_000, "ledger"),
    ("openclaw", "MEMORY.md", "memory", "utf16", 20_000, "ledger"),
    ("openclaw", "memory.md", "memory", "utf16", 20_000, "ledger"),
    ("openclaw", "2026-11-30.md", "notes", "utf16", None, "never"),
    ("openclaw", "TOOLS.md", "notes", "utf16", None, "never"),
    ("openclaw", "HEARTBEAT.md", "notes", "utf16", None, "never"),
    ("openclaw-2026.1", "TOOLS.md", "rules", "utf16", 20_000, "never"),
    ("openclaw-2026.1", "HEARTBEAT.md", "rules", "utf16", 20_000, "never"),
    ("openclaw-2026.1", "USER.md", "user", "utf16", 20_000, "ledger"),
    ("claude-code", "MEMORY.md", "memory", "utf16", 25_000, "direct"),
    ("claude-code", "debugging.md", "notes", "utf16", None, "never"),
    ("claude-code", "CLAUDE.md", "rules", "utf16", None, "never"),
    ("claude-code", "CLAUDE.local.md", "rules", "utf16", None, "never"),
    ("codex", "memory_summary.md", "memory", "bytes", 10_000, "propose"),
    ("codex", "MEMORY.md", "notes", "bytes", None, "propose"),
    ("gemini", "GEMINI.md", "memory", "codepoints", None, "propose"),
    ("gemini", "QWEN.md", "memory", "codepoints", None, "propose"),
    ("generic", "NOTES.md", "memory", "codepoints", None, "direct"),
]


@pytest.mark.parametrize(("profile", "file", "purpose", "unit", "limit", "permission"), RULES)
def test_every_file_has_its_rule(
    profile: str, file: str, purpose: str, unit: str, limit: int | None, permission: str
) -> None:
    rule = find_profile(profile).rule(file)

    assert (rule.purpose, rule.unit, rule.limit, rule.permission) == (
        purpose,
        unit,
        limit,
        permission,
    )


@pytest.mark.parametrize(
    ("profile", "order"),
    [
        ("openclaw", "AGENTS SOUL IDENTITY USER BOOTSTRAP MEMORY"),
        ("openclaw-2026.1", "AGENTS SOUL TOOLS IDENTITY USER HEARTBEAT BOOTSTRAP MEMORY"),
    ],
)
def test_the_order_is_that_of_the_agent(profile: str, order: str) -> None:
    rules = find_profile(profile).rules

    assert " ".join(rule.name.removesuffix(".md") for rule in rules if rule.at_start) == order


def test_the_total_is_shared_by_openclaws_files_only() -> None:
    assert {name: profile.total for name, profile in PROFILES.items() if profile.total} == {
        "openclaw": 60_000,
        "openclaw-2026.1": 60_000,
    }


def test_only_hermes_takes_a_lock_of_its_own() -> None:
    assert {
        name: profile.sidecar_lock for name, profile in PROFILES.items() if profile.sidecar_lock
    } == {"hermes": ".lock"}


@pytest.mark.parametrize("name", PROFILES)
def test_every_name_has_a_rule_and_every_managed_file_a_permission(name: str) -> None:
    profile = find_profile(name)

    assert profile.rule("anything at all").name.startswith("*")
    for rule in profile.rules:
        assert (rule.manage == "nothing") == (rule.permission == "never")
        assert bool(rule.section) == (rule.manage == "section")
        assert rule.head_share + rule.tail_share <= 1


def test_limits_change_limits_and_nothing_else() -> None:
    profile = find_profile("hermes")
    changed = profile.with_limits({"MEMORY.md": 4_000})

    assert changed.rule("MEMORY.md") == replace(profile.rule("MEMORY.md"), limit=4_000)
    assert changed.rule("USER.md") == profile.rule("USER.md")
    assert profile.with_limits({}) == profile


@pytest.mark.parametrize("limit", [0, -5])
def test_a_limit_that_is_none_is_ignored(limit: int) -> None:
    assert find_profile("hermes").with_limits({"*": limit}).rule("MEMORY.md").limit == 2_200


def test_a_file_without_a_limit_gets_none_from_a_star() -> None:
    assert find_profile("openclaw").with_limits({"*": 5}).rule("notes.md").limit is None


def test_an_unknown_profile_names_the_known() -> None:
    with pytest.raises(UsageError, match="claude-code"):
        find_profile("clippy")


def test_a_joined_list_keeps_every_entry_one_item() -> None:
    assert join_markdown(["a", "b\nc"]) == "- a\n- b\n  c"


def test_the_persona_of_hermes_is_markdown_and_its_memory_is_not() -> None:
    hermes = find_profile("hermes")
    text = "# Nova\n\n- calm\n- precise\n"

    assert len(hermes.parse("SOUL.md", text).entries) == 2
    assert len(hermes.parse("MEMORY.md", text).entries) == 1
