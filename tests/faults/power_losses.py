"""Power losses: the scene's command is recorded once, then images of the disk at many moments are opened and judged."""

import random
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.faults import oracle
from tests.faults.injector import Fault
from tests.faults.power import Disk, read_record, write_image
from tests.faults.scenes import SECRETS
from tests.faults.sweeping import Stage

# What of the names and of the data that were not synced reached the disk.
KINDS = (("none", "none"), ("all", "none"), ("all", "some"), ("some", "some"), ("some", "all"))


@dataclass(frozen=True, slots=True)
class Moment:
    """A power loss before this call, with this much on the disk."""

    at: int
    names: str
    data: str


class Loss:
    """The recorded command of a stage."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.place = stage.place = stage.start.copy(stage._now)
        folder = self.place.folder
        before = folder.with_name("before")
        shutil.rmtree(before, ignore_errors=True)
        shutil.copytree(folder, before)
        names = {path: path.stat().st_ino for path in folder.rglob("*") if path.is_file()}
        self._fixed = folder.with_name("before")
        record = folder.with_name("record")
        record.unlink(missing_ok=True)
        starts = {path: path.read_bytes() for path in names}
        ended = stage.run(Fault(str(folder), record=str(record)))
        assert ended.status == 0, ended
        self.disk = Disk(folder, read_record(record), names, starts)

    def spread(self, count: int) -> Iterator[Moment]:
        """About so many moments, and always the one after the last call."""
        calls = len(self.disk.calls)
        chance = random.Random(f"{self.stage.scene.name} {self.stage.journal}")
        for number in range(count):
            at = calls if number < len(KINDS) else chance.randrange(1, calls + 1)
            yield Moment(at, *KINDS[number % len(KINDS)])

    def judge(self, moment: Moment) -> list[str]:
        """Open the disk as the power loss left it, look, run the command again, look again."""
        stage, folder = self.stage, self.place.folder
        shutil.rmtree(folder)
        self._lay_out(folder)
        image = self.disk.image(moment.at, moment.names, moment.data, moment.at)
        write_image(image, folder)
        stage.place = self.place
        answered = self.disk.marks(moment.at) > 0
        wrong = [*oracle.judge_database(self.place.home), *oracle.judge_secrets(folder / "home", SECRETS), *stage.scene.judge(self.place, False)]  # fmt: skip
        left = self.place.outcome()
        if answered and left != stage.after:
            wrong.append("what was answered is not on the disk")
        if left["memory"] not in (stage.before["memory"], stage.after["memory"]):
            wrong.append("the memory file is neither the old one nor the new one")
        again = stage.run(Fault(str(folder)))
        if again.status and left != stage.after:
            wrong.append(f"it did not heal: {again}")
        if self.place.outcome() != stage.after:
            wrong.append("it healed into something else")
        wrong += [*oracle.judge_database(self.place.home), *stage.scene.judge(self.place, True)]
        return [f"{stage.scene.name} ({stage.journal}), {moment}: {one}" for one in wrong]

    def _lay_out(self, folder: Path) -> None:
        """The folders, without any file: those come from the image."""
        for path in (self._fixed, *self._fixed.rglob("*")):
            if path.is_dir():
                place = folder / path.relative_to(self._fixed)
                place.mkdir(parents=True, exist_ok=True)
                place.chmod(path.stat().st_mode)
