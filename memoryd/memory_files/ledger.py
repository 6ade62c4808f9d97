"""OpenClaw's record of who wrote its memory files: where it exists, a foreign write makes the file vanish.

OpenClaw keeps the SHA-256 of MEMORY.md, USER.md and memory/*.md whenever its own agent writes. If a record exists
and the file was changed by anyone else, the agent's next write marks the file untrusted; it is then loaded no more
(openclaw#153426, memory-artifact-provenance of 2026.9.6). memoryd reads that record and never changes it.

The record lies in a table of OpenClaw's database, `plugin_state_entries(plugin_id, namespace, entry_key, value_json)`
in `<home>/state/openclaw.sqlite`; the shell reads the one row and hands its JSON to `parse_record`.
"""

import json
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from memoryd.memory_files.file import MemoryFile

OWNER = "core:memory-artifact-provenance"
NAMESPACE = "workspace-files"

Standing = Literal["free", "armed", "changed", "untrusted", "unknown"]


@dataclass(frozen=True, slots=True)
class LedgerRecord:
    """What OpenClaw noted at its last own write: the file's SHA-256, and whether it still trusts the file."""

    file_hash: str
    trusted: bool


def ledger_key(workspace: Path, path: Path) -> str:
    """The `entry_key` of a file's record.

    Args:
        workspace: the agent's workspace folder with every link resolved.
        path: the file below it.
    """
    relative = path.relative_to(workspace).as_posix()
    return f"{_hash(workspace.as_posix())}:{_hash(relative)}"


def _hash(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def parse_record(value_json: str) -> LedgerRecord:
    """Read a record's JSON; one of an unknown form has no hash, and its file may not be written."""
    try:
        value = json.loads(value_json)
        return LedgerRecord(str(value["fileHash"]), value["originClass"] == "agent")
    except (ValueError, KeyError, TypeError):
        return LedgerRecord("", trusted=False)


def judge_standing(file: MemoryFile, record: LedgerRecord | None) -> Standing:
    """How a file stands in the ledger.

    Returns:
        free: no record, a foreign write does no harm.
        armed: written by the agent and unchanged since; a foreign write would spring the trap.
        changed: changed by someone else since; the agent's next write makes it vanish.
        untrusted: it has vanished already.
        unknown: a record of a newer form.
    """
    if record is None:
        return "free"
    if not record.file_hash:
        return "unknown"
    if not record.trusted:
        return "untrusted"
    return "armed" if record.file_hash == file.digest else "changed"
