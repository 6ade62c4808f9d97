"""The page of a night: one file, no resource from elsewhere, no script; entries are text that anybody may have written."""

from collections.abc import Iterable, Sequence
from importlib.resources import files
from string import Template

from memoryd.interfaces.html import Html, Part, element, join, plot
from memoryd.model import Entry
from memoryd.service.night.report import Figure, Joined, Learned, NightReport, Replaced, place_of

FULL, CROWDED = 100, 85  # percent of a limit


def render_night(night: NightReport) -> str:
    """The whole document."""
    template = files("memoryd.interfaces").joinpath("night_page.html").read_text(encoding="utf-8")
    sections = (
        _summary(night),
        _trouble(night),
        _section("Waits for you", [_waiting(night)], len(night.waiting)),
        _section("Learned", map(_learned, night.learned), len(night.learned)),
        _section("Joined", map(_joined, night.joined), len(night.joined)),
        _section("Replaced by newer values", map(_replaced, night.replaced), len(night.replaced)),
        _section("Forgotten", [_forgotten(night)], len(night.forgotten)),
        _section("Memory files", [_budgets(night)], len(night.files)),
        _section(f"The last {len(night.days)} nights", [_figures(night)], len(night.days)),
        _section("Phases", [_phases(night)], len(night.phases)),
    )
    title = f"The night of {night.run.report.get('local_date', '')}"
    return Template(template).substitute(title=join(title), body=join(sections))


def _section(title: str, parts: Iterable[Part], count: int) -> Html | None:
    if not count:
        return None
    return element("section", element("h2", title, " ", element("small", str(count))), parts)


def _summary(night: NightReport) -> Html:
    run = night.run
    ended = run.finished or run.started
    seconds = (ended - run.started).total_seconds()
    said = (
        f"{len(night.learned)} learned",
        f"{len(night.joined)} joined",
        f"{len(night.replaced)} replaced",
        f"{len(night.forgotten)} forgotten",
    )
    return element(
        "header",
        element("h1", f"The night of {run.report.get('local_date', '')}"),
        element("p", ", ".join(said), "."),
        element(
            "p",
            f"Run {run.id}, {run.started.astimezone():%Y-%m-%d %H:%M}, {seconds:.0f} s",
            class_="quiet",
        ),
    )


def _trouble(night: NightReport) -> Html | None:
    lines = [f"{name} failed: {error}" for name, _, error in night.phases if error]
    lines += [
        f"Forgetting in {place} waits: {why}. See `memoryd prune --dry-run`, then `memoryd prune --confirm`."
        for place, why in night.blocked.items()
    ]
    return (
        element("section", [element("p", line) for line in lines], class_="trouble")
        if lines
        else None
    )


def _waiting(night: NightReport) -> Html:
    rows = [
        element(
            "tr",
            element("td", element("code", one["id"])),
            element("td", one["words"]),
            element("td", one["reason"], class_="quiet"),
        )
        for one in night.waiting
    ]
    help_text = element(
        "p",
        "Decide with ",
        element("code", "memoryd review approve ID"),
        " or ",
        element("code", "reject ID"),
        ".",
        class_="quiet",
    )
    return join((element("table", rows), help_text))


def _learned(one: Learned) -> Html:
    return element("article", _entry(one.entry), element("p", one.why, class_="quiet"))


def _entry(entry: Entry) -> Html:
    """The words, what kind they are of, and where they come from."""
    cited = [
        element(
            "li",
            element("q", source.quote or ""),
            " ",
            element("span", place_of(source), class_="quiet"),
        )
        for source in entry.sources
    ]
    return join(
        (
            element("p", entry.content, class_="words"),
            element(
                "p", f"{entry.kind}, said by {entry.origin}, {entry.confidence:.0%}", class_="quiet"
            ),
            element("details", element("summary", f"{len(cited)} sources"), element("ul", cited))
            if cited
            else None,
        )
    )


def _joined(one: Joined) -> Html:
    return element(
        "article",
        _pair([_entry(entry) for entry in one.before], [_entry(one.after)]),
        element("p", one.why, class_="quiet"),
    )


def _replaced(one: Replaced) -> Html:
    return element(
        "article",
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


def _forgotten(night: NightReport) -> Html:
    rows = [
        element(
            "tr", element("td", how), element("td", words), element("td", reason, class_="quiet")
        )
        for how, words, reason in night.forgotten
    ]
    return element("table", rows)


def _budgets(night: NightReport) -> Html:
    return element(
        "table",
        [_budget(one["path"], one["used"], one["limit"], one["unit"]) for one in night.files],
    )


def _budget(path: str, used: int, limit: int | None, unit: str) -> Html:
    percent = used * 100 / limit if limit else 0.0
    level = "over" if percent > FULL else "crowded" if percent >= CROWDED else "fits"
    bar = (
        element("meter", value=min(used, limit or used), min=0, max=limit, class_=level)
        if limit
        else None
    )
    said = f"{used:,} of {limit:,} {unit}" if limit else f"{used:,} {unit}"
    return element(
        "tr", element("td", path), element("td", bar), element("td", said, class_="quiet")
    )


def _figures(night: NightReport) -> Html:
    return element("div", [_figure(one, night.days) for one in night.figures], class_="figures")


def _figure(figure: Figure, days: Sequence[str]) -> Html:
    last = next((value for value in reversed(figure.values) if value is not None), None)
    said = "" if last is None else f"{last:,.4g} {figure.unit}".rstrip()
    return element(
        "figure",
        plot(figure.values, days, figure.unit),
        element("figcaption", f"{figure.title} ", element("b", said)),
    )


def _phases(night: NightReport) -> Html:
    rows = [
        element(
            "tr",
            element("td", name),
            element("td", f"{seconds:.1f} s"),
            element("td", error or "done", class_="quiet"),
        )
        for name, seconds, error in night.phases
    ]
    return element("table", rows)
