"""Entries are read with their place, and a hand edit is seen for what it is."""

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory_files.changes import compare_entries, read_entries
from memoryd.memory_files.contents import POINTER
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.profiles import find_profile

LISTS = st.lists(st.sampled_from("abcdef"), max_size=8)


def test_entries_are_read_with_heading_and_place() -> None:
    text = f"# 偏好\n- likes tea <!-- importance: 2 -->\n```\ncode\n```\n- {POINTER}\n"
    [entry] = read_entries(
        MemoryFile(Path("/w/MEMORY.md"), text.encode()), find_profile("openclaw")
    )

    assert (entry.content, entry.heading) == ("likes tea", "偏好")
    assert text[entry.start : entry.end] == "- likes tea <!-- importance: 2 -->"


@pytest.mark.parametrize(
    ("before", "after", "added", "removed", "reworded"),
    [
        ("abc", "cab", "", "", []),
        ("abc", "aBc", "", "", [("b", "B")]),
        ("abc", "abcd", "d", "", []),
        ("abc", "ac", "", "b", []),
        ("abc", "aXYc", "XY", "b", []),
        ("ab", "ba", "", "", []),
        ("aab", "ab", "", "a", []),
        ("", "", "", "", []),
        ("aababb", "aabbaac", "c", "", [("b", "a")]),
    ],
)
def test_changes_are_what_came_went_and_was_reworded(
    before: str, after: str, added: str, removed: str, reworded: list[tuple[str, str]]
) -> None:
    changes = compare_entries(list(before), list(after))

    assert ("".join(changes.added), "".join(changes.removed)) == (added, removed)
    assert list(changes.reworded) == reworded


@given(LISTS, LISTS)
def test_changes_account_for_every_entry(before: list[str], after: list[str]) -> None:
    changes = compare_entries(before, after)
    result = (
        Counter(before) - Counter(changes.removed) - Counter(old for old, _ in changes.reworded)
    )
    result += Counter(changes.added) + Counter(new for _, new in changes.reworded)

    assert result == Counter(after)
