"""What an action of a plan makes of its entries. The shell writes it down; planning goes on from it."""

from collections.abc import Mapping
from dataclasses import asdict, replace

from memoryd.memory.consolidation.plan import Merge, Supersede
from memoryd.model import Entry

Change = tuple[Entry, Entry]  # before, after


def merge_changes(merge: Merge, entries: Mapping[str, Entry]) -> tuple[Change, ...]:
    """The entry that stays first, then those that live on in it."""
    keeper = entries[merge.into]
    members = [entries[entry_id] for entry_id in merge.from_ids if entry_id != merge.into]
    clauses = [asdict(clause) for clause in merge.clauses]
    kept = replace(
        keeper,
        content=merge.content,
        merged_from=tuple(dict.fromkeys((*keeper.merged_from, *(member.id for member in members)))),
        sources=merge.cited,
        **{
            **merge.inherited,
            "metadata": {
                **keeper.metadata,
                **merge.inherited.get("metadata", {}),
                "clauses": clauses,
            },
        },
    )
    # Only the state tells that a member lives on elsewhere: its own words and times stay as they were.
    gone = [(member, replace(member, state="merged")) for member in members]
    return ((keeper, kept), *gone)


def supersede_changes(supersede: Supersede, entries: Mapping[str, Entry]) -> tuple[Change, ...]:
    """The older entry, then the newer."""
    old, new = entries[supersede.old], entries[supersede.new]
    ended = replace(
        old, state="superseded", superseded_by=new.id, valid_to=old.valid_to or supersede.since
    )
    # A fact in use stays one when its value changes: retention must not take the newer value for something nobody needs.
    used = max(filter(None, (old.last_accessed_at, new.last_accessed_at)), default=None)
    begun = replace(
        new,
        valid_from=new.valid_from or supersede.since,
        access_count=new.access_count + old.access_count,
        last_accessed_at=used,
    )
    return ((old, ended), (new, begun))
