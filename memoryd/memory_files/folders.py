"""Opens the folder of a memory file by walking to it, so that no link can lead a write out of the allowed roots.

Every component below the resolved root is opened relative to its parent without following links; later steps use
the folder's handle, never a path. A folder of another user, or one that others may write into, is refused.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from memoryd.errors import UsageError

_NAME_BYTES = 255  # NAME_MAX of every file system in use
_WALK = os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# Linux can hold a folder that may be entered but not listed, such as /home on some systems.
_PASS = _WALK | getattr(os, "O_PATH", os.O_RDONLY)


@dataclass(frozen=True, slots=True)
class Target:
    """A file that may be written: an allowed root with every link resolved, and the way below it."""

    root: Path
    below: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.below[-1]

    @property
    def path(self) -> Path:
        return self.root.joinpath(*self.below)


def find_target(path: Path, roots: Sequence[Path], *, follow: bool = False) -> Target:
    """Check a path by its spelling and place it below one of the allowed roots.

    Args:
        path: absolute.
        roots: folders that exist; links in the way to a root itself are the user's own and are resolved.
        follow: resolve links at or below the root too, as long as they end inside a root.

    Raises:
        UsageError: relative, `..`, NUL, too long, or outside every root.
    """
    _check_spelling(path)
    resolved = {root: Path(os.path.realpath(root)) for root in roots if root.is_dir()}
    for root, real in resolved.items():
        base = next((base for base in (root, real) if path.is_relative_to(base)), None)
        if base is None or path == base:
            continue
        inside = real / path.relative_to(base)
        if not follow:
            return Target(real, inside.relative_to(real).parts)
        final = Path(os.path.realpath(inside))
        for allowed in resolved.values():
            if final.is_relative_to(allowed) and final != allowed:
                return Target(allowed, final.relative_to(allowed).parts)
    raise UsageError(f"refusing to write {str(path)!r}: it is outside the folders of its agent")


def _check_spelling(path: Path) -> None:
    parts = path.parts
    reason = ""
    if "\0" in str(path):
        reason = "the name holds a NUL character"
    elif not path.is_absolute():
        reason = "the path is not absolute"
    elif ".." in parts:
        reason = "the path goes up with .."
    elif any(len(os.fsencode(part)) > _NAME_BYTES for part in parts):
        reason = f"a name is longer than {_NAME_BYTES} bytes"
    if reason:
        raise UsageError(f"refusing to write {str(path)[:200]!r}: {reason}")


@contextmanager
def open_folder(target: Target) -> Iterator[int]:
    """The folder of a target as a handle, for the `dir_fd` of every further step.

    Raises:
        UsageError: a component is missing, a link, no folder, of another user, or writable by others.
    """
    handle = _walk(target)
    try:
        yield handle
    finally:
        os.close(handle)


def is_same_folder(target: Target, folder: int) -> bool:
    """Does the way to the target still lead to this folder?"""
    try:
        with open_folder(target) as again:
            return os.path.samestat(os.fstat(again), os.fstat(folder))
    except UsageError:
        return False


def _walk(target: Target) -> int:
    above = target.root.parts[1:]
    components = (*above, *target.below[:-1])
    handle = os.open(target.root.anchor, _PASS)
    for depth, component in enumerate(components, 1):
        flags = _WALK | os.O_RDONLY if depth == len(components) else _PASS
        handle = _step(handle, component, flags, target)
        if depth >= len(above):
            _check_owner(handle, component, target)
    return handle


def _step(parent: int, component: str, flags: int, target: Target) -> int:
    """Open the next folder and close its parent."""
    try:
        return os.open(component, flags, dir_fd=parent)
    except OSError as error:
        reason = f"{component!r} on the way is a link or no folder ({error.strerror})"
        raise UsageError(f"refusing to write {target.path}: {reason}") from error
    finally:
        os.close(parent)


def _check_owner(handle: int, component: str, target: Target) -> None:
    state = os.fstat(handle)
    open_to_others = (
        state.st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not state.st_mode & stat.S_ISVTX
    )
    if state.st_uid == os.geteuid() and not open_to_others:
        return
    os.close(handle)
    reason = (
        "others may write into it (chmod go-w)" if open_to_others else "it belongs to another user"
    )
    raise UsageError(f"refusing to write {target.path}: folder {component!r}: {reason}")
