"""Edits are applied where they fit, and never anywhere else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory_files.editing import Edit, apply_edits, derive_edits, make_diff, merge_versions
from memoryd.memory_files.markdown import BLOCK_BEGIN, BLOCK_END
from memoryd.memory_files.profiles import Profile, find_profile
from memoryd.memory_files.sections import join_sections, parse_sections

HERMES = find_profile("hermes")
OPENCLAW = find_profile("openclaw")
GENERIC = find_profile("generic")
GEMINI = find_profile("gemini")

ENTRIES = st.lists(st.sampled_from("abcdefgh"), max_size=6, unique=True)


def hermes(entries: list[str]) -> bytes:
    return join_sections(entries).encode()


@given(ENTRIES, ENTRIES)
def test_edits_turn_one_version_into_the_other(old: list[str], new: list[str]) -> None:
    edits = derive_edits(parse_sections(join_sections(old)), parse_sections(join_sections(new)))
    result = apply_edits(join_sections(old), edits, HERMES, "MEMORY.md")

    assert result is not None
    assert sorted(piece.content for piece in parse_sections(result).entries) == sorted(new)


@given(ENTRIES, ENTRIES, ENTRIES)
def test_a_merge_drops_nothing_that_nobody_removed(
    base: list[str], theirs: list[str], ours: list[str]
) -> None:
    merged = merge_versions(hermes(base), hermes(theirs), hermes(ours), HERMES, "MEMORY.md")
    if merged is None:
        return
    result = {piece.content for piece in parse_sections(merged.decode()).entries}

    assert result >= set(theirs) - (set(base) - set(ours))
    assert result >= set(ours) - set(base)
    assert not result & (set(base) - set(ours) - set(theirs))


@given(ENTRIES, ENTRIES)
def test_a_side_that_did_nothing_lets_the_other_have_its_way(
    base: list[str], other: list[str]
) -> None:
    assert merge_versions(hermes(base), hermes(other), hermes(base), HERMES, "MEMORY.md") == hermes(
        other
    )
    merged = merge_versions(hermes(base), hermes(base), hermes(other), HERMES, "MEMORY.md")

    assert merged is not None
    assert sorted(merged.decode().split("\n§\n")) == sorted(hermes(other).decode().split("\n§\n"))


def test_the_same_entry_changed_by_both_is_a_conflict() -> None:
    assert (
        merge_versions(
            hermes(["a"]), hermes(["a by hand"]), hermes(["a, denser"]), HERMES, "MEMORY.md"
        )
        is None
    )


@pytest.mark.parametrize(
    ("text", "removed", "expected"),
    [
        ("- a\n- b\n- c\n", "b", "- a\n- c\n"),
        ("- a\n- b", "b", "- a"),
        ("- a\r\n- b\r\n- c\r\n", "a", "- b\r\n- c\r\n"),
        ("- a\n\n# H\n", "a", "\n# H\n"),
        ("- a", "a", ""),
        ("- a\n  Source: x\n- b\n", "a\nSource: x", "- b\n"),
    ],
)
def test_an_entry_goes_with_its_line_and_nothing_else(
    text: str, removed: str, expected: str
) -> None:
    assert apply_edits(text, [Edit((removed,))], OPENCLAW, "MEMORY.md") == expected


@pytest.mark.parametrize(
    ("profile", "text", "expected"),
    [
        (OPENCLAW, "", "- new\n"),
        (OPENCLAW, "# T\n- a\n\nprose\n", "# T\n- a\n- new\n\nprose\n"),
        (OPENCLAW, "prose", "prose\n- new\n"),
        (GENERIC, "mine", f"mine\n\n{BLOCK_BEGIN}\n- new\n{BLOCK_END}\n"),
        (
            GENERIC,
            f"- mine\n{BLOCK_BEGIN}\n{BLOCK_END}\n",
            f"- mine\n{BLOCK_BEGIN}\n- new\n{BLOCK_END}\n",
        ),
        (
            GENERIC,
            f"{BLOCK_BEGIN}\n- a\n{BLOCK_END}\n- b\n",
            f"{BLOCK_BEGIN}\n- a\n- new\n{BLOCK_END}\n- b\n",
        ),
        (GEMINI, "- mine\n", "- mine\n\n## Gemini Added Memories\n- new\n"),
        (
            GEMINI,
            "## Gemini Added Memories\n- a\n## Mine\n- b\n",
            "## Gemini Added Memories\n- a\n- new\n## Mine\n- b\n",
        ),
        (HERMES, "a", "a\n§\nnew"),
        (HERMES, "", "new"),
    ],
)
def test_a_new_entry_finds_its_place(profile: Profile, text: str, expected: str) -> None:
    assert apply_edits(text, [Edit((), ("new",))], profile, "MEMORY.md") == expected


def test_an_entry_outside_the_managed_text_cannot_be_removed() -> None:
    assert apply_edits("- mine\n", [Edit(("mine",))], GENERIC, "MEMORY.md") is None


def test_several_lines_stay_one_entry() -> None:
    text = apply_edits("1. a\n- b\n", [Edit(("a",), ("one\ntwo",))], OPENCLAW, "MEMORY.md")

    assert text == "1. one\n   two\n- b\n"


def test_a_diff_shows_bytes_that_are_no_text_too() -> None:
    diff = make_diff(b"a\n\xff\n", b"a\nb", "MEMORY.md")

    assert "-\ufffd\n" in diff
    assert "+b\n\\ No newline at end of file\n" in diff
