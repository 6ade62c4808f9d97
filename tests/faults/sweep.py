"""`poe faults`: a fault at every Nth call of every way through memoryd, and power losses; counts go to docs/reliability.md.

The table lies between two marks in the document; everything around it is written by people. Exit status 1 if anything
that was promised did not hold.
"""

import argparse
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from tests.faults.injector import WHY_NOT, Memoryd, build
from tests.faults.power_losses import Loss
from tests.faults.scenes import SCENES, Scene
from tests.faults.sweeping import Point, Stage

DOCUMENT = Path(__file__).parents[2] / "docs/reliability.md"
MARKS = ("<!-- sweep -->\n", "<!-- end of sweep -->")
WITHOUT_LOG = ("first start", "ingest", "bank write", "consolidation", "backup", "migration")
SHARES = {"night": 0.3}  # of the points of another scene: a night has ten times the calls


@dataclass(frozen=True, slots=True)
class Job:
    """A scene to be gone over: how many points, and what for (None: faults; else a power loss)."""

    scene: str
    journal: str
    points: int
    power: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the table."""

    what: str
    rows: str
    fault: str
    calls: int
    tried: int
    violations: tuple[str, ...]
    seconds: float


def scene_named(name: str) -> Scene:
    return next(scene for scene in SCENES if scene.name == name)


def spread(stage: Stage, count: int) -> Iterator[Point]:
    """About so many points: every Nth call of each kind of fault, each kind beginning at another call."""
    kinds = [list(group) for _, group in groupby(stage.points(), key=lambda p: (p.mode, p.sticky))]
    stride = max(1, round(stage.calls * len(kinds) / count))
    for number, points in enumerate(kinds):
        yield from points[number * stride // len(kinds) :: stride]


def carry_out(job: Job) -> list[Line]:
    """Go over one scene in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="faults-") as folder, Memoryd(Path(folder)) as memoryd:
        stage = Stage(memoryd, scene_named(job.scene), Path(folder), job.journal)
        return list(_power(stage, job) if job.power else _faults(stage, job))


def _faults(stage: Stage, job: Job) -> Iterator[Line]:
    title = f"{job.scene}{'' if job.journal == 'wal' else ', rollback journal'}"
    points = spread(stage, job.points)
    for (mode, sticky), group in groupby(points, key=lambda p: (p.mode, p.sticky)):
        started, tried, wrong = time.monotonic(), 0, list[str]()
        for point in group:
            tried += 1
            wrong += stage.inject(point)[:1]
        fault = f"{mode}{' from there on' if sticky else ''}"
        seconds = time.monotonic() - started
        yield Line(title, stage.scene.rows, fault, stage.calls, tried, tuple(wrong), seconds)


def _power(stage: Stage, job: Job) -> Iterator[Line]:
    title = f"{job.scene}{'' if job.journal == 'wal' else ', rollback journal'}"
    started, loss = time.monotonic(), Loss(stage)
    losses = list(loss.spread(job.points))
    wrong = tuple(one for point in losses for one in loss.judge(point)[:1])
    seconds = time.monotonic() - started
    yield Line(title, "70", "power loss", stage.calls, len(losses), wrong, seconds)


def plan(points: int, images: int, only: Iterable[str]) -> list[Job]:
    """Every scene with its share of the points, the longest first."""
    names = [scene.name for scene in SCENES if not only or scene.name in only]
    pairs = [(name, "wal") for name in names] + [(n, "delete") for n in WITHOUT_LOG if n in names]
    shares = sum(SHARES.get(name, 1.0) for name, _ in pairs)
    jobs = [
        Job(name, journal, round(points * SHARES.get(name, 1.0) / shares))
        for name, journal in pairs
    ]
    jobs += [Job(name, journal, images // len(pairs) + 1, power=True) for name, journal in pairs]
    return sorted(jobs, key=lambda job: (job.scene != "night", job.power))


def table(lines: list[Line]) -> str:
    """Markdown: one line a scene and fault, and the sum."""
    text = [
        "| way | rows | fault | calls | points tried | violations | seconds |",
        "|---|---|---|---|---|---|---|",
    ]
    for one in sorted(lines, key=lambda line: (line.what, line.fault)):
        cells = (one.what, one.rows, one.fault, one.calls, one.tried, len(one.violations), f"{one.seconds:.0f}")  # fmt: skip
        text.append(f"| {' | '.join(map(str, cells))} |")
    total = sum(line.tried for line in lines)
    wrong = sum(len(line.violations) for line in lines)
    spent = sum(line.seconds for line in lines)
    text.append(f"| **all** | | | | **{total}** | **{wrong}** | {spent:.0f} |")
    return "\n".join(text) + "\n"


def write_document(lines: list[Line]) -> None:
    text = DOCUMENT.read_text(encoding="utf-8")
    begin, end = (re.escape(mark) for mark in MARKS)
    fresh = f"{MARKS[0]}{table(lines)}{MARKS[1]}"
    DOCUMENT.write_text(
        re.sub(f"{begin}.*{end}", lambda found: fresh, text, flags=re.DOTALL), encoding="utf-8"
    )


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--points", type=int, default=2200, help="faults, about")
    options.add_argument("--images", type=int, default=400, help="power losses, about")
    options.add_argument("--workers", type=int, default=2)
    options.add_argument("--only", action="append", default=[], help="a scene; may be repeated")
    options.add_argument("--write", action="store_true", help="write the table into the document")
    given = options.parse_args()
    if WHY_NOT:
        sys.stderr.write(f"skipped: {WHY_NOT}\n")
        return 0
    lines: list[Line] = []
    build()  # once, for every process of the pool
    jobs = plan(given.points, given.images, given.only)
    with ProcessPoolExecutor(given.workers) as pool:
        for done in pool.map(carry_out, jobs):
            lines += done
            for line in done:
                told = {"what": line.what, "fault": line.fault, "tried": line.tried, "violations": line.violations}  # fmt: skip
                sys.stderr.write(json.dumps(told, ensure_ascii=False) + "\n")
    sys.stdout.write(table(lines))
    if given.write:
        write_document(lines)
    kinds = Counter(line.fault for line in lines for _ in line.violations)
    return 1 if kinds else 0


if __name__ == "__main__":
    sys.exit(main())
