"""Says whether memoryd may write a memory file now; everything else is a proposal."""

from collections.abc import Sequence
from pathlib import Path

from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.ledger import LedgerRecord, judge_standing
from memoryd.memory_files.profiles import Profile


def judge_write(
    file: MemoryFile,
    profile: Profile,
    approved: Sequence[str],
    *,
    record: LedgerRecord | None = None,
    ledger_readable: bool = True,
) -> str:
    """Why the file may not be written; "" when it may.

    Args:
        approved: paths and names of profiles that the user approved (`files.approve`).
        record: OpenClaw's record of the file; ledger_readable: False when it has a ledger that could not be read.
    """
    permission = profile.rule(file.path.name).permission
    if permission == "never":
        return f"people write {file.path.name}: memoryd only reads it"
    if permission == "propose":
        return f"{profile.title} keeps {file.path.name} itself: memoryd only proposes"
    if permission == "ledger" and not ledger_readable:
        return f"{profile.title}'s record of its own writes cannot be read: memoryd only proposes"
    if permission == "ledger" and judge_standing(file, record) != "free":
        return f"{profile.title} would drop {file.path.name} after a foreign write: memoryd only proposes"
    if not _is_approved(file.path, profile, approved):
        return f"not approved yet: memoryd files approve {file.path}"
    return ""


def _is_approved(path: Path, profile: Profile, approved: Sequence[str]) -> bool:
    return any(name == profile.name or Path(name).expanduser() == path for name in approved)
