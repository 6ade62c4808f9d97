"""How much of the history goes when a limit is set for it. Pure: counts in, a plan with its reason out.

Without a limit history is kept for ever. What entries cite is not counted here: it stays.
"""

from dataclasses import dataclass

from memoryd.counting import counted

MOST_PERCENT = 20.0  # of the messages in one run: a history of one week loses 14 % a night
AT_LEAST = 1000  # messages that a run may always take


@dataclass(frozen=True, slots=True)
class HistoryFacts:
    """What is there.

    Attributes:
        messages: all of them.
        removable: those that no entry cites.
        too_old: of the removable, those older than `keep_days`.
        used_bytes: of the database, free pages left out.
    """

    messages: int
    removable: int
    too_old: int
    used_bytes: int


@dataclass(frozen=True, slots=True)
class HistoryPlan:
    """So many of the oldest removable messages go, and why; *blocked*: why nothing is done before a person confirms."""

    remove: int = 0
    reason: str = ""
    blocked: str = ""


def plan_history(
    facts: HistoryFacts,
    *,
    keep_days: float,
    max_bytes: int,
    clock_jumped: bool = False,
    confirmed: bool = False,
) -> HistoryPlan:
    """Decide how many messages go; a limit of 0 is none."""
    old = facts.too_old if keep_days else 0
    over = facts.used_bytes - max_bytes if max_bytes else 0
    fat = -(-facts.messages * over // facts.used_bytes) if over > 0 else 0
    remove = min(max(old, fat), facts.removable)
    if not remove:
        return HistoryPlan()
    reason = (
        f"older than {counted(keep_days, 'day')}"
        if old >= fat
        else f"the database is {counted(over, 'byte')} over its limit"
    )
    cap = max(AT_LEAST, int(facts.messages * MOST_PERCENT / 100))
    blocked = ""
    if clock_jumped:
        blocked = "the clock jumped by more than a day"
    elif remove > cap:
        blocked = f"{counted(remove, 'message')} are due at once, one run takes {cap}"
    return HistoryPlan(remove, reason, "" if confirmed else blocked)
