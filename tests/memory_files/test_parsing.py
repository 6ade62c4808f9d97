"""Parsing loses nothing: the pieces of any file join to its bytes again."""

import sysconfig
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memoryd.memory_files.documents import Document
from memoryd.memory_files.markdown import BLOCK_BEGIN, BLOCK_END, parse_markdown
from memoryd.memory_files.profiles import PROFILES
from memoryd.memory_files.sections import (
    DELIMITER,
    has_drifted,
    join_sections,
    parse_sections,
    read_newlines,
)
from memoryd.memory_files.units import decode, encode

SHARED = Path(__file__).parents[2] / ".." / "shared"

# Fragments that begin, end and break every construct, joined at random.
FRAGMENTS = st.sampled_from(
    [
        "---\n", "...\n", "# Title\n", "## 偏好\n", "##\n", "- item\n", "* star\r\n", "  - nested\n", "12. twelve\n",
        "   continued\n", "lazy words\n", "\n", "\r\n", "\r", " \t\n", "```\n", "```py\n", "~~~~\n", "    code\n",
        "<!-- trigger: a, b -->\n", "<!-- open", "-->", "<!-- openclaw-memory-promotion:k1 -->\n", f"{BLOCK_BEGIN}\n",
        f"{BLOCK_END}\n", "[ref]: http://x\n", "| a | b |\n", "> quote\n", "***\n", "===\n", "§", "\n§\n", "\r\n§\r\n",
        "中文 text", "\u2028", "\x0c", "\x1f", "\ufeff", "\x00", "-", "- ", "`", "x",
    ]
)  # fmt: skip
TEXTS = st.lists(FRAGMENTS, max_size=30).map("".join)


@given(st.binary(max_size=400) | TEXTS.map(encode))
@example(b"\xff\xfe- a\n\x80\n")
@example(b"\xed\xa0\x80")
def test_any_bytes_survive_every_parser(data: bytes) -> None:
    for parse in (parse_markdown, parse_sections):
        assert encode(parse(decode(data)).text) == data


@given(TEXTS)
def test_an_entry_is_never_empty_and_begins_where_its_span_says(text: str) -> None:
    for parse in (parse_markdown, parse_sections):
        for piece, start, end in parse(text).spans():
            assert text[start:end] == piece.text
            assert piece.text.strip()


@given(TEXTS)
@example("a\n§\n§\nb")
@example("a\r\n§\r\n\r\n§\nb\r")
def test_hermes_entries_are_those_hermes_reads(text: str) -> None:
    seen = read_newlines(text)
    expected = [entry.strip() for entry in seen.split(DELIMITER) if entry.strip()]

    assert [piece.content for piece in parse_sections(text).entries] == expected


@given(st.lists(st.text(min_size=1).map(str.strip).filter(bool), max_size=8))
def test_joined_sections_have_not_drifted(contents: list[str]) -> None:
    assert not has_drifted(read_newlines(join_sections(contents)))


@pytest.mark.parametrize(
    ("text", "drifted"),
    [
        ("a\n§\nb", False),
        ("a\n§\nb\n", False),
        ("a\r\n§\r\nb", False),
        ("a \n§\nb", True),
        ("a\n\n§\n\nb", True),
        ("a\n§\n\n§\nb", True),
        ("# Notes\n- one\n- two", False),
    ],
)
def test_drift_is_what_hermes_refuses(text: str, drifted: bool) -> None:
    assert has_drifted(text) == drifted


def contents(text: str) -> list[str]:
    return [piece.content for piece in parse_markdown(text).entries]


def kinds(text: str) -> list[str]:
    return [piece.kind for piece in parse_markdown(text).entries]


def test_list_items_keep_what_is_indented_below_them() -> None:
    text = "- one\n  more\n  - nested\n\n  after a gap\n- two\n\nprose\nof two lines\n"

    assert contents(text) == [
        "one\nmore\n- nested\n\nafter a gap",
        "two",
        "prose\nof two lines",
    ]
    assert kinds(text) == ["item", "item", "paragraph"]


def test_front_matter_headings_comments_and_rules_are_no_entries() -> None:
    text = "---\nname: x\n- no: item\n---\n# Title\n<!-- a\nb -->\n---\n[x]: http://x\n\n- real\n"

    assert contents(text) == ["real"]


def test_unclosed_front_matter_is_ordinary_text() -> None:
    assert contents("---\n- item\n") == ["item"]


def test_code_is_one_entry_and_its_lines_are_not_items() -> None:
    text = "```sh\n- not an item\n# not a heading\n```\n- item\n  ```\n  - inside\n  ```\n"

    assert kinds(text) == ["code", "item"]


def test_an_unclosed_fence_reaches_to_the_end() -> None:
    assert kinds("```\n- a\n\n- b") == ["code"]


def test_entries_know_their_heading() -> None:
    document = parse_markdown("top\n# One ##\n- a\n## 二\n- b\n")

    assert [(piece.content, piece.heading) for piece in document.entries] == [
        ("top", ""),
        ("a", "One"),
        ("b", "二"),
    ]


def test_only_entries_in_memoryds_block_are_managed() -> None:
    document = parse_markdown(
        f"- theirs\n{BLOCK_BEGIN}\n- ours\n\n- also ours\n{BLOCK_END}\n- theirs again\n"
    )

    assert [piece.managed for piece in document.entries] == [False, True, True, False]


def test_annotations_belong_to_their_entry_but_not_to_its_words() -> None:
    text = (
        "<!-- openclaw-memory-promotion:memory/2026-11-01.md#L1 -->\n"
        "- The port is 8080 <!-- importance: 9 --> <!-- trigger: port, 端口 -->\n"
    )
    [piece] = parse_markdown(text).entries

    assert piece.content == "The port is 8080"
    assert piece.text == text.rstrip("\n")


def readmes() -> Iterator[Path]:
    site = Path(sysconfig.get_path("purelib"))
    patterns = ("*/METADATA", "*/licenses/*", "**/*.md")
    yield from (path for pattern in patterns for path in site.glob(pattern) if path.is_file())


def test_the_texts_of_installed_packages_survive() -> None:
    found = list(readmes())
    assert len(found) > 20
    for path in found:
        check_survival(path)


def test_every_markdown_file_at_hand_survives() -> None:
    if not SHARED.is_dir():
        pytest.skip("the shared samples are not here")
    for path in SHARED.rglob("*.md"):
        check_survival(path)


def check_survival(path: Path) -> None:
    data = path.read_bytes()
    for profile in PROFILES.values():
        document: Document = profile.parse("MEMORY.md", decode(data))
        assert encode(document.text) == data, path
