"""Changing a memory file as a run: the bank first, then the file, then the note that it is done; undone in reverse.

Before a file is touched the run is kept with all that undo needs, so a process killed anywhere leaves a run that tells
where it was (`recover`). Text that stays in the file is not copied: undo keeps only what a run takes out of it.
"""

import fcntl
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import sha256
from pathlib import Path
from typing import Any
from uuid import uuid4

from memoryd.config import Config
from memoryd.errors import HeldError, MemorydError, RetryError, UsageError
from memoryd.memory_files.approvals import judge_write
from memoryd.memory_files.discovery import Place, find_place
from memoryd.memory_files.editing import Edit, apply_edits, derive_edits
from memoryd.memory_files.file import MemoryFile
from memoryd.memory_files.profiles import Profile
from memoryd.memory_files.units import decode, encode, is_utf8
from memoryd.memory_files.writer import Merge, Written, clear_leftovers, write_file
from memoryd.screening import screen
from memoryd.service.commands import carry_out
from memoryd.service.files.links import known_record
from memoryd.service.files.places import (
    approved_names,
    known_groups,
    known_projects,
    ledger_of,
    lowered_profile,
    scope_of,
)
from memoryd.service.home import prepare_home
from memoryd.service.writer import utc_now
from memoryd.store.connection import Connection
from memoryd.store.reader import Reader
from memoryd.store.runs import Run, get_run

_LINES = re.compile(r"\n|[^\n]+")
KINDS = ("compact", "file add", "file update")  # runs that write a memory file
LOCK_NAME = "memoryd.files.lock"
HOLD_SECONDS = 60.0  # for another command that changes files: as long as an agent may hold its own lock, and more
INSIST_SECONDS = 10.0
WRITING = "writing"  # the state of a run between the bank and the file


@dataclass(frozen=True, slots=True)
class Opened:
    """One memory file about to be changed.

    Attributes:
        profile: the place's, with the limit that is really left for this file.
        refusal: why it may not be written, "" when it may.
        scope: for whom its facts hold.
    """

    place: Place
    profile: Profile
    file: MemoryFile
    refusal: str
    scope: str


def open_file(
    home: Path, config: Config, path: Path, profile: str | None, *, missing_ok: bool = False
) -> Opened:
    """Read a file to change it.

    Raises:
        UsageError: it is not there, or cannot be read.
    """
    if missing_ok and path.parent.is_dir() and not os.path.lexists(path):
        place = find_place(path, os.environ, Path.home(), profile=profile)
        return open_known(home, config, place, MemoryFile(path, None))
    if path.is_dir():
        raise UsageError(f"{path} is a folder: name one file")
    group = known_groups(home, [path], profile)[0]
    return open_known(home, config, group.place, group.files[0])


def open_known(home: Path, config: Config, place: Place, file: MemoryFile) -> Opened:
    """What may be done with a file that was read already.

    Raises:
        UsageError: its name cannot be stored.
    """
    if not is_utf8(str(file.path)):
        raise UsageError(f"cannot keep {str(file.path)!r}: its name is not valid UTF-8")
    records, readable = ledger_of(place, [file])
    profile = lowered_profile(place, file)
    refusal = judge_write(
        file,
        profile,
        approved_names(home, config),
        record=records.get(file.path),
        ledger_readable=readable,
    )
    return Opened(place, profile, file, refusal, scope_of(place, known_projects(home)))


def make_delta(before: str, after: str) -> list[list[int] | str]:
    """*before* as stretches [start, end) of *after*, and the text that is not in it."""
    old, new = _LINES.findall(before), _LINES.findall(after)
    ends = [0]
    for piece in new:
        ends.append(ends[-1] + len(piece))
    delta: list[list[int] | str] = []
    for tag, a, b, c, d in SequenceMatcher(None, new, old, autojunk=False).get_opcodes():
        if tag == "equal":
            delta.append([ends[a], ends[b]])
        elif d > c:
            delta.append("".join(old[c:d]))
    return delta


def apply_delta(delta: Sequence[Any], after: str) -> str:
    """The text that `make_delta` was given as *before*."""
    return "".join(one if isinstance(one, str) else after[one[0] : one[1]] for one in delta)


def digest(data: bytes | None) -> str:
    """What a file's bytes are known by; "" for no file."""
    return "" if data is None else sha256(data).hexdigest()


def describe_write(
    path: Path, before: bytes | None, after: bytes, profile: Profile
) -> dict[str, Any]:
    """What undo needs of a write.

    Raises:
        UsageError: it would have to keep a copy of a secret, or of text that is no UTF-8.
    """
    old, new = decode(before or b""), decode(after)
    delta = make_delta(old, new)
    kept = "\n".join(one for one in delta if isinstance(one, str))
    if not is_utf8(kept):
        raise UsageError(f"cannot change {path}: it is not valid UTF-8")
    if screen(kept).secrets:
        raise UsageError(
            f"cannot change {path}: undo would have to keep a copy of the secret in it; remove that first"
        )
    back = derive_edits(profile.parse(path.name, new), profile.parse(path.name, old))
    return {
        "path": str(path),
        "profile": profile.name,
        "before": digest(before),
        "after": digest(after),
        "undo": {
            "delta": delta,
            "back": [[list(one.removed), list(one.added)] for one in back],
        },
    }


def write_as_run(
    home: Path,
    config: Config,
    opened: Opened,
    kind: str,
    after: bytes,
    merge: Merge | None,
    changes: Mapping[str, Any],
) -> str:
    """Change the bank and then a file as one run; returns its id.

    Args:
        changes: what becomes of entries in the bank: `moved`, `merged`, `links` of `filing.keep`.

    Raises:
        MemorydError: the file could not be written; the bank is as it was.
    """
    path = opened.file.path
    run = f"f-{utc_now():%Y%m%d}-{uuid4().hex[:8]}"
    told = describe_write(path, opened.file.data, after, opened.profile)
    carry_out(
        home,
        config,
        "files.keep",
        {"run": run, "kind": kind, "scope": opened.scope, "told": told, **changes},
    )
    try:
        written = put_file(opened.place, opened.profile, opened.file, after, merge)
    except MemorydError as error:
        _take_back(home, config, run, error)
        raise
    if written.merged:
        told = describe_write(path, written.before, written.after, opened.profile)
    # The file is written: if the bank is busy for long, the next look at the file notes it (`recover`).
    with suppress(HeldError, RetryError):
        _insist(home, config, "files.note", {"run": run, "told": told})
    return run


def _insist(home: Path, config: Config, command: str, arguments: Mapping[str, Any]) -> Any:
    """Have a command done that ends what was begun, even if another process writes for a moment."""
    deadline = time.monotonic() + INSIST_SECONDS
    while True:
        try:
            return carry_out(home, config, command, arguments)
        except (HeldError, RetryError):
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


@contextmanager
def hold_files(home: Path) -> Iterator[None]:
    """Let no other process of this home change memory files meanwhile; the kernel frees it when one dies.

    What is known of a file (`file_links`) is only true to one at a time; read the file inside.

    Raises:
        HeldError: another one took too long.
    """
    prepare_home(home)
    handle = os.open(home / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        deadline = time.monotonic() + HOLD_SECONDS
        while not _lock(handle):
            if time.monotonic() > deadline:
                raise HeldError("another memoryd command is changing memory files; try again")
            time.sleep(0.1)
        yield
    finally:
        os.close(handle)


def _lock(handle: int) -> bool:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _take_back(home: Path, config: Config, run: str, error: MemorydError) -> None:
    """Undo the bank's part of a run whose file could not be written."""
    try:
        _insist(home, config, "files.undo", {"run": run})
    except MemorydError as second:
        raise type(error)(
            f"{error}; its entries are in the bank too now ({second}): memoryd undo {run}"
        ) from error


def put_file(
    place: Place, profile: Profile, file: MemoryFile, after: bytes, merge: Merge | None
) -> Written:
    """Write a file under its agent's lock."""
    return write_file(
        file.path,
        file.data,
        after,
        roots=[place.root],
        merge=merge,
        sidecar_lock=profile.sidecar_lock,
    )


def recover(home: Path, config: Config, path: Path, root: Path) -> str:
    """Finish or take back what a killed run left of a file; returns what was done, "" for nothing."""
    pending = known_record(home, path).pending
    if not pending:
        return ""
    with suppress(MemorydError, OSError):  # else the next write removes it
        clear_leftovers(path, [root])
    with Reader(home) as reader:
        run = get_run(reader.connection, pending)
    now = digest(path.read_bytes()) if path.is_file() else ""
    if run is not None and now == run.report.get("before"):
        carry_out(home, config, "files.undo", {"run": pending})
        return f"took back {pending}, which was interrupted before it wrote"
    carry_out(home, config, "files.note", {"run": pending, "told": {"path": str(path)}})
    return f"finished {pending}, which was interrupted after it wrote"


def undo_write(home: Path, config: Config, run: Run) -> dict[str, Any]:
    """Put a file back as it was before a run, hand edits made since kept; then the bank's part.

    Returns:
        As `changes.undo`; a file that was left alone stands in `not_undone`, and then the bank is left alone too.
    """
    path = Path(str(run.report["path"]))
    with hold_files(home):
        left = _put_back(home, path, run.report)
        if left:
            return {"run": run.id, "restored": [], "not_undone": {str(path): left}, "file": None}
        told: dict[str, Any] = _insist(home, config, "files.undo", {"run": run.id})
    return told | {"file": str(path)}


def _put_back(home: Path, path: Path, report: Mapping[str, Any]) -> str:
    """Write a file back; why not, or "" when it is as it was."""
    if not path.exists():
        return "it is not there any more" if report["before"] else ""
    group = known_groups(home, [path], str(report["profile"]))[0]
    file, profile = group.files[0], group.place.profile
    now = digest(file.data)
    if now == report["before"]:
        return ""
    if not report["before"]:
        return "it did not exist before: delete it yourself if it is not wanted"
    merge = _make_undoing(report, profile, path.name)
    if now == report["after"]:
        target: bytes | None = encode(apply_delta(report["undo"]["delta"], file.text))
    else:
        target = merge(b"", file.data or b"", b"")
    if target is None:
        return "it was changed since, in the same entries: that version stays"
    put_file(group.place, profile, file, target, merge)
    return ""


def _make_undoing(
    report: Mapping[str, Any], profile: Profile, name: str
) -> Callable[[bytes, bytes, bytes], bytes | None]:
    """Turns a version that was changed since into one without the run, entry by entry."""
    edits = [Edit(tuple(removed), tuple(added)) for removed, added in report["undo"]["back"]]

    def merge(base: bytes, theirs: bytes, ours: bytes) -> bytes | None:
        text = apply_edits(decode(theirs), edits, profile, name)
        return None if text is None else encode(text)

    return merge


def file_run(connection: Connection, run_id: str) -> Run | None:
    """The run, if it wrote (or was about to write) a memory file and was not undone.

    Raises:
        UsageError: what undo would need was forgotten; the bank's part alone would lose what left the file.
    """
    run = get_run(connection, run_id)
    if run is None or run.kind not in KINDS or run.state not in ("done", WRITING):
        return None
    if "undo" not in run.report:
        raise UsageError(f"{run_id} cannot be undone: something it wrote was forgotten since")
    return run
