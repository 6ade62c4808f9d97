"""What a simulated year is measured by: a month's figures, the claims that must hold, a table and a plot."""

from collections.abc import Sequence
from dataclasses import dataclass, field

QUOTA = 400  # below what the year would leave active, so that it binds
SETTLED = 5  # months until something is forgotten every night


@dataclass(slots=True)
class Month:
    """What was measured at the end of a month."""

    number: int
    active: int = 0
    archived: int = 0
    answered: float = 0.0
    due: int = 0
    fresh: int = 0
    missing: list[str] = field(default_factory=list)
    history_bytes: int = 0
    database_bytes: int = 0
    asked_to_confirm: int = 0
    over_quota: int = 0
    night_seconds: float = 0.0


def _growth(months: Sequence[Month]) -> float:
    """Bytes of the database for each byte of history, gained from the first to the last of these months."""
    first, last = months[0], months[-1]
    return (last.database_bytes - first.database_bytes) / (last.history_bytes - first.history_bytes)


def check(months: Sequence[Month], quota: int = QUOTA) -> list[str]:
    """Which claims the year has broken; above its quota memory may be only if what is in use alone is, and must say so."""
    broken = [
        f"month {one.number}: {len(one.missing)} facts in use are missing, e.g. {one.missing[0]}"
        for one in months
        if one.missing
    ]
    broken += [
        f"month {one.number}: {one.active} entries are active"
        for one in months
        if one.active > max(quota, one.due + one.fresh) or one.active > quota + one.over_quota
    ]
    first, last = months[0], months[-1]
    if last.answered < first.answered - 0.025:  # one question of forty
        broken.append(
            f"questions answered: {first.answered:.0%} at first, {last.answered:.0%} at last"
        )
    if len(months) >= SETTLED + 4 and _growth(months[-4:]) > 1.1 * _growth(
        months[SETTLED - 3 :][:4]
    ):
        broken.append("the database has grown faster than the history")
    return broken


def table(months: Sequence[Month]) -> str:
    """The figures in Markdown."""
    lines = [
        "| month | active | archived | in use, must be there | missing | answered | history kB | database kB | asked to confirm | night s |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    return "\n".join([*lines, *map(table_row, months)])


def table_row(one: Month) -> str:
    """One month of the table."""
    return (
        f"| {one.number} | {one.active} | {one.archived} | {one.due} | {len(one.missing)} | {one.answered:.0%} | {one.history_bytes // 1000} "
        f"| {one.database_bytes // 1000} | {one.asked_to_confirm} | {one.night_seconds:.1f} |"
    )


def draw(months: Sequence[Month]) -> str:
    """Active entries against the quota, and the share of questions answered, as SVG."""
    width, height, left, top = 640, 260, 48, 20
    step = width / max(1, len(months) - 1)

    def line(values: Sequence[float], colour: str) -> str:
        points = " ".join(
            f"{left + i * step:.0f},{top + height * (1 - value):.0f}"
            for i, value in enumerate(values)
        )
        return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2.5"/>'

    most = max(QUOTA, *(one.active for one in months)) * 1.1
    size = max(one.database_bytes for one in months)
    quota = top + height * (1 - QUOTA / most)
    labels = "".join(
        f'<text x="{left + i * step:.0f}" y="{top + height + 18}" text-anchor="middle">{one.number}</text>'
        for i, one in enumerate(months)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + left + 20} {height + 80}" font-family="sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="#fff"/>'
        f'<line x1="{left}" x2="{left + width}" y1="{quota:.0f}" y2="{quota:.0f}" stroke="#999" stroke-dasharray="5 4"/>'
        f'<text x="{left}" y="{quota - 5:.0f}" fill="#666">quota {QUOTA}</text>'
        f"{line([one.active / most for one in months], '#2f6f6a')}{line([one.answered / 1.1 for one in months], '#a4551a')}"
        f"{line([one.database_bytes / size / 1.1 for one in months], '#4a5fa5')}{labels}"
        f'<text x="{left}" y="{height + 60}"><tspan fill="#2f6f6a">active entries</tspan>  <tspan fill="#a4551a">questions answered (top: 110 %)</tspan>'
        f'  <tspan fill="#4a5fa5">size of the database (share of the last)</tspan></text></svg>\n'
    )
