"""Which pairs are compared: many of a kind that only their number tells apart do not crowd out what says the same."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory.consolidation import ConsolidationPolicy, plan_consolidation
from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.memory.consolidation.partners import nearest
from memoryd.memory.consolidation.sketching import sketch_of
from memoryd.memory.consolidation.updates import judge
from memoryd.model import Entry

START = datetime(2026, 3, 1, tzinfo=UTC)
OF_A_KIND = (
    "Never run the night backup {n} on Fridays.",
    "The parcel desk {n} is maintained by Odile.",
    "Port of the search page {n}: 8080",
    "The deploy job {n} may wait 30 seconds.",
    "The meeting is in room {n}.",
    "We use Node {n} for the search page.",
    "The API listens on port {n}.",
    "The album {n} now waits for Kofi.",
    "周五不要运行发票任务 {n}。",
    "夜间备份 {n}由 Bao 维护。",
    "快递柜 {n}监听 3650 端口。",
    "默认端口 {n}",
    "Ingrid betreut das Fotoalbum {n}.",
    "El álbum de fotos {n} es gestionado por Yara.",
    "Kofi gère le capteur du jardin {n}.",
    "検索ページ {n}は56秒待つ。",
    "사진 앨범 {n}는 30초 기다린다.",
)


@given(
    st.sampled_from(OF_A_KIND),
    st.sampled_from(OF_A_KIND),
    st.lists(st.integers(2, 30_000), min_size=2, max_size=2, unique=True),
)
def test_what_is_not_compared_would_have_been_kept_apart(
    one: str, other: str, numbers: list[int]
) -> None:
    """The shortcut for two of a kind never decides otherwise than the guards would, whatever is told of each."""
    texts = [text.format(n=n) for text, n in zip((one, other), numbers, strict=True)]
    sketches = [sketch_of(one, japanese=False) for one in texts]
    if list(nearest(sketches, [(0, set()), (1, {0})])):
        return
    first, second, comparison = compare_texts(*texts)
    assert not comparison.merges
    assert judge(first, second, comparison).relation == "distinct"
    assert judge(second, first, comparison.turned()).relation == "distinct"


def test_two_of_a_kind_are_not_compared() -> None:
    told = [text.format(n=n) for text in OF_A_KIND[:1] + OF_A_KIND[8:10] for n in (17, 24)]
    sketches = [sketch_of(one, japanese=False) for one in told]
    assert not list(nearest(sketches, [(i, set(range(i))) for i in range(len(told))]))


def test_a_restatement_is_found_among_hundreds_of_its_kind() -> None:
    texts = [f"The night backup {n} is maintained by Odile." for n in range(300, 600)]
    texts.append("Odile maintains the night backup 444.")
    entries = [
        Entry(id=f"e-{i:03}", content=text, created_at=at, updated_at=at)
        for i, text in enumerate(texts)
        for at in [START + timedelta(minutes=i)]
    ]
    plan = plan_consolidation(entries, None, ConsolidationPolicy(max_change_percent=100), START)
    assert [{merge.into, *merge.from_ids} for merge in plan.merges] == [{"e-144", "e-300"}]
    assert not plan.supersedes


def test_what_replaces_or_says_the_same_is_near_enough() -> None:
    """Of the rows of the tables that are decided as they should be, those that two entries alone would not even meet."""
    rows = [
        line.split("\t")[:2]
        for line in (Path(__file__).parent / "newer.tsv").read_text("utf-8").splitlines()
    ]
    lost = [
        row
        for row in rows
        if not list(
            nearest([sketch_of(one, japanese=False) for one in row], [(0, set()), (1, {0})])
        )
    ]

    assert len(lost) * 50 <= len(rows)
