"""The one write path of the memory bank: screening, planted instructions, duplicates, then the store.

Every entry passes `remember`; what was exported comes back through `restore_exported`, still screened.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from memoryd.errors import UsageError
from memoryd.memory.admission import (
    Verdict,
    admit,
    default_confidence,
    default_ttl,
    revive,
)
from memoryd.memory.gate import classify_kind
from memoryd.memory.gate.language import home_language
from memoryd.memory.gate.reading import read_families
from memoryd.memory.retention import ARCHIVED_BECAUSE
from memoryd.model import Entry, EntryKind, EntryState, Provenance
from memoryd.screening import ScreenedText, find_instructions, screen
from memoryd.store.bank import Bank, Because
from memoryd.store.entry_rows import entry_from_json, shown

FindSame = Callable[[Entry], Entry | None]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What became of something that should be remembered."""

    verdict: Verdict
    entry: Entry | None


def new_id() -> str:
    """An id for an entry; never only digits, those are messages."""
    return f"e-{uuid4().hex[:16]}"


def make_draft(fields: Mapping[str, Any], where: str, now: datetime) -> Entry:
    """An entry from what a caller gave, the rest by default; a field given as None is given.

    Raises:
        UsageError: an unknown field or a wrong value; *where* is named.
    """
    defaults: dict[str, Any] = {"id": new_id(), "created_at": now, "updated_at": now}
    draft = entry_from_json(fields, where, defaults)
    for name in _FORMS:
        check_name(name, getattr(draft, name), where)
    if "updated_at" not in fields:
        draft = replace(draft, updated_at=draft.created_at)
    if "kind" not in fields:
        draft = replace(draft, kind="working" if draft.session_id else kind_of(draft.content))
    if "confidence" not in fields:
        draft = replace(draft, confidence=default_confidence(draft.origin))
    if "ttl_days" not in fields:
        draft = replace(draft, ttl_days=default_ttl(draft.kind))
    return draft


def kind_of(text: str) -> EntryKind:
    """What kind of memory a text is, by its own words."""
    return classify_kind(read_families(text, home_language(text)))


def screen_entry(entry: Entry) -> tuple[Entry, ScreenedText, int]:
    """An entry with every text in it screened, its content, and how many secrets were replaced."""
    content = screen(entry.content)
    sources = tuple(_screen_source(one) for one in entry.sources)
    metadata = _screen_value(dict(entry.metadata))
    clean = replace(entry, content=content.text, sources=sources, metadata=metadata)
    return clean, content.text, sum(content.secrets.values())


def _screen_source(source: Provenance) -> Provenance:
    return replace(
        source,
        message_id=_screen_value(source.message_id),
        session_id=_screen_value(source.session_id),
        path=_screen_value(source.path),
        quote=_screen_value(source.quote),
    )


_FORMS = {
    "id": (re.compile(r"[^\x00-\x1f\x7f-\x9f\ud800-\udfff]+"), "text on one line"),
    "namespace": (
        re.compile(r"[^/\x00-\x1f\x7f-\x9f\ud800-\udfff]+/[^/\x00-\x1f\x7f-\x9f\ud800-\udfff]+"),
        "USER/APP",
    ),
}


def check_name(field: str, name: object, where: str) -> None:
    """Refuse an id or a namespace that is not of its form, or holds a secret.

    Raises:
        UsageError: says *where*, which and what was expected.
    """
    form, expected = _FORMS[field]
    if not isinstance(name, str) or not form.fullmatch(name) or not name.strip():
        raise UsageError(f"{where}: {field}: expected {expected}, got {shown(name)}")
    if screen(name).secrets:
        raise UsageError(f"{where}: {field} holds a secret; choose another")


def _check_names(entry: Entry) -> None:
    """Refuse names that hold secrets: replaced ones would be one name for several things.

    Raises:
        UsageError: the message says which, not what.
    """
    for field in ("id", "key", "namespace", "scope", "session_id"):
        name = getattr(entry, field)
        if name is not None and screen(name).secrets:
            raise UsageError(f"{field} holds a secret; choose another")


def _screen_value(value: Any) -> Any:  # JSON of any shape
    if isinstance(value, str):
        return screen(value).text
    if isinstance(value, list):
        return [_screen_value(one) for one in value]
    if isinstance(value, dict):
        return {screen(key).text: _screen_value(one) for key, one in value.items()}
    return value


def remember(bank: Bank, draft: Entry, because: Because, find_same: FindSame) -> Remembered:
    """Pass a draft through the write path; the caller owns the transaction.

    Args:
        find_same: finds an active entry that says the same in other words, or None.

    Raises:
        UsageError: a secret in a name (`key`, `scope` …).
    """
    _check_names(draft)
    clean, content, secrets = screen_entry(draft)
    if not content.strip():
        return Remembered(Verdict("rejected", "nothing is left after screening"), None)
    replaced = _same_key(bank, clean)
    equal = None if replaced else _same_words(bank, clean)
    same = equal or (None if replaced else find_same(clean))
    if same is None and replaced is None:
        same = equal = _forgotten_by_rule(bank, clean)
    verdict = admit(
        clean,
        planted=[finding.rule for finding in find_instructions(content)],
        refused=bank.is_refused(clean.namespace, content),
        secrets=secrets,
        same=same,
        equal=equal is not None,
    )
    if verdict.entry is None:
        return Remembered(verdict, None)
    if verdict.entry.state == "review" and replaced is None:
        waiting = _same_words(bank, clean, "review")
        if waiting is not None:  # a person is asked once, however often it is said
            told = Verdict(
                "duplicate", "the same words wait for a person already", other=waiting.id
            )
            return Remembered(told, waiting)
    stored = replace(verdict.entry, id=replaced.id) if replaced else verdict.entry
    bank.put(
        stored, screen(stored.content).text, replace(because, why=because.why or verdict.reason)
    )
    return Remembered(verdict, stored)


def _same_key(bank: Bank, draft: Entry) -> Entry | None:
    return None if draft.key is None else bank.by_key(draft.namespace, draft.key)


def _same_words(bank: Bank, draft: Entry, state: EntryState = "active") -> Entry | None:
    """The oldest entry of a state in the same words that serves the same readers."""
    return _first_for_the_same(
        bank.same_content(draft.namespace, draft.scope, draft.content, state), draft
    )


def _forgotten_by_rule(bank: Bank, draft: Entry) -> Entry | None:
    """An entry in the same words that retention had put into the archive: said again, it is remembered again."""
    found = bank.same_content(draft.namespace, draft.scope, draft.content, state="archived")
    retired = [one for one in found if ARCHIVED_BECAUSE in one.metadata]
    entry = _first_for_the_same(retired, draft)
    return None if entry is None else revive(entry)


def _first_for_the_same(found: Iterable[Entry], draft: Entry) -> Entry | None:
    return next(
        (
            one
            for one in found
            if (one.kind == "working", one.session_id)
            == (draft.kind == "working", draft.session_id)
        ),
        None,
    )


def restore_exported(bank: Bank, entry: Entry, because: Because) -> Entry:
    """Store an entry as given (also id, state, lineage); only secrets are still replaced, or refused in names."""
    _check_names(entry)
    clean, content, _ = screen_entry(entry)
    replaced = _same_key(bank, clean)
    if replaced is not None:
        clean = replace(clean, id=replaced.id)
    bank.put(clean, content, because)
    return clean
