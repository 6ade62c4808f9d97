"""Cursor's editor: `state.vscdb`, a table of keys and JSON values of up to several gigabytes, read by ranges of keys only.

Format of versions 0.40 to 2.x (2025, 2026): `composerData:<composer>` is a conversation (its `fullConversationHeadersOnly`
says what is still in it, in which order), `bubbleId:<composer>:<bubble>` a message; older ones hold their bubbles in
`conversation`. A key that is written anew gets a new row number, so what is new is what has a high one. The table
also holds the user's tokens: no other key is ever read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from memoryd.model import Message, Role
from memoryd.sources.context import Context
from memoryd.sources.databases import SqliteSource
from memoryd.sources.places import application_folder
from memoryd.sources.session_rows import Rows
from memoryd.sources.sqlite import Database, Row
from memoryd.sources.texts import content_key, lookup, parse_time, text_or_none
from memoryd.sources.turns import Turn, decoded, json_column

_TABLE = "cursorDiskKV"
_COMPOSER, _BUBBLE = "composerData:", "bubbleId:"
_PAST = ";"  # the character behind ":": the end of a range of keys
_HEADERS = "headers"  # in the state: how many and which bubbles the recent conversations had
_REMEMBERED = 16


class CursorDatabase(SqliteSource):
    """`globalStorage/state.vscdb`, and the ones of workspaces."""

    name, title = "cursor", "Cursor"
    names = re.compile(r"(^|/)state\.vscdb$")
    patterns = ("state.vscdb", "*/state.vscdb")
    signs = (b"cursorDiskKV",)
    listing = 0
    tables = (
        Rows(_TABLE, session="key", prefix=_COMPOSER, clock="rowid", content="value"),
        Rows(_TABLE, session="key", prefix=_BUBBLE, clock="rowid", content="value"),
    )

    @classmethod
    def default_roots(cls, environ: Mapping[str, str], home: Path) -> Sequence[Path]:
        """The editor's storage."""
        user = application_folder(environ, home) / "Cursor" / "User"
        return [user / "globalStorage", user / "workspaceStorage"]

    def open_session(
        self, database: Database, session_id: str, context: Context
    ) -> dict[str, Any] | None:
        """The facts of the conversation, and what is still in it."""
        composer = _value(database, _COMPOSER + session_id)
        repository = lookup(composer, "trackedGitRepos.0") or {}
        parent = text_or_none(lookup(composer, "subagentInfo.parentComposerId"))
        context.note(
            session_id,
            title=text_or_none(composer.get("name")),
            model=text_or_none(lookup(composer, "modelConfig.modelName")),
            project=text_or_none(lookup(composer, "workspaceIdentifier.uri.fsPath"))
            or text_or_none(repository.get("repoPath")),
            branch=text_or_none(lookup(repository, "branches.0.branchName")),
            parent_id=parent,
        )
        headers = composer.get("fullConversationHeadersOnly") or ()
        bubbles = [header["bubbleId"] for header in headers if isinstance(header, Mapping)]
        return {
            "id": session_id,
            "composer": composer,
            "bubbles": bubbles,
            "known": _known_bubbles(context, session_id, bubbles),
            "person": "system" if parent else "user",
        }

    def rows(
        self, database: Database, session: dict[str, Any], since: float | None
    ) -> Iterator[Row]:
        """The bubbles; when all are read, those that are no longer in the conversation are marked."""
        for bubble in session["composer"].get("conversation") or ():
            yield {"key": f":{bubble.get('bubbleId')}", "value": bubble, "gone": False}
        kept = set(session["bubbles"])
        everything = since is None or session["known"] is None
        for bubble in session["bubbles"][0 if everything else session["known"] :]:
            key = f"{_BUBBLE}{session['id']}:{bubble}"
            for row in database.records(_TABLE, ("key", "value"), {"key": key}):
                yield row | {"gone": False}
        for row in self._bubbles(database, session["id"], None if everything else since):
            gone = bool(kept) and str(row["key"]).rpartition(":")[2] not in kept
            if gone or not everything or not kept:
                yield row | {"gone": gone}

    def _bubbles(self, database: Database, composer: str, since: float | None) -> Iterator[Row]:
        """All bubbles of a conversation, or those written anew."""
        start = f"{_BUBBLE}{composer}"
        return database.records(
            _TABLE,
            ("key", "value"),
            {},
            after=None if since is None else ("rowid", since),
            order=("rowid",),
            between=("key", start + ":", start + _PAST),
        )

    def parse(self, row: Row, session: dict[str, Any], context: Context) -> Iterable[Message]:
        """The messages in a bubble."""
        bubble, identifier = json_column(row["value"]), str(row["key"]).rpartition(":")[2]
        time = parse_time(bubble.get("createdAt")) or parse_time(
            lookup(bubble, "timingInfo.clientStartTime")
        )
        time = time or parse_time(session["composer"].get("createdAt"))
        turn = Turn(context, session["id"], f"{session['id']}:{identifier}", time, identifier)
        messages = list(_messages(bubble, turn, session["person"]))
        if row["gone"]:
            context.skip("withdrawn")
            context.retract(message.key for message in messages)
            return ()
        return messages


def _messages(bubble: Mapping[str, Any], turn: Turn, person: Role) -> Iterator[Message]:
    text = text_or_none(bubble.get("text")) or text_or_none(bubble.get("rawText"))
    tool = bubble.get("toolFormerData")
    if text:
        yield turn.say(person if bubble.get("type") in (1, "user") else "assistant", text)
    if isinstance(tool, Mapping) and tool.get("name"):
        arguments = decoded(tool.get("rawArgs")) or decoded(tool.get("params"))
        identifier = tool.get("toolCallId") or turn.key
        yield turn.call(tool.get("name"), arguments, identifier)
        yield from turn.result(decoded(tool.get("result")), identifier)
    elif not text:
        turn.context.skip("no text")


def _value(database: Database, key: str) -> dict[str, Any]:
    row = next(database.records(_TABLE, ("value",), {"key": key}), {"value": None})
    return json_column(row["value"])


def _known_bubbles(context: Context, session_id: str, bubbles: list[str]) -> int | None:
    """How many of the bubbles were in the conversation last time; None if not all of them still are."""
    known: dict[str, list[Any]] = context.state.setdefault(_HEADERS, {})
    count, before = known.pop(session_id, [0, ""])
    known[session_id] = [len(bubbles), content_key(*bubbles)]
    while len(known) > _REMEMBERED:
        del known[next(iter(known))]
    return count if before == content_key(*bubbles[:count]) else None
