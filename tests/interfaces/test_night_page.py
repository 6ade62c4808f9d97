"""The page of a night is whole, loads nothing, and shows what anybody wrote as nothing but text."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.errors import UsageError
from memoryd.interfaces.html import Html, element, join, plot
from memoryd.interfaces.night_page import render_night
from memoryd.service.night.ledger import NIGHT
from memoryd.service.night.nightly import run_night
from memoryd.service.night.report import Forgotten, make_figures, read_night
from memoryd.store.reader import Reader
from memoryd.store.runs import runs_of_kind
from tests.service.archive_helpers import Life
from tests.service.fake_clock import FakeClock

VOID = {"meta"}
EVIL = "<script>alert(1)</script><img src=x onerror=alert(2)>\"'&${title}</style>"


class Checked(HTMLParser):
    """Counts elements and complains of those that are not closed in their order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def life(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Life:
    """Three nights; in the last two something is learned, joined, replaced, forgotten, and waits."""
    clock = FakeClock(monkeypatch)
    (tmp_path / "life").mkdir()
    life = Life(tmp_path / "life")
    life.write(1, [("user", "Always run `make lint` before you commit."), ("user", "so be it")])
    add(life, "The old trick with the cache is not used")
    run_night(life.home, life.config())
    clock.run(days=70)
    add(life, "The build uses Kamal 2 for deployment")
    add(life, "The build uses Kamal 2 for its deployment to production")
    add(life, "The staging server listens on port 8081")
    clock.run(hours=1)
    add(life, "The staging server listens on port 8082")
    add(life, f"The motto is {EVIL}", state="review")
    run_night(life.home, life.config())
    clock.run(days=1)
    life.write(2, [("user", f"We decided to use PostgreSQL 16 {EVIL} for orders."), ("user", "ok")])
    run_night(life.home, life.config())
    return life


def add(life: Life, content: str, **fields: Any) -> None:
    life.ask("memory.add", content=content, **fields)


def pages(life: Life) -> list[str]:
    """The page of each night, the last first."""
    with Reader(life.home) as reader:
        nights = [run.id for run in runs_of_kind(reader.connection, NIGHT, 10)]
    return [render_night(read_night(life.home, life.config(), night)) for night in nights]


def test_the_page_tells_what_happened(life: Life) -> None:
    last, second, first = (Checked(page) for page in pages(life))

    assert "Always run `make lint` before you commit." in first.text
    assert "The old trick with the cache is not used" in second.text
    assert "Forgotten" in second.text
    assert "The staging server listens on port 8081" in second.text
    assert "Replaced by newer values" in second.text
    assert "The last nights 3" in last.text
    assert last.tags.count("svg") == 8


def test_it_tells_what_waits_and_how_to_bring_back_what_is_gone(life: Life) -> None:
    second = Checked(pages(life)[1]).text

    assert "The motto is" in second.split("Learned")[0].split("Waits for you")[1]
    assert "memoryd review approve ID" in second
    assert "Never used (" in second
    assert "memoryd memory restore ID" in second


def test_a_merge_shows_every_text_before_and_the_one_after(life: Life, tmp_path: Path) -> None:
    words = ("In Go code, always use tabs.", "Always use tabs in Go code.")
    lines = [{"content": one, "kind": "procedural"} for one in words]
    (tmp_path / "raw.jsonl").write_text("\n".join(map(json.dumps, lines)))
    life.ask("memory.import", path=str(tmp_path / "raw.jsonl"), raw=True)
    night = run_night(life.home, life.config())["run"]
    (joined,) = read_night(life.home, life.config(), night).joined

    assert {one.content for one in joined.before} == {one["content"] for one in lines}
    assert joined.after.content in {one.content for one in joined.before}


def test_too_much_in_use_is_said(life: Life) -> None:
    night = read_night(life.home, life.config(), None)
    page = render_night(replace(night, over_quota={"local/default": 1234}))

    assert "local/default is over its quota by 1,234" in Checked(page).text


def test_many_of_a_kind_are_there_for_those_who_ask(life: Life) -> None:
    gone = tuple(Forgotten("evicted", f"e-{n}", f"fact {n}", EVIL) for n in range(40))
    page = Checked(
        render_night(replace(read_night(life.home, life.config(), None), forgotten=gone))
    )

    assert "28 more" in page.text
    assert all(f"fact {n}" in page.text for n in range(40))
    assert "script" not in page.tags


def test_a_failed_night_is_marked_in_the_plots() -> None:
    drawn = plot([1.0, None, 2.0], ["a", "b", "c"], "s", [False, True, True])

    assert drawn.count('class="marked"') == 1


def test_every_page_is_well_formed_and_loads_nothing(life: Life) -> None:
    for page in pages(life):
        checked = Checked(page)

        assert not {"script", "link", "img", "iframe", "object"} & set(checked.tags)
        assert not {name for name, _ in checked.attributes} & {"src", "href", "onerror", "style"}
        assert not re.search(r"https?:|url\(|@import", page)


def test_what_anybody_wrote_is_only_text(life: Life) -> None:
    page = pages(life)[1]

    assert "<script>alert" not in page
    assert EVIL in Checked(page).text


def test_a_failed_night_says_so(life: Life) -> None:
    (life.home / "backups").rename(life.home / "elsewhere")
    (life.home / "backups").write_text("in the way")
    run_night(life.home, life.config())

    assert any("backup failed: FileExistsError" in Checked(page).text for page in pages(life))


def test_a_failed_night_makes_status_fail_until_one_goes_well(
    life: Life, memoryd: Callable[..., Any]
) -> None:
    assert memoryd("status", home=life.home).status == 0

    (life.home / "backups").rename(life.home / "elsewhere")
    (life.home / "backups").write_text("in the way")
    run_night(life.home, life.config())
    done = memoryd("status", "--json", home=life.home)

    assert done.status == 1
    assert any("failed: backup" in one for one in done.json["degraded"])

    (life.home / "backups").unlink()
    run_night(life.home, life.config(), scheduled=True)

    assert memoryd("status", home=life.home).status == 0


def test_only_a_night_has_a_page(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.root.mkdir()
    life.ask("upkeep")
    with pytest.raises(UsageError, match="no night yet"):
        read_night(life.home, life.config(), None)
    with pytest.raises(UsageError, match="c-1 is no night"):
        read_night(life.home, life.config(), "c-1")


def test_the_command_writes_the_last_night(
    life: Life, memoryd: Callable[..., Any], tmp_path: Path
) -> None:
    page = tmp_path / "night.html"
    done = memoryd("runs", "--html", str(page), home=life.home)

    assert (done.status, page.stat().st_mode & 0o077) == (0, 0)
    assert Checked(page.read_text(encoding="utf-8")).tags.count("h1") == 1


@given(st.text(), st.text())
def test_text_never_becomes_markup(text: str, value: str) -> None:
    made = element("p", text, class_=value)

    assert made.count("<") == 2
    assert Checked(made.replace("\r", " ")).tags == ["p"]


def test_parts_are_joined_and_markup_stays() -> None:
    assert join(("a<", None, [Html("<b>"), "&"])) == "a&lt;<b>&amp;"


@given(st.lists(st.none() | st.floats(0, 1e12)))
def test_every_known_value_has_a_bar_inside_the_plot(values: list[float | None]) -> None:
    drawn = plot(values, [str(index) for index in range(len(values))], "MB")
    heights = [float(one) for one in re.findall(r'<rect [^>]*height="([\d.]+)"', drawn)]

    assert len(heights) == sum(value is not None for value in values)
    assert all(1 <= height <= 48 for height in heights)


def test_figures_have_gaps_where_a_night_says_nothing() -> None:
    nights: list[dict[str, Any]] = [
        {
            "ingest": {"messages_added": 5, "seconds": 1.5},
            "backup": {"bytes": 2_000_000, "seconds": 1},
        },
        {"ingest": {"error": "x"}, "retention": {"expired": [1, 2], "archived": [3]}},
    ]
    figures = {one.title: one.values for one in make_figures(nights)}

    assert figures["messages read"] == (5, None)
    assert figures["database"] == (2.0, None)
    assert figures["time"] == (2.5, 0)
    assert figures["forgotten"] == (0, 3)
