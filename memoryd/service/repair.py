"""Mending a damaged or lost database: what can be read of it, the last good backup, and then the transcripts again.

The bad file is never changed and never deleted: it stays beside the new one, with the date in its name.
"""

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memoryd.config import Config
from memoryd.counting import counted
from memoryd.errors import RetryError, StoreError
from memoryd.service.backups import DAMAGED, SIDECARS, generations
from memoryd.service.bank.embedding import write_vector_file
from memoryd.service.home import prepare_home
from memoryd.service.writer import utc_now
from memoryd.sources.base import Source
from memoryd.sources.registry import build_sources
from memoryd.store.connection import DATABASE_NAME, DatabaseError
from memoryd.store.copies import verify_copy
from memoryd.store.integrity import find_damage
from memoryd.store.salvage import Salvaged, salvage
from memoryd.store.store import Store
from memoryd.store.traces import note

WORKSHOP = "memoryd.repair"  # a folder in the home, for the time of a repair


@dataclass(frozen=True, slots=True)
class Repaired:
    """What a repair did."""

    tables: tuple[Salvaged, ...]
    backup: Path | None
    kept_aside: Path | None

    def describe(self) -> str:
        """One sentence for people."""
        rows = sum(one.rows for one in self.tables)
        added = sum(one.from_backup for one in self.tables)
        lost = sum(one.lost_pages for one in self.tables)
        helped = f", {added} from the backup {self.backup.name}" if self.backup and added else ""
        missing = (
            f"; {counted(lost, 'place')} could not be read" if lost and self.kept_aside else ""
        )
        kept = f"; the old file is kept as {self.kept_aside.name}" if self.kept_aside else ""
        return (
            f"{counted(rows, 'row')} salvaged{helped}{missing}{kept}; "
            "`memoryd run` (or `run --once`) reads all transcripts again, `memoryd reindex` also those in the archive"
        )


def repair(home: Path, config: Config) -> Repaired:
    """Put a mended database in place of a damaged or lost one; the caller holds the writer's lock.

    Raises:
        StoreError: even the new one is not whole. RetryError: there is no room for it.
    """
    workshop = home / WORKSHOP
    shutil.rmtree(workshop, ignore_errors=True)
    prepare_home(workshop)
    try:
        backup, tables = _build(home, workshop, build_sources(config))
        kept = _put_aside(home / DATABASE_NAME)
        (workshop / DATABASE_NAME).replace(home / DATABASE_NAME)
        note(home / DATABASE_NAME, "closed")
    except (OSError, DatabaseError) as error:
        raise RetryError(f"the database cannot be mended now: {error}") from error
    finally:
        shutil.rmtree(workshop, ignore_errors=True)
    with Store(home, utc_now) as store:
        write_vector_file(store.connection, home)
    return Repaired(tuple(tables), backup, kept)


def _build(
    home: Path, workshop: Path, sources: Sequence[Source]
) -> tuple[Path | None, list[Salvaged]]:
    backup = next(filter(_is_good, generations(home)), None)

    def whose(path: str) -> str | None:
        lying = (one for one in sources if any(Path(path).is_relative_to(r) for r in one.roots))
        return next((one.name for one in lying), None)

    with Store(workshop, utc_now) as store:
        tables = salvage(home / DATABASE_NAME, store.connection, backup, whose)
        store.rebuild_indexes()
        damage = find_damage(store.connection)
        if damage:
            raise StoreError("; ".join(f"{one.name}: {one.detail}" for one in damage))
    return backup, tables


def _is_good(backup: Path) -> bool:
    try:
        verify_copy(backup)
    except StoreError:
        return False
    return True


def _put_aside(database: Path) -> Path | None:
    """Rename what is there; None if nothing is."""
    kept = Path(f"{database}{DAMAGED}{utc_now():%Y%m%d-%H%M%S-%f}")
    for suffix in SIDECARS:
        with suppress(FileNotFoundError):
            Path(f"{database}{suffix}").rename(f"{kept}{suffix}")
    return kept if kept.exists() else None
