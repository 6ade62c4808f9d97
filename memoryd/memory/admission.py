"""The write path's decisions: what happens to a text that someone wants remembered.

Pure. Screening has been done; what is known of the bank comes in as values.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from memoryd.counting import counted
from memoryd.memory.retention import ARCHIVED_AT, ARCHIVED_BECAUSE
from memoryd.model import Entry, EntryKind, Origin

Outcome = Literal["added", "merged", "duplicate", "rejected", "review"]
CONFIDENCE: dict[Origin, float] = {
    "user": 0.9,
    "assistant": 0.6,
    "system": 0.6,
    "external": 0.4,
    "tool": 0.4,
}
CONFIRMED_GAIN = 0.25  # of what is missing to certainty, for each restatement
WORKING_TTL_DAYS = 1.0
MAX_CONTENT = 8000  # characters: an entry is a fact, not a document


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of a draft. *entry* is the entry to store (new or reinforced); None: nothing is stored."""

    outcome: Outcome
    reason: str
    entry: Entry | None = None
    other: str | None = None


def admit(
    draft: Entry,
    *,
    planted: Sequence[str],
    refused: bool,
    secrets: int,
    same: Entry | None,
    equal: bool,
) -> Verdict:
    """Decide about a draft.

    Args:
        planted: names of the rules that see a planted instruction in it.
        refused: the same was said to be wrong before.
        secrets: how many secrets were replaced in it.
        same: an active (or just revived) entry of the same scope that says the same; *equal*: in the same words.
    """
    if refused:
        return Verdict("rejected", "said to be wrong before")
    if len(draft.content) > MAX_CONTENT:
        return Verdict(
            "rejected", f"longer than {MAX_CONTENT} characters: an entry is a fact, not a document"
        )
    if planted:
        return _wait(draft, f"reads like an instruction to agents ({planted[0]})")
    if draft.origin in ("tool", "external"):
        return _wait(draft, f"text of origin {draft.origin} is never believed by itself")
    if same is not None:
        outcome: Outcome = "duplicate" if equal else "merged"
        words = "the same words" if equal else "the same fact in other words"
        return Verdict(outcome, f"{words}: the entry is confirmed", confirm(same, draft), same.id)
    note = f"; {counted(secrets, 'secret')} replaced" if secrets else ""
    return Verdict("added", f"new{note}", draft)


def _wait(draft: Entry, reason: str) -> Verdict:
    return Verdict("review", reason, replace(draft, state="review"))


def confirm(entry: Entry, again: Entry) -> Entry:
    """An entry after someone said the same again: surer (if the user said it), used, with the new source.

    Trust never rises by what assistants or tools repeat.
    """
    known = set(entry.sources)
    gained = CONFIRMED_GAIN * (1 - entry.confidence) if again.origin == "user" else 0.0
    origin: Origin = "user" if again.origin == "user" else entry.origin
    return replace(
        entry,
        origin=origin,
        confidence=round(
            max(entry.confidence + gained, again.confidence if again.origin == "user" else 0.0), 4
        ),
        updated_at=max(entry.updated_at, again.updated_at),
        sources=(*entry.sources, *(one for one in again.sources if one not in known)),
        metadata={**entry.metadata, **_confirmation(again)},
    )


def revive(entry: Entry) -> Entry:
    """An entry that retention had put into the archive, active again."""
    noted = (ARCHIVED_AT, ARCHIVED_BECAUSE, "digest")
    metadata = {name: value for name, value in entry.metadata.items() if name not in noted}
    return replace(entry, state="active", metadata=metadata)


def _confirmation(again: Entry) -> dict[str, str]:
    """Only the user's word is evidence that something still holds."""
    return {"confirmed_at": again.updated_at.isoformat()} if again.origin == "user" else {}


def default_confidence(origin: Origin) -> float:
    """How far words of an origin are trusted before anything else is known."""
    return CONFIDENCE[origin]


def default_ttl(kind: EntryKind) -> float | None:
    """Working memory goes with its session, or after a day."""
    return WORKING_TTL_DAYS if kind == "working" else None


Judgement = Literal["wrong", "right", "outdated"]


def correct(entry: Entry, judgement: Judgement, now: datetime, note: str) -> Entry:
    """An entry after feedback: wrong ones go, right ones are surer, outdated ones are history."""
    metadata = {**entry.metadata, "feedback": judgement} | ({"feedback_note": note} if note else {})
    if judgement == "wrong":
        return replace(entry, state="removed", confidence=0.0, updated_at=now, metadata=metadata)
    if judgement == "outdated":
        return replace(entry, state="superseded", valid_to=now, updated_at=now, metadata=metadata)
    gained = entry.confidence + (1 - entry.confidence) / 2
    metadata["confirmed_at"] = now.isoformat()
    state = "active" if entry.state == "review" else entry.state
    return replace(
        entry, state=state, confidence=round(gained, 4), updated_at=now, metadata=metadata
    )
