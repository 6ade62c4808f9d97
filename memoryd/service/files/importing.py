"""Taking the entries of a memory file into the bank (`files.sync`): what came, what was reworded, what went.

A hand edit in the file is the user's word: a reworded entry replaces the old one in the bank, a removed one goes to the
archive, unless somebody else still says it. What the bank holds already is only linked, so syncing again changes nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from memoryd.memory_files.changes import Changes, compare_entries
from memoryd.model import Entry, Provenance
from memoryd.service.bank.remembering import Remembered, make_draft, remember, screen_entry
from memoryd.service.files.links import (
    NAMESPACE,
    FileRecord,
    Link,
    linked_elsewhere,
    read_record,
    write_record,
)
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.bank import Bank, Because, list_entries
from memoryd.store.connection import Connection
from memoryd.store.runs import Run, save_run

# More than this share of a file's entries gone at once looks like an accident and waits for a person.
VANISHED_SHARE = 0.5
VANISHED_AT_LEAST = 4


def compare(record: FileRecord, found: list[str]) -> Changes:
    """What happened to a file's entries, by their fingerprints."""
    return compare_entries([one for one, _ in record.links], list(dict.fromkeys(found)))


def looks_lost(changes: Changes, record: FileRecord) -> bool:
    """Did so much vanish at once that nobody can have meant it?"""
    gone = len(changes.removed)
    return gone >= VANISHED_AT_LEAST and gone > len(record.links) * VANISHED_SHARE


def sync(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Bring the bank in step with the entries of a file.

    Args:
        arguments: `run`, `path`, `scope`, `confirmed`, and `entries`: {"fingerprint", "words", "text", "start", "end",
            "origin", "confidence"} in file order.
    """
    now = utc_now()
    with writer.store.transaction() as connection:
        step = _Step(connection, arguments, now)
        report = step.carry_out()
        changed = any(report[one] for one in ("added", "known", "replaced", "archived", "waiting"))
        if changed:
            run = Run(arguments["run"], "files sync", NAMESPACE, now, utc_now(), "done", report)
            save_run(connection, replace(run, report={"file": arguments["path"], **report}))
    return {**report, "run": arguments["run"] if changed else None}


def take_entry(
    bank: Bank, path: str, scope: str, one: Mapping[str, Any], because: Because
) -> Remembered:
    """Remember one entry of a file, with the place where it stands; paraphrases are left to consolidation."""
    fields = {"content": one["words"], "scope": scope, "metadata": {"file": path}}
    fields |= {"origin": one["origin"], "confidence": one["confidence"]}
    source = Provenance(path=path, start=one["start"], end=one["end"], quote=one["text"])
    draft = replace(make_draft(fields, path, because.at), sources=(source,))
    return remember(bank, draft, because, lambda entry: None)


@dataclass(slots=True)
class _Step:
    """One file on its way into the bank, inside one transaction."""

    connection: Connection
    arguments: Mapping[str, Any]
    now: datetime
    links: dict[str, str] = field(default_factory=dict)
    report: dict[str, list[str]] = field(
        default_factory=lambda: {
            "added": [],
            "known": [],
            "replaced": [],
            "archived": [],
            "waiting": [],
            "refused": [],
            "vanished": [],
        }
    )

    @property
    def path(self) -> str:
        return str(self.arguments["path"])

    @property
    def bank(self) -> Bank:
        return Bank(self.connection)

    def carry_out(self) -> dict[str, list[str]]:
        record = read_record(self.connection, self.path)
        entries = {one["fingerprint"]: one for one in self.arguments["entries"]}
        known = dict(record.links)
        changes = compare(record, [one["fingerprint"] for one in self.arguments["entries"]])
        vanished: tuple[Link, ...] = ()
        if looks_lost(changes, record) and not self.arguments.get("confirmed"):
            vanished = tuple((one, known[one]) for one in changes.removed)
            self.report["vanished"] = [entry_id for _, entry_id in vanished]
        come = {*changes.added, *(new for _, new in changes.reworded)}
        for one, entry in entries.items():
            self.links[one] = self._take(entry) if one in come else known[one]
        for old, new in changes.reworded:
            self._replace(known[old], self.links[new])
        if not vanished:
            for one in changes.removed:
                self._archive(known[one])
        write_record(
            self.connection, self.path, FileRecord((*self.links.items(), *vanished), record.pending)
        )
        return self.report

    def _because(self, who: str, why: str) -> Because:
        return Because(who, why, self.now, self.arguments["run"])

    def _take(self, one: Mapping[str, Any]) -> str:
        """Remember an entry of the file; "" when the bank refuses it."""
        # What stands further down is newer: of two values in one file, consolidation keeps the later.
        later = self.now + timedelta(microseconds=len(self.links))
        because = replace(self._because(one["origin"], f"stands in {self.path}"), at=later)
        done = take_entry(self.bank, self.path, self.arguments["scope"], one, because)
        if done.entry is None:
            self.report["refused"].append(done.verdict.reason)
            return ""
        outcomes = {"added": "added", "review": "waiting"}
        self.report[outcomes.get(done.verdict.outcome, "known")].append(done.entry.id)
        return done.entry.id

    def _replace(self, old_id: str, new_id: str) -> None:
        """The user reworded an entry: the new words replace the old ones."""
        old = self.bank.get(NAMESPACE, old_id)
        new = self.bank.get(NAMESPACE, new_id)
        if new is None or new.state != "active":
            self._archive(old_id)
        elif old is None or old_id == new_id or self._is_held(old_id):
            return
        elif old.state == "merged":
            self._dispute(old, new)
        elif old.state == "active":
            ended = replace(
                old,
                state="superseded",
                superseded_by=new_id,
                valid_to=self.now,
                updated_at=self.now,
            )
            self._put(ended, f"reworded in {self.path}")
            self.report["replaced"].append(old_id)

    def _dispute(self, old: Entry, new: Entry) -> None:
        """The old words live on in an entry with other facts: a person decides."""
        for holder in list_entries(self.connection, NAMESPACE):
            if old.id in holder.merged_from and holder.id != new.id:
                reason = f"{self.path} says it in other words now"
                self.bank.add_conflict(NAMESPACE, holder.id, new.id, reason, self.arguments["run"])

    def _archive(self, entry_id: str) -> None:
        """An entry left the file: it goes to the archive, unless somebody else still says it."""
        entry = self.bank.get(NAMESPACE, entry_id)
        if entry is None or entry.state != "active" or entry.pinned or self._is_held(entry_id):
            return
        if any(source.path != self.path for source in entry.sources):
            return
        self._put(
            replace(entry, state="archived", updated_at=self.now), f"removed from {self.path}"
        )
        self.report["archived"].append(entry_id)

    def _put(self, entry: Entry, why: str) -> None:
        clean, content, _ = screen_entry(entry)
        self.bank.put(clean, content, self._because("user", why))

    def _is_held(self, entry_id: str) -> bool:
        """Does this file still hold an entry under other words, or another file?"""
        return entry_id in self.links.values() or entry_id in linked_elsewhere(
            self.connection, self.path
        )
