"""The page of a night: one file, no resource from elsewhere, no script; entries are text that anybody may have written."""

from collections.abc import Iterable, Sequence
from datetime import date
from importlib.resources import files
from string import Template

from memoryd.interfaces.html import Html, Part, element, join, plot
from memoryd.model import Entry
from memoryd.service.night.report import (
    Figure,
    Forgotten,
    Joined,
    Learned,
    NightReport,
    Replaced,
    place_of,
)

FULL, CROWDED = 100, 85  # percent of a limit
CLEAR = 100  # from here on no digits after the point


SHOWN = 12  # forgotten entries of a kind that are seen at once
_LEFT = {
    "expired": "Their term was over",
    "archived": "Never used",
    "evicted": "Made room for others",
    "purged": "Removed for good, after their time in the archive",
}
_KINDS = {"update": "has newer values", "compact": "could be smaller"}
_UNITS = {"codepoints": "characters", "chars": "characters"}


def render_night(night: NightReport) -> str:
    """The whole document."""
    template = files("memoryd.interfaces").joinpath("night_page.html").read_text(encoding="utf-8")
    sections = (
        _summary(night),
        _trouble(night),
        _section("Waits for you", _waiting(night), len(night.waiting) + len(night.proposed)),
        _section("Learned", map(_learned, night.learned), len(night.learned)),
        _section("Joined", map(_joined, night.joined), len(night.joined)),
        _section("Replaced by newer values", map(_replaced, night.replaced), len(night.replaced)),
        _section("Forgotten", _forgotten(night), len(night.forgotten)),
        _section("Memory files", [_budgets(night)], len(night.files)),
        _section("The last nights", _figures(night), len(night.days)),
        _section("Phases", [_phases(night)], len(night.phases)),
    )
    return Template(template).substitute(title=join(_title(night)), body=join(sections))


def _title(night: NightReport) -> str:
    return f"The night of {_long_date(night.run.report.get('local_date', ''))}"


def _long_date(text: str) -> str:
    """A date as people write it: Tuesday, 20 October 2026."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return text
    return f"{day:%A}, {day.day} {day:%B %Y}"


def _section(title: str, parts: Iterable[Part], count: int) -> Html | None:
    if not count:
        return None
    return element("section", element("h2", title, " ", element("small", str(count))), parts)


def _summary(night: NightReport) -> Html:
    run = night.run
    ended = run.finished or run.started
    numbers = (
        (len(night.learned), "learned"),
        (len(night.joined), "joined"),
        (len(night.replaced), "replaced"),
        (len(night.forgotten), "forgotten"),
        (len(night.waiting), "wait for you"),
    )
    took = _rounded((ended - run.started).total_seconds(), "s")
    return element(
        "header",
        element("h1", _title(night)),
        element(
            "p",
            f"begun at {run.started.astimezone():%H:%M}, took {took}, run ",
            element("code", run.id),
            class_="quiet",
        ),
        element(
            "ul",
            [
                element(
                    "li", element("b", str(number)), f" {what}", class_=None if number else "none"
                )
                for number, what in numbers
            ],
            class_="numbers",
        ),
    )


def _trouble(night: NightReport) -> Html | None:
    lines: list[Part] = [f"{name} failed: {error}" for name, _, _, error in night.phases if error]
    lines += [
        join(
            (
                f"Forgetting in {place} waits: {why}. See ",
                element("code", "memoryd prune --dry-run"),
                ", then ",
                element("code", "memoryd prune --confirm"),
                ".",
            )
        )
        for place, why in night.blocked.items()
    ]
    lines += [
        f"{place} is over its quota by {count:,}: nothing may go, all of it is in use, new or pinned."
        for place, count in night.over_quota.items()
    ]
    return (
        element("section", [element("p", line) for line in lines], class_="trouble")
        if lines
        else None
    )


def _waiting(night: NightReport) -> Iterable[Part]:
    for one in night.waiting:
        said = (one["reason"], " · ", element("code", one["id"]))
        yield _article(
            element("p", one["words"], class_="words"), element("p", said, class_="quiet")
        )
    if night.waiting:
        decide = ("Decide with ", element("code", "memoryd review approve ID"), " or ")
        yield element("p", decide, element("code", "memoryd review reject ID"), ".", class_="quiet")
    for proposal in night.proposed:
        what = (
            element("b", proposal["path"]),
            f" {_KINDS.get(proposal['kind'], proposal['kind'])}",
        )
        yield _article(element("p", what), element("p", proposal["why"], class_="quiet"))


def _article(*parts: Part) -> Html:
    return element("article", parts)


def _learned(one: Learned) -> Html:
    return _article(_entry(one.entry, one.why))


def _entry(entry: Entry, signs: str = "") -> Html:
    """The words, what kind they are of, and, for those who ask, where they come from."""
    cited = [
        element(
            "li",
            element("q", source.quote or ""),
            " ",
            element("span", place_of(source), class_="quiet"),
        )
        for source in entry.sources
    ]
    about = f"{entry.kind}, said by {entry.origin}, {entry.confidence:.0%} sure"
    where = f"{len(cited)} source{'s' * (len(cited) != 1)}"
    return join(
        (
            element("p", entry.content, class_="words"),
            element(
                "details",
                element("summary", f"{about}, {where}"),
                element("p", f"Recognised by: {signs}") if signs else None,
                element("ul", cited),
            )
            if cited
            else element("p", about, class_="quiet"),
        )
    )


def _joined(one: Joined) -> Html:
    return _article(
        _pair([_entry(entry) for entry in one.before], [_entry(one.after)]),
        element("p", one.why, class_="quiet"),
    )


def _replaced(one: Replaced) -> Html:
    return _article(
        _pair([element("del", one.old.content)], [_entry(one.new)]),
        element("p", one.attribute, class_="quiet"),
    )


def _pair(before: Sequence[Html], after: Sequence[Html]) -> Html:
    return element(
        "div",
        element("div", element("h3", "before"), before),
        element("div", element("h3", "after"), after),
        class_="pair",
    )


def _forgotten(night: NightReport) -> Iterable[Part]:
    """By how they left; many of a kind are there for those who ask."""
    for how, title in _LEFT.items():
        rows = [_gone(one) for one in night.forgotten if one.how == how]
        if not rows:
            continue
        yield element("h3", f"{title} ({len(rows)})")
        yield element("ul", rows[:SHOWN], class_="gone")
        if rows[SHOWN:]:
            more = element("summary", f"{len(rows) - SHOWN} more")
            yield element("details", more, element("ul", rows[SHOWN:], class_="gone"))
    if any(one.how != "purged" for one in night.forgotten):
        back = element("code", "memoryd memory restore ID")
        yield element("p", "They lie in the archive; ", back, " brings one back.", class_="quiet")


def _gone(one: Forgotten) -> Html:
    why = (one.why, " · ", element("code", one.id))
    return element(
        "li", element("span", one.words, class_="words"), element("p", why, class_="quiet")
    )


def _budgets(night: NightReport) -> Html:
    rows = [_budget(one["path"], one["used"], one["limit"], one["unit"]) for one in night.files]
    return element("table", rows, class_="files")


def _budget(path: str, used: int, limit: int | None, unit: str) -> Html:
    percent = used * 100 / limit if limit else 0.0
    level = "over" if percent > FULL else "crowded" if percent >= CROWDED else "fits"
    bar = (
        element("meter", value=min(used, limit or used), min=0, max=limit, class_=level)
        if limit
        else None
    )
    unit = _UNITS.get(unit, unit)
    said = f"{used:,} of {limit:,} {unit}, {percent:.0f} %" if limit else f"{used:,} {unit}"
    return element(
        "tr", element("td", path), element("td", bar), element("td", said, class_=f"quiet {level}")
    )


def _figures(night: NightReport) -> Iterable[Part]:
    span = f"{_long_date(night.days[0])} to {_long_date(night.days[-1])}"
    failed = len(night.failed & {*night.days})
    yield element("p", span, f"; {failed} failed" if failed else None, class_="quiet")
    yield element("div", [_figure(one, night) for one in night.figures], class_="figures")


def _figure(figure: Figure, night: NightReport) -> Html:
    last = next((value for value in reversed(figure.values) if value is not None), None)
    marked = [day in night.failed for day in night.days]
    return element(
        "figure",
        element(
            "figcaption",
            f"{figure.title} ",
            element("b", "" if last is None else _rounded(last, figure.unit)),
        ),
        plot(figure.values, night.days, figure.unit, marked),
    )


def _rounded(value: float, unit: str) -> str:
    """A number that can be read at a glance, with its unit."""
    digits = 0 if value >= CLEAR or value == int(value) else 1
    return f"{value:,.{digits}f} {unit}".rstrip()


def _phases(night: NightReport) -> Html:
    rows = [
        element(
            "tr",
            element("td", name),
            element("td", _rounded(seconds, "s"), class_="number"),
            element("td", error or said or "done", class_="trouble" if error else "quiet"),
        )
        for name, seconds, said, error in night.phases
    ]
    return element("table", rows, class_="phases")
