"""Committing what was planned elsewhere: groups of changes, each whole or not at all, all of a run in one transaction.

A plan is made over a read-only view, maybe minutes ago, in another process. A group is dropped if any entry in it has changed
since (its use aside), or if what it touched can no longer be found by its own words. The plan may have looked for that
itself (`groups.foresee`): if nothing in the bank was changed since, it is not asked again while everybody waits.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any

from memoryd.errors import UsageError
from memoryd.model import Entry
from memoryd.service.bank.apart import brought_together, keep_apart
from memoryd.service.bank.groups import Group, unanswered, was_answered
from memoryd.service.bank.remembering import screen_entry
from memoryd.service.home import prepare_home
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.apart import decided_since, kept_apart_since
from memoryd.store.bank import Bank, Because, revision
from memoryd.store.connection import Connection
from memoryd.store.entry_rows import entry_from_json, entry_to_json
from memoryd.store.runs import Run, get_run, same_but_use, save_run, undo_run, with_use

PLAN_PREFIX = "memoryd.plan-"
CONSOLIDATE = "consolidate"  # the kind of runs that bring entries together


@dataclass(frozen=True, slots=True)
class Changes:
    """What a run wants to change, and its report.

    Attributes:
        foreseen: the revision of the bank for which it was seen that everything would still be found; None: it was not.
    """

    run: str
    kind: str
    namespace: str | None
    started: datetime
    report: Mapping[str, Any]
    groups: Sequence[Group] = ()
    conflicts: Sequence[tuple[str, str, str, str]] = field(
        default_factory=tuple
    )  # namespace, a, b, reason
    foreseen: str | None = None


def write_changes(changes: Changes, home: Path) -> Path:
    """Leave changes where the writer finds them; a plan can be larger than a request may be."""
    prepare_home(home)
    path = home / f"{PLAN_PREFIX}{changes.run}.json"
    value = {
        "run": changes.run,
        "kind": changes.kind,
        "namespace": changes.namespace,
        "started": changes.started.isoformat(),
        "report": changes.report,
        "conflicts": list(changes.conflicts),
        "foreseen": changes.foreseen,
        "groups": [
            {
                "why": group.why,
                "changes": [
                    [None if before is None else entry_to_json(before), entry_to_json(after)]
                    for before, after in group.changes
                ],
                "found_by": group.found_by,
            }
            for group in changes.groups
        ],
    }
    path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    return path


def read_changes(path: Path) -> Changes:
    """The changes that `write_changes` left.

    Raises:
        UsageError: the file is not what it should be.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        groups = tuple(
            Group(
                one["why"],
                tuple(
                    (None if before is None else _entry(before), _entry(after))
                    for before, after in one["changes"]
                ),
                tuple((text, entry) for text, entry in one["found_by"]),
            )
            for one in value["groups"]
        )
        return Changes(
            value["run"],
            value["kind"],
            value["namespace"],
            datetime.fromisoformat(value["started"]),
            value["report"],
            groups,
            tuple((space, a, b, reason) for space, a, b, reason in value["conflicts"]),
            value["foreseen"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"cannot read the plan {path}: {error}") from error


def _entry(value: Mapping[str, Any]) -> Entry:
    return entry_from_json(value, "plan", {})


def commit_changes(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Commit the plan at `path`; answers which groups (by number) were dropped, and why."""
    changes = read_changes(Path(arguments["path"]))
    dropped: dict[str, str] = {}
    with writer.store.transaction() as connection:
        foreseen = changes.foreseen == revision(connection)
        for number, group in enumerate(changes.groups):
            # Other words in the index, or a group that stays out, and what was foreseen is open again.
            foreseen = foreseen and group.keeps_words and not dropped
            reason = _commit_group(connection, group, changes, sure=foreseen)
            if reason is not None:
                dropped[str(number)] = reason
        bank = Bank(connection)
        open_still = [
            one
            for one in changes.conflicts
            if not _refused_meanwhile(connection, one[1:3], changes.started)
        ]
        news = [bank.add_conflict(*one, run=changes.run) for one in open_still]
        report = {**changes.report, "dropped": dropped, "new_conflicts": sum(news)}
        run = Run(
            changes.run, changes.kind, changes.namespace, changes.started, utc_now(), "done", report
        )
        save_run(connection, run)
    return {"run": changes.run, "dropped": dropped}


def _commit_group(
    connection: Connection, group: Group, changes: Changes, *, sure: bool
) -> str | None:
    """Apply one group; None if it stands, else why it was dropped. *sure*: everything will still be found."""
    bank = Bank(connection)
    currents = [bank.get(after.namespace, after.id) for _, after in group.changes]
    planned = [before for before, _ in group.changes]
    if not all(map(same_but_use, currents, planned)):
        return "changed while the plan was made"
    ids = [after.id for _, after in group.changes]
    if changes.kind == CONSOLIDATE and _refused_meanwhile(connection, ids, changes.started):
        return "you said no while the plan was made"
    with _all_or_nothing(connection) as undo:
        _put(bank, group, currents, changes)
        lost = {} if sure else unanswered(connection, group)
        if lost:
            undo()
            if refusal := was_answered(connection, group, lost):
                return refusal.why
            _put(bank, group, currents, changes)  # nobody found it before either
    return None


def _refused_meanwhile(connection: Connection, ids: Sequence[str], since: datetime) -> bool:
    """Did a person say no to this while it was planned? The entries are exactly as the plan knew them."""
    return decided_since(connection, since) and kept_apart_since(connection, ids, since)


def _put(bank: Bank, group: Group, currents: Sequence[Entry | None], changes: Changes) -> None:
    because = Because(changes.kind, group.why, utc_now(), changes.run)
    for (before, after), current in zip(group.changes, currents, strict=True):
        clean, content, _ = screen_entry(with_use(after, before, current))
        bank.put(clean, content, because)


@contextmanager
def _all_or_nothing(connection: Connection) -> Iterator[Any]:
    connection.execute("savepoint group_of_changes")
    try:
        yield lambda: connection.execute("rollback to group_of_changes")
    finally:
        connection.execute("release group_of_changes")


def undo(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Take back a run (`run`): every entry as it was before, unless it was changed since; and not to be done again.

    With `entries`, only what the run did with these, and with what it brought together with them.
    """
    run_id = str(arguments["run"])
    with writer.store.transaction() as connection:
        run = get_run(connection, run_id)
        if run is None:
            raise UsageError(f"there is no run {run_id}; `memoryd runs` lists them")
        if run.state == "undone":
            raise UsageError(f"run {run_id} was already undone")
        if parts := run.report.get("phases"):
            raise UsageError(_by_parts(run_id, parts))
        entries = arguments.get("entries") or ()
        only = brought_together(connection, run_id, entries) if entries else None
        now = utc_now()
        done = undo_run(connection, run_id, now, only)
        undone = (*done.restored, *done.left)
        if only and not undone:
            raise UsageError(f"what {run_id} did with {', '.join(entries)} was already undone")
        apart = keep_apart(connection, run_id, undone, now) if run.kind == CONSOLIDATE else []
        state = "undone" if done.whole else "partly undone"
        save_run(connection, replace(run, state=state))
    return {
        "run": run_id,
        "state": state,
        "restored": list(done.restored),
        "not_undone": dict(done.left),
        "kept_apart": apart,
    }


def _by_parts(run_id: str, parts: Mapping[str, Any]) -> str:
    """A night changes nothing itself: what its phases did is undone one by one."""
    runs = [told["run"] for told in parts.values() if told.get("run")]
    by_one = ", ".join(f"`memoryd undo {run}`" for run in reversed(runs)) or "it had none"
    return f"{run_id} is a night: undo its runs ({by_one}); what it learned stays until `memoryd memory remove ID`"
