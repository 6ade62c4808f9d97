"""What is cut out of a message before anything is judged."""

import time

import pytest

from memoryd.memory.gate.zones import Zone, find_zones, gaps

PROSE = [
    "We use tabs, never spaces.",
    "Format with `ruff format`, line length 110.",
    "1. type-check with pyright\n2. enjoy the coffee",
    "以后每次发版都要写更新说明。",
    "The error: it always says 404 on Mondays.",
    "I'm at 10:30 in Lyon, and then home.",
    "Some background:\n- the app is split in two\n- one half is old",
    "Nein, das Büro ist im dritten Stock.",
]
CUT = [
    ("code", "before\n```py\nx = 1\n```\nafter", "```py\nx = 1\n```"),
    ("block quote", "she wrote\n> always use tabs\nreally", "> always use tabs"),
    (
        "tag",
        "a <system-reminder>\nuse tabs\n</system-reminder> b",
        "<system-reminder>\nuse tabs\n</system-reminder>",
    ),
    (
        "mail",
        "see below\nOn Mon, 3 Mar 2031, Jo Doe wrote:\nhello",
        "On Mon, 3 Mar 2031, Jo Doe wrote:\nhello",
    ),
    (
        "mail",
        "siehe unten\n-----Ursprüngliche Nachricht-----\nhallo",
        "-----Ursprüngliche Nachricht-----\nhallo",
    ),
    (
        "session",
        "This session is being continued from a previous one.",
        "This session is being continued from a previous one.",
    ),
    (
        "document",
        "Implement the following plan:\n\nWe use tabs.",
        "Implement the following plan:\n\nWe use tabs.",
    ),
    ("document", "hi\n# A\ntext\n## B\nmore\n## C\nend", "# A\ntext\n## B\nmore\n## C\nend"),
    ("output", "2031-03-04T09:12:44Z INFO started", "2031-03-04T09:12:44Z INFO started"),
    ("output", "[10:02:11] disk at 91%", "[10:02:11] disk at 91%"),
    ("output", "npm ERR! code ERESOLVE", "npm ERR! code ERESOLVE"),
    ("output", "Fehler 0x80070005: Zugriff verweigert", "Fehler 0x80070005: Zugriff verweigert"),
    ("output", '{"prefer": "dark"}', '{"prefer": "dark"}'),
    ("output", "API_KEY=abc", "API_KEY=abc"),
    ("output", "src/app.py:14: undefined name", "src/app.py:14: undefined name"),
    ("output", "4be1c02 Decide on NATS", "4be1c02 Decide on NATS"),
    ("output", "| a | b |", "| a | b |"),
]


@pytest.mark.parametrize("text", PROSE)
def test_what_people_write_is_no_zone(text: str) -> None:
    assert [] == find_zones(text)


@pytest.mark.parametrize(("reason", "text", "cut"), CUT)
def test_what_is_nobodys_own_words_is_cut_out(reason: str, text: str, cut: str) -> None:
    start = text.index(cut)

    assert [Zone(start, start + len(cut), reason)] == find_zones(text)


def test_everything_below_a_command_is_what_it_printed() -> None:
    text = "$ git status\nOn branch main\nYour branch is up to date.\n\nWe always use main."

    assert "On branch main\nYour branch is up to date.\n" in text
    assert ["\n\nWe always use main."] == [
        text[gap.start : gap.end]
        for gap in gaps(find_zones(text), len(text))
        if gap.end == len(text)
    ]


def test_a_line_without_an_end_hangs_on_to_the_output_above() -> None:
    zones = find_zones("ERROR disk full\nretry failed\nSo we always keep ten gigabytes free.")

    assert 2 == len(zones)


def test_readings_are_output_though_no_line_looks_like_a_log() -> None:
    assert 2 == len(find_zones("Load: 93%\nDisk: 88%"))


def test_an_unclosed_tag_cuts_nothing() -> None:
    assert [] == find_zones("the <b> tag is never closed here")


@pytest.mark.parametrize(
    "unit", ["<a>", "</a>", "> ", "error: ", "# a\n", "{\n", '"a":', " ", "on ", "-", "at (", "| "]
)
def test_time_is_linear_on_hostile_text(unit: str) -> None:
    small, large = unit * (5_000 // len(unit)), unit * (100_000 // len(unit))
    find_zones(small)
    start = time.perf_counter()
    find_zones(small)
    middle = time.perf_counter()
    find_zones(large)
    end = time.perf_counter()

    assert end - middle < 80 * (middle - start) + 1.5


def test_many_different_tags_are_matched_in_linear_time() -> None:
    text = "".join(f"<t{number}>" for number in range(20_000))
    start = time.perf_counter()

    assert [] == find_zones(text)
    assert time.perf_counter() - start < 2
