"""What a run did to the bank, in sentences for people: which entry went into which, what replaced what."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Deed = tuple[str, list[str]]  # what was done, and the words that are no longer said so


def describe_deeds(changes: Sequence[dict[str, Any]]) -> Iterator[Deed]:
    """The changes of a run, one sentence a deed; what only moved a date or a count is none.

    Args:
        changes: of `memoryd runs ID --json`, in the order they were made.
    """
    changes = [
        one | {when: _on_a_line(one[when]) for when in ("before", "after")} for one in changes
    ]
    before = {one["entry"]: one["before"] for one in changes if one["before"] is not None}
    words = {one["entry"]: one["after"]["content"] for one in changes if one["after"] is not None}
    joined = {member for one in changes for member in one["merged_from"]}
    for one in changes:
        entry, old, new, why = one["entry"], one["before"], one["after"], _why(one)
        if members := one["merged_from"]:
            gone = [
                f"{member}: {before[member]['content']}"
                for member in (entry, *members)
                if member in before and before[member]["content"] != new["content"]
            ]
            yield f"merged {', '.join((entry, *members))} → {entry}: {new['content']}{why}", gone
        elif entry not in joined or new is None or new["state"] != "merged":
            successor = one["superseded_by"] or ""
            for deed, gone in _single(entry, old, new, successor, words):
                yield deed + why, gone


def _why(change: Mapping[str, Any]) -> str:
    return f"  [{change['why']}, undone]" if change["undone"] else f"  [{change['why']}]"


def _on_a_line(state: Mapping[str, str] | None) -> Mapping[str, str] | None:
    return None if state is None else {**state, "content": " ".join(state["content"].split())}


def _single(
    entry: str,
    old: Mapping[str, str] | None,
    new: Mapping[str, str] | None,
    successor: str,
    words: Mapping[str, str],
) -> Iterator[Deed]:
    """What became of one entry by itself."""
    if new is None:
        yield f"taken out {entry}", [old["content"]] if old else []
    elif old is None:
        yield f"added {entry} [{new['state']}]: {new['content']}", []
    elif old["state"] != new["state"] == "superseded" and successor in words:
        yield f"replaced {entry} by {successor}: {words[successor]}", [f"{entry}: {old['content']}"]
    elif old["state"] != new["state"]:
        yield f"{new['state']} {entry}, was {old['state']}: {new['content']}", []
    elif old["content"] != new["content"]:
        yield f"reworded {entry}: {new['content']}", [f"{entry}: {old['content']}"]
