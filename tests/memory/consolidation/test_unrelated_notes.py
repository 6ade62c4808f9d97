"""A whole bank of notes that share words (also now, moved, 改成, 现在) and say different things: nothing is done to any of them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random

import pytest

from memoryd.memory.consolidation import ConsolidationPolicy, plan_consolidation
from memoryd.model import Entry

START = datetime(2026, 3, 1, tzinfo=UTC)
NOTES = (Path(__file__).parent / "unrelated_notes.txt").read_text("utf-8").splitlines()


@pytest.mark.parametrize("seed", range(4))
def test_no_note_is_merged_replaced_or_asked_about(seed: int) -> None:
    """In whatever order they came in: which of two is newer is another every time."""
    notes = Random(seed).sample(NOTES, len(NOTES))
    times = [START + timedelta(hours=n) for n in range(len(notes))]
    entries = [
        Entry(id=f"{n:04}", content=note, created_at=times[n], updated_at=times[n])
        for n, note in enumerate(notes)
    ]
    plan = plan_consolidation(
        entries, None, ConsolidationPolicy(max_change_percent=100), times[-1] + timedelta(days=1)
    )

    assert not [*plan.merges, *plan.supersedes, *plan.conflicts]
