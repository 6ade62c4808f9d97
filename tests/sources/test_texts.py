"""Times, keys, tool lines: small tools that must not stumble."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.sources.texts import (
    CALL_CHARS,
    block_texts,
    call_key,
    call_line,
    clip,
    content_key,
    join,
    lookup,
    parse_time,
)

NOON = datetime(2026, 1, 2, 12, 0, tzinfo=UTC)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


@pytest.mark.parametrize(
    "value",
    [
        "2026-01-02T12:00:00Z",
        "2026-01-02T12:00:00.000Z",
        "2026-01-02T12:00:00.000000+00:00",
        "2026-01-02T14:00:00+02:00",
        "2026-01-02 12:00:00",
        int(NOON.timestamp()),
        NOON.timestamp(),
        int(NOON.timestamp() * 1000),
        int(NOON.timestamp() * 1_000_000),
        str(int(NOON.timestamp())),
        str(int(NOON.timestamp() * 1000)),
    ],
)
def test_every_form_of_time(value: Any) -> None:
    assert parse_time(value) == NOON


@pytest.mark.parametrize(
    "value",
    [None, "", "yesterday", True, [], {}, 0, -5, 1, float("nan"), float("inf"), 10**40, "9" * 5000],
)
def test_what_is_no_time_is_none(value: Any) -> None:
    assert parse_time(value) is None


def test_a_time_without_zone_may_be_local() -> None:
    east = timezone(timedelta(hours=2))

    assert parse_time("2026-01-02 14:00:00", east) == NOON


@given(JSON)
def test_nothing_raises_on_any_json(value: Any) -> None:
    parse_time(value)
    call_line(value, value)
    call_key(value, "", value)
    block_texts(value)
    lookup(value, "a.0.b")


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("Bash", {"command": "git  status\n&& ls", "description": "x"}, "Bash: git status && ls"),
        ("Edit", {"file_path": "/a/b.py", "old_string": "x"}, "Edit: /a/b.py"),
        ("Grep", {"pattern": "TODO", "path": "src"}, "Grep: TODO src"),
        ("Task", {"description": "find it", "prompt": "long"}, "Task: find it"),
        ("shell", {"command": ["ls", "-l"]}, "shell: ls -l"),
        ("odd", {"zzz": "value"}, "odd: value"),
        ("raw", "*** Begin Patch", "raw: *** Begin Patch"),
        (None, None, "tool:"),
    ],
)
def test_a_call_is_one_line(name: Any, arguments: Any, expected: str) -> None:
    assert expected == call_line(name, arguments)


def test_a_long_call_is_cut() -> None:
    assert CALL_CHARS == len(call_line("Bash", {"command": "x" * 9000}))


@given(st.text(max_size=300), st.integers(0, 200))
def test_clipping_keeps_the_limit_and_both_ends(text: str, limit: int) -> None:
    clipped = clip(text, limit)

    assert len(clipped) <= limit or clipped == text
    if len(text) <= limit:
        assert text == clipped
    elif limit > 60:
        assert text.startswith(clipped[:10])
        assert text.endswith(clipped[-5:])


def test_texts_of_blocks() -> None:
    blocks = [
        "a",
        {"type": "text", "text": "b"},
        {"type": "image"},
        None,
        {"text": "c"},
        {"type": "text", "text": None},
    ]

    assert ["a", "b", "c"] == block_texts(blocks)
    assert "a\n\nb" == join([" a ", "", "b\n"])


def test_keys_tell_parts_apart() -> None:
    assert content_key("ab", "c") != content_key("a", "bc")
    assert content_key("a", None) == content_key("a", "")
    assert call_key("toolu_01ABCDEFGHIJKLMN", ":r", "s1") == call_key(
        "toolu_01ABCDEFGHIJKLMN", ":r", "s2"
    )
    assert call_key("call_0", "", "s1") != call_key("call_0", "", "s2")
