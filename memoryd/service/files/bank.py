"""The bank's side of a change to a memory file, as the writer carries it out: before the file is written, and after.

What leaves a file is in the bank before the file changes: merged entries live on in the one that says them all, superseded
ones under the newer value, the least valuable as they are.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from memoryd.errors import UsageError
from memoryd.model import Entry, Provenance
from memoryd.service.bank import changes
from memoryd.service.bank.remembering import make_draft, screen_entry
from memoryd.service.files.importing import take_entry
from memoryd.service.files.links import NAMESPACE, FileRecord, read_record, write_record
from memoryd.service.files.writing import WRITING
from memoryd.service.writer import Tell, Writer, utc_now
from memoryd.store.bank import SNAPSHOT, Bank, Because
from memoryd.store.connection import Connection
from memoryd.store.runs import Run, get_run, save_run


def keep(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Keep a run that is about to write a file, and what becomes of entries in the bank.

    Args:
        arguments: `run`, `kind`, `scope`; `told` of `file_writing.describe_write`; `merged`: {"fingerprint", "words",
            "ids"} for each entry that says several now; `moved`: {"id", "text", "start", "end", "reason", "into"} (`into`:
            a fingerprint); `added`: entries as for `file_import.sync`; `linked`: [fingerprint, id] of what the bank holds
            already; `links`: fingerprints of the file's entries afterwards.
    """
    now, told = utc_now(), arguments["told"]
    with writer.store.transaction() as connection:
        record = read_record(connection, told["path"])
        part = _Part(connection, told["path"], arguments, now)
        ids = dict(record.links) | dict(arguments.get("linked", ()))
        for one in arguments.get("added", ()):
            ids[one["fingerprint"]] = part.add(one)
        for one in arguments.get("merged", ()):
            ids[one["fingerprint"]] = part.merge(one["ids"], one["words"])
        for one in arguments.get("moved", ()):
            part.move(one, ids.get(one["into"], ""))
        links = [[one, ids[one]] for one in arguments["links"] if one in ids]
        report = {**told, **part.report, "links": {"before": record.links, "after": links}}
        save_run(
            connection,
            Run(arguments["run"], arguments["kind"], NAMESPACE, now, now, WRITING, report),
        )
        write_record(connection, told["path"], replace(record, pending=arguments["run"]))
    return {"run": arguments["run"]}


@dataclass(frozen=True, slots=True)
class _Part:
    """Changes of the bank that belong to one run."""

    connection: Connection
    path: str
    arguments: Mapping[str, Any]
    now: datetime
    report: dict[str, list[str]] = field(
        default_factory=lambda: {"added": [], "merged": [], "moved": []}
    )

    def _get(self, entry_id: str) -> Entry | None:
        return Bank(self.connection).get(NAMESPACE, entry_id)

    def _put(self, entry: Entry, why: str) -> None:
        clean, content, _ = screen_entry(entry)
        because = Because("files", why, self.now, self.arguments["run"])
        bank = Bank(self.connection)
        bank.put(clean, content, because)

    def add(self, one: Mapping[str, Any]) -> str:
        """An entry that comes into the file; "" when the bank refuses it."""
        why = Because(one["origin"], f"added to {self.path}", self.now, self.arguments["run"])
        done = take_entry(Bank(self.connection), self.path, self.arguments["scope"], one, why)
        if done.entry is None:
            return ""
        self.report["added"].append(done.entry.id)
        return done.entry.id

    def merge(self, ids: Sequence[str], words: str) -> str:
        """One entry that says what these say; returns its id."""
        members = [entry for one in dict.fromkeys(ids) if (entry := self._get(one)) is not None]
        keeper = next((one for one in members if one.content == words), None)
        base = keeper or make_draft(
            {"content": words, "scope": self.arguments["scope"]}, self.path, self.now
        )
        others = [one for one in members if one.id != base.id]
        whole = replace(
            base,
            state="active",
            confidence=max([one.confidence for one in members], default=base.confidence),
            pinned=any(one.pinned for one in members),
            origin=members[0].origin if members else base.origin,
            merged_from=tuple(dict.fromkeys((*base.merged_from, *(one.id for one in others)))),
            sources=tuple(dict.fromkeys(source for one in members for source in one.sources)),
        )
        self._put(whole, f"says what {len(members)} entries of {self.path} said")
        for one in others:
            if one.state == "active":
                self._put(replace(one, state="merged"), f"merged in {self.path}")
                self.report["merged"].append(one.id)
        return base.id

    def move(self, one: Mapping[str, Any], into: str) -> None:
        """An entry leaves the file: under a newer value, or for the bank alone."""
        entry = self._get(one["id"])
        if entry is None:
            raise UsageError(f"cannot move an entry of {self.path}: the bank does not know it")
        source = Provenance(path=self.path, start=one["start"], end=one["end"], quote=one["text"])
        sources = tuple(dict.fromkeys((*entry.sources, source)))
        if one["reason"] == "superseded" and into and entry.state == "active":
            changed = replace(
                entry, state="superseded", superseded_by=into, valid_to=self.now, sources=sources
            )
        elif one["reason"] == "least valuable":
            state = "active" if entry.state == "archived" else entry.state
            metadata = {**entry.metadata, "moved_from": self.path}
            changed = replace(entry, state=state, sources=sources, metadata=metadata)
        else:
            return
        self.report["moved"].append(entry.id)
        self._put(changed, f"{one['reason']}: moved out of {self.path}")


def note(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Note that a run (`run`) has written its file; `told` says what was really written."""
    told = arguments["told"]
    with writer.store.transaction() as connection:
        run = get_run(connection, arguments["run"])
        record = read_record(connection, told["path"])
        if run is not None and run.state == WRITING and "links" in run.report:
            report = {**run.report, **told}
            save_run(connection, replace(run, finished=utc_now(), state="done", report=report))
            record = FileRecord(_links(report["links"]["after"]))
        write_record(connection, told["path"], replace(record, pending=""))
    return {"run": arguments["run"]}


def undo(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Take back the bank's part of a run (`run`) whose file is as it was before."""
    told = changes.undo(writer, arguments, tell)
    with writer.store.transaction() as connection:
        run = get_run(connection, arguments["run"])
        if run is not None and "links" in run.report:
            record = FileRecord(_links(run.report["links"]["before"]))
            write_record(connection, run.report["path"], record)
    return told


def note_loads(writer: Writer, arguments: Mapping[str, Any], tell: Tell) -> dict[str, Any]:
    """Count one use a session for the `ids` that an agent was given to load."""
    with writer.store.transaction() as connection:
        counted = Bank(connection).count_access(
            NAMESPACE, arguments["ids"], arguments["session"], SNAPSHOT, utc_now()
        )
    return {"counted": counted}


def _links(value: Any) -> tuple[tuple[str, str], ...]:  # JSON of links
    return tuple((one, other) for one, other in value)
