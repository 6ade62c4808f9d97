"""What the agents load, to the character. The golden vectors come from running openclaw 2026.9.6 as published."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory_files.budgets import Loading, plan_loading
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.profiles import PROFILES, Profile, find_profile
from memoryd.memory_files.units import measure

OPENCLAW = find_profile("openclaw")
OLD_OPENCLAW = find_profile("openclaw-2026.1")
HERMES = find_profile("hermes")
CLAUDE_CODE = find_profile("claude-code")
WORKSPACE = Path("/workspace")


def load(profile: Profile, **texts: str | None) -> dict[str, Loading]:
    """Plan files named by keyword, e.g. MEMORY="…"."""
    files = [
        MemoryFile(WORKSPACE / f"{name}.md", None if text is None else text.encode())
        for name, text in texts.items()
    ]
    return {loading.file.path.stem: loading for loading in plan_loading(files, profile)}


@pytest.mark.parametrize(
    ("name", "text", "loaded", "head", "tail"),
    [
        ("MEMORY", "x" * 20_000, 20_000, None, None),
        ("MEMORY", "x" * 20_001, 19_999, 14_917, 4_972),
        ("MEMORY", "x" * 25_000, 19_999, 14_917, 4_972),
        ("USER", "x" * 4_000, 4_000, None, None),
        ("USER", "x" * 4_001, 3_999, 2_922, 974),
        ("MEMORY", "😀" * 15_000, 19_998, 14_917, 4_972),
        ("MEMORY", "x" * 20_000 + " \n\ufeff", 20_000, None, None),
    ],
)
def test_golden_vectors_of_one_file(
    name: str, text: str, loaded: int, head: int | None, tail: int | None
) -> None:
    loading = load(OPENCLAW, **{name: text})[name]

    assert (loading.loaded, loading.cut.head, loading.cut.tail) == (loaded, head, tail)


def test_a_remainder_below_64_skips_the_file() -> None:
    memory = load(
        OPENCLAW, SOUL="x" * 20_000, IDENTITY="x" * 20_000, AGENTS="x" * 19_950, MEMORY="m" * 500
    )["MEMORY"]

    assert (memory.limit, memory.loaded, memory.cause) == (50, 0, "max/total")


def test_a_remainder_of_100_cuts_the_file_to_99_with_the_compact_marker() -> None:
    memory = load(
        OPENCLAW, SOUL="x" * 20_000, IDENTITY="x" * 20_000, AGENTS="x" * 19_900, MEMORY="m" * 500
    )["MEMORY"]

    assert (memory.limit, memory.loaded, memory.cause) == (100, 99, "max/total")
    assert (memory.cut.head, memory.cut.tail) == (58, 19)


def test_a_limit_of_100_cuts_alike() -> None:
    memory = load(OPENCLAW.with_limits({"*": 100}), MEMORY="m" * 500)["MEMORY"]

    assert (memory.loaded, memory.cut.head, memory.cut.tail, memory.cause) == (
        99,
        58,
        19,
        "max/file",
    )


# limit, total, [(name, characters or None for missing)] -> {name: loaded}, as the published package answered
MEASURED: list[tuple[int, int, list[tuple[str, int | None]], dict[str, int]]] = [
    (
        3,
        30_000,
        [("SOUL", None), ("IDENTITY", 20_000), ("MEMORY", 99)],
        {"IDENTITY": 3, "MEMORY": 3},
    ),
    (10, 63, [("SOUL", 4_754), ("MEMORY", None)], {"SOUL": 0, "MEMORY": 0}),
    (1, 60_000, [("SOUL", 65), ("IDENTITY", 0)], {"SOUL": 1, "IDENTITY": 0}),
    (
        150,
        400,
        [("SOUL", 231), ("IDENTITY", 40_000), ("MEMORY", 500)],
        {"SOUL": 149, "IDENTITY": 149, "MEMORY": 102},
    ),
    (20_000, 64, [("SOUL", 231), ("IDENTITY", 40_000)], {"SOUL": 63, "IDENTITY": 0}),
]


@pytest.mark.parametrize(("limit", "total", "sizes", "expected"), MEASURED)
def test_measured_corners(
    limit: int, total: int, sizes: list[tuple[str, int | None]], expected: dict[str, int]
) -> None:
    texts = {name: None if size is None else "x" * size for name, size in sizes}
    loadings = load(OPENCLAW.with_limits({"*": limit}, total), **texts)

    assert {name: loadings[name].loaded for name in expected} == expected


def test_a_missing_file_is_charged_with_its_marker() -> None:
    loadings = load(OPENCLAW, SOUL=None, MEMORY="x")
    marker = len("[MISSING] Expected at: /workspace/SOUL.md")

    assert (loadings["SOUL"].loaded, loadings["SOUL"].cause) == (marker, "missing")


def test_files_are_loaded_in_the_agents_order_however_they_are_given() -> None:
    loadings = load(
        OPENCLAW, MEMORY="m", USER="u", AGENTS="a", SOUL="s", IDENTITY="i", BOOTSTRAP="b"
    )

    assert list(loadings) == ["AGENTS", "SOUL", "IDENTITY", "USER", "BOOTSTRAP", "MEMORY"]


def test_agents_md_of_the_newer_version_reports_head_and_tail_and_charges_its_whole_limit() -> None:
    agents = load(OPENCLAW, AGENTS="x" * 25_000)["AGENTS"]

    assert (agents.cut.head, agents.cut.tail, agents.charged) == (9_000, 3_000, 20_000)


def test_eight_files_of_the_older_version_leave_15000_for_memory() -> None:
    sizes = {
        "AGENTS": 10_000,
        "SOUL": 9_000,
        "TOOLS": 8_000,
        "IDENTITY": 7_000,
        "USER": 5_000,
        "HEARTBEAT": 4_000,
        "BOOTSTRAP": 2_000,
    }
    memory = load(
        OLD_OPENCLAW, MEMORY="m" * 20_000, **{name: "x" * size for name, size in sizes.items()}
    )["MEMORY"]

    assert (memory.limit, memory.cause) == (15_000, "max/total")
    assert 14_990 <= memory.loaded <= 15_000


def test_the_older_version_skips_memory_when_59950_are_used() -> None:
    names = ("AGENTS", "SOUL", "TOOLS")
    sizes = dict(zip(names, (20_000, 20_000, 19_950), strict=True))
    loadings = load(
        OLD_OPENCLAW, MEMORY="m" * 100, **{name: "x" * size for name, size in sizes.items()}
    )

    assert (loadings["MEMORY"].loaded, loadings["MEMORY"].limit) == (0, 50)


def test_the_older_version_has_no_cap_for_the_user_and_no_digest() -> None:
    loadings = load(OLD_OPENCLAW, USER="x" * 4_001, AGENTS="x" * 20_001)

    assert loadings["USER"].cause is None
    assert (loadings["AGENTS"].cut.head, loadings["AGENTS"].cut.tail) == (14_917, 4_972)


def test_the_cap_for_the_user_can_only_be_lowered() -> None:
    assert load(OPENCLAW.with_limits({"*": 9_000}), USER="x")["USER"].limit == 4_000
    assert load(OPENCLAW.with_limits({"*": 3_000}), USER="x")["USER"].limit == 3_000


def test_hermes_counts_delimiters_and_loads_an_overlong_file_whole() -> None:
    memory = load(HERMES, MEMORY="\n§\n".join(["e" * 1_000] * 3) + "\n")["MEMORY"]

    assert (memory.raw, memory.limit, memory.loaded) == (3_006, 2_200, 3_006)
    assert memory.is_over
    assert not memory.is_cut


def test_hermes_counts_code_points() -> None:
    assert load(HERMES, USER="😀中")["USER"].raw == 2


def test_hermes_cuts_a_long_persona_in_the_middle() -> None:
    soul = load(HERMES, SOUL="x" * 30_000)["SOUL"]

    assert (soul.cut.head, soul.cut.tail, soul.cause) == (14_000, 4_000, "max/file")


@pytest.mark.parametrize(
    ("text", "unit", "raw", "loaded", "cause"),
    [
        ("line\n" * 200, "lines", 201, 200, "max/lines"),
        ("\n".join(["line"] * 200), "lines", 200, 200, None),
        ("\n".join(["line"] * 300), "lines", 300, 200, "max/lines"),
        ("\n".join(["x" * 999] * 30), "utf16", 29_999, 24_999, "max/file"),
        ("x" * 30_000, "utf16", 30_000, 25_000, "max/file"),
        ("\n".join(["x" * 99] * 20), "lines", 20, 20, None),
    ],
)
def test_claude_code_loads_200_lines_or_25_kb(
    text: str, unit: str, raw: int, loaded: int, cause: str | None
) -> None:
    memory = load(CLAUDE_CODE, MEMORY=text.rstrip("\n") if raw != 201 else text + "last")["MEMORY"]

    assert (memory.unit, memory.raw, memory.loaded, memory.cause) == (unit, raw, loaded, cause)


def test_topic_notes_are_loaded_on_demand_only() -> None:
    notes = load(CLAUDE_CODE, debugging="x" * 99_999)["debugging"]

    assert (notes.loaded, notes.cause, notes.is_over) == (0, "on demand", False)


def test_plain_markdown_has_no_limit() -> None:
    loading = load(find_profile("generic"), NOTES="x" * 99_999)["NOTES"]

    assert (loading.limit, loading.loaded, loading.is_over) == (None, 99_999, False)


@given(
    st.sampled_from(sorted(PROFILES)),
    st.text("ab😀中 \n", max_size=300),
    st.integers(1, 250),
    st.integers(1, 600),
)
def test_no_file_ever_loads_more_than_its_limit_and_what_is_said_to_be_kept_is(
    name: str, text: str, limit: int, total: int
) -> None:
    profile = find_profile(name)
    limits = {"*": limit}
    profile = profile.with_limits(limits, total if profile.total else None)
    for loading in plan_loading(
        [
            MemoryFile(WORKSPACE / f"{stem}.md", text.encode())
            for stem in ("AGENTS", "USER", "MEMORY")
        ],
        profile,
    ):
        if loading.is_cut and loading.rule.cut != "none":
            assert loading.limit is not None
            assert loading.loaded <= loading.limit
            kept = loading.text[: loading.cut.head_end] + loading.text[loading.cut.tail_start :]
            assert measure(kept, loading.unit) <= loading.limit
            assert loading.cut.head_end <= loading.cut.tail_start
