"""What the soak measures of the daemon, how it judges that nothing grows, and the plot."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from statistics import median

WARM_RUN = 0.15  # of the run, and
WARM_SECONDS = 60.0  # of each life of the daemon: caches fill, the first scan passes
MOST = 500  # samples that slopes are computed from
SHARE = 0.05  # of its median a figure may drift while it is judged, or by its grain

MEGABYTE = 2**20


@dataclass(frozen=True, slots=True)
class Sample:
    """The daemon at one moment. *seconds* of the run, *age* of this life of the daemon; bytes."""

    seconds: float
    age: float
    rss: int
    descriptors: int
    threads: int
    wal: int
    database: int


def sample(pid: int, home: Path, seconds: float, age: float) -> Sample | None:
    """Look at the daemon from outside; None if it is just gone. Source: proc(5)."""
    try:
        status = dict(
            row.split(":", 1)
            for row in Path(f"/proc/{pid}/status").read_text().splitlines()
            if ":" in row
        )
        descriptors = len(list(Path(f"/proc/{pid}/fd").iterdir()))
        return Sample(
            seconds,
            age,
            int(status["VmRSS"].split()[0]) * 1024,
            descriptors,
            int(status["Threads"]),
            _size(home / "memoryd.db-wal"),
            _size(home / "memoryd.db"),
        )
    except (OSError, KeyError):
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


@dataclass(frozen=True, slots=True)
class Figure:
    """One thing that must be flat. *grain*: a drift below this is noise."""

    title: str
    of: Callable[[Sample], float]
    grain: float


FIGURES: Mapping[str, Figure] = {
    "rss": Figure("memory (RSS), MB", lambda one: one.rss / MEGABYTE, 2.0),
    "descriptors": Figure("open files", lambda one: one.descriptors, 1.0),
    "threads": Figure("threads", lambda one: one.threads, 1.0),
    "wal": Figure("write-ahead log, MB", lambda one: one.wal / MEGABYTE, 2.0),
}


@dataclass(frozen=True, slots=True)
class Trend:
    """A figure after warm-up. *drift*: of the fitted line (Theil and Sen), from the first judged sample to the last."""

    median: float
    most: float
    drift: float
    allowed: float

    @property
    def flat(self) -> bool:
        return self.drift <= self.allowed


def warm(samples: Sequence[Sample]) -> list[Sample]:
    """Those that are judged: after the beginning of the run, and of each life."""
    begin = WARM_RUN * samples[-1].seconds if samples else 0.0
    return [one for one in samples if one.seconds >= begin and one.age >= WARM_SECONDS]


def trend(samples: Sequence[Sample], figure: Figure) -> Trend | None:
    """How a figure goes; None if there is too little to tell."""
    judged = warm(samples)
    judged = judged[:: max(1, len(judged) // MOST)]
    if len(judged) < 30:
        return None
    values = [figure.of(one) for one in judged]
    slopes = [
        (figure.of(b) - figure.of(a)) / (b.seconds - a.seconds)
        for a, b in combinations(judged, 2)
        if b.seconds > a.seconds
    ]
    middle = median(values)
    drift = median(slopes) * (judged[-1].seconds - judged[0].seconds)
    return Trend(middle, max(values), drift, max(SHARE * middle, figure.grain))


def table(samples: Sequence[Sample]) -> str:
    """The figures in Markdown."""
    lines = ["| figure | median | most | drift | allowed |", "|---|---|---|---|---|"]
    for figure in FIGURES.values():
        found = trend(samples, figure)
        if found is not None:
            lines.append(
                f"| {figure.title} | {found.median:.1f} | {found.most:.1f} | {found.drift:+.2f} | {found.allowed:.1f} |"
            )
    return "\n".join(lines)


def draw(samples: Sequence[Sample], kills: Sequence[float], nights: Sequence[float]) -> str:
    """Every figure against the time in minutes, with the kills (red) and nights (blue), as SVG."""
    width, height, left, gap = 680, 90, 56, 44
    end = max((one.seconds for one in samples), default=1.0)

    def across(seconds: float) -> float:
        return left + width * seconds / end

    def panel(number: int, figure: Figure) -> str:
        top = 26 + number * (height + gap)
        values = [figure.of(one) for one in samples]
        most = max(*values, 1.0) * 1.1
        points = " ".join(
            f"{across(one.seconds):.1f},{top + height * (1 - value / most):.1f}"
            for one, value in zip(samples, values, strict=True)
        )
        marks = "".join(
            f'<line x1="{across(at):.1f}" x2="{across(at):.1f}" y1="{top}" y2="{top + height}" stroke="{colour}" stroke-width="0.6" opacity="0.55"/>'
            for times, colour in ((kills, "#c0392b"), (nights, "#4a5fa5"))
            for at in times
        )
        return (
            f'<text x="{left}" y="{top - 7}">{figure.title}</text>'
            f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#ccc"/>{marks}'
            f'<polyline points="{points}" fill="none" stroke="#2f6f6a" stroke-width="1.4"/>'
            f'<text x="{left - 6}" y="{top + 9}" text-anchor="end">{most:.0f}</text><text x="{left - 6}" y="{top + height}" text-anchor="end">0</text>'
        )

    panels = "".join(panel(number, figure) for number, figure in enumerate(FIGURES.values()))
    bottom = 26 + len(FIGURES) * (height + gap)
    ticks = "".join(
        f'<text x="{across(minute * 60):.0f}" y="{bottom - 18}" text-anchor="middle">{minute}</text>'
        for minute in range(0, int(end // 60) + 1, max(1, int(end // 600)))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + left + 20} {bottom + 10}" font-family="sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="#fff"/>{panels}{ticks}'
        f'<text x="{left}" y="{bottom + 2}">minutes; <tspan fill="#c0392b">kill -9</tspan>, <tspan fill="#4a5fa5">a night begins</tspan></text></svg>\n'
    )
