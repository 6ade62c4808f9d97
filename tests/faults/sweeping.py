"""Injects one fault into one way through memoryd and judges what is left: the heart of the sweep and of its sample."""

import random
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.faults import oracle
from tests.faults.injector import MODES, Ending, Fault, Memoryd
from tests.faults.scenes import SECRETS, Place, Scene, runner

TEMPORARY = 75  # exit status: try again later
KILLED = -9
# What a command may say of a failing disk: that it failed, or that it is to be tried again.
ALLOWED = {"kill": {KILLED}, "tear": {KILLED}, "enospc": {0, 1, TEMPORARY}, "eio": {0, 1, TEMPORARY}}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Point:
    """One fault of a scene."""

    scene: Scene
    journal: str
    mode: str
    sticky: bool
    at: int

    def __str__(self) -> str:
        kind = f"{self.mode}{' from there on' if self.sticky else ''}"
        return f"{self.scene.name} ({self.journal}): {kind} at call {self.at}"


class Stage:
    """A scene made ready once, with the outcome of an undisturbed run, to be faulted again and again."""

    def __init__(self, memoryd: Memoryd, scene: Scene, folder: Path, journal: str = "wal") -> None:
        self.memoryd, self.scene, self.journal = memoryd, scene, journal
        self._now = folder / "now"
        self._kept = folder / f"{scene.name} {journal}".replace(" ", "-")
        shutil.rmtree(self._now, ignore_errors=True)
        place = Place(self._now).make()
        scene.prepare(place, runner(memoryd, place, journal))
        self.before = place.outcome()
        self.start = Place(shutil.copytree(self._now, self._kept, symlinks=True))
        self.place = place
        undisturbed = self.run(Fault(str(self._now)))
        assert undisturbed.status == 0, undisturbed
        self.calls = undisturbed.calls
        self.after = place.outcome()
        assert self.before != self.after or scene.name == "backup", scene.name

    def run(self, fault: Fault) -> Ending:
        """The scene's command, once."""
        words = ["--home", str(self.place.home), *self.scene.command(self.place)]
        return self.memoryd(words, fault, journal=self.journal, environ=self.place.environ)

    def points(self) -> Iterator[Point]:
        """Every call × every mode, once and from there on."""
        for mode in MODES:
            for sticky in (False, True) if mode in {"enospc", "eio"} else (False,):
                for at in range(1, self.calls + 1):
                    yield Point(self.scene, self.journal, mode, sticky, at)

    def inject(self, point: Point) -> list[str]:
        """Run the command with a fault, look; run it again, look again. What was violated, in words."""
        self.place = self.start.copy(self._now)
        ended = self.run(Fault(str(self._now), point.at, point.mode, point.sticky))
        wrong = [*self._judge_ending(point, ended), *self._judge(healed=False)]
        left = self.place.outcome()
        if ended.status == 0 and left != self.after:
            wrong.append(f"it said done, and was not: {_differences(left, self.after)}")
        if left["memory"] not in (self.before["memory"], self.after["memory"]):
            wrong.append("the memory file is neither the old one nor the new one")
        again = self.run(Fault(str(self._now)))
        healed = self.place.outcome()
        if again.status and left != self.after:
            wrong.append(f"it did not heal: {again}")
        if healed != self.after:
            wrong.append(f"it healed into something else: {_differences(healed, self.after)}")
        wrong += self._judge(healed=True)
        return [f"{point}: {one}" for one in wrong]

    def _judge_ending(self, point: Point, ended: Ending) -> Iterator[str]:
        if ended.status not in ALLOWED[point.mode] and ended.calls < point.at:
            return  # it took another way and had fewer calls
        if ended.status not in ALLOWED[point.mode]:
            yield f"ended with {ended.status}"
        if "Traceback" in ended.said:
            yield f"showed a traceback: {ended.said[-300:]}"

    def _judge(self, *, healed: bool) -> list[str]:
        return [
            *oracle.judge_database(self.place.home),
            *oracle.judge_modes(self.place.home),
            *oracle.judge_secrets(self.place.home, SECRETS),
            *self.scene.judge(self.place, healed),
            *(oracle.judge_leftovers(self.place.hermes) if healed else ()),
        ]


def _differences(one: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """What is only in the one, and only in the other."""
    told = []
    for name in other:
        mine, wanted = one.get(name), other[name]
        if isinstance(mine, list) and isinstance(wanted, list):
            more, less = [row for row in mine if row not in wanted], [row for row in wanted if row not in mine]  # fmt: skip
            if more or less:
                told.append(f"{name}: has {more[:5]} instead of {less[:5]}")
        elif mine != wanted:
            told.append(f"{name}: {str(mine)[:300]} instead of {str(wanted)[:300]}")
    return "; ".join(told) or "in the number of equal rows"


def sample(stage: Stage, count: int, seed: int) -> list[Point]:
    """Some points of a stage, each mode in turn, the same for the same seed."""
    chance = random.Random(f"{stage.scene.name} {stage.journal} {seed}")
    points = list(stage.points())
    kinds = sorted({(point.mode, point.sticky) for point in points})
    chance.shuffle(kinds)
    return [
        chance.choice([p for p in points if (p.mode, p.sticky) == kinds[number % len(kinds)]])
        for number in range(count)
    ]
