"""Which folders the kernel really watches: watchdog is silent about those it could not add.

Linux tells it in /proc/self/fdinfo; elsewhere (FSEvents watches whole trees) there is nothing to compare.
"""

import errno
import os
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

INODE = re.compile(r"^inotify wd:\S+ ino:([0-9a-f]+)", re.MULTILINE)


def watched_inodes() -> frozenset[int] | None:
    """Inode numbers of everything this process watches by inotify; None where the system has no inotify.

    Source: proc(5), /proc/pid/fdinfo: `inotify wd:1 ino:2f1a sdev:800013 mask:…`.
    """
    if sys.platform != "linux":
        return None
    return frozenset(int(inode, 16) for text in _inotify_tables() for inode in INODE.findall(text))


def _inotify_tables() -> Iterator[str]:
    for link in Path("/proc/self/fd").iterdir():
        try:
            if str(link.readlink()) == "anon_inode:inotify":
                yield Path("/proc/self/fdinfo", link.name).read_text("ascii")
        except OSError:  # closed meanwhile
            continue


def folders_below(root: Path) -> dict[int, Path]:
    """Inode number -> path of *root* and every folder below it; symlinked ones are not followed."""
    found = {}
    for folder, _, _ in os.walk(root):
        try:
            found[Path(folder).stat().st_ino] = Path(folder)
        except OSError:  # gone meanwhile
            continue
    return found


def uncovered(root: Path, watched: frozenset[int]) -> list[Path]:
    """The topmost folders of a watched *root* that no watch covers.

    Where even the root's own watch cannot be recognised (a stacking file system numbers its inodes
    differently) nothing can be told, and nothing is reported.
    """
    folders = folders_below(root)
    if not any(path == root and inode in watched for inode, path in folders.items()):
        return []
    return topmost(path for inode, path in folders.items() if inode not in watched)


def topmost(paths: Iterable[Path]) -> list[Path]:
    """Leave out every path that lies below another one."""
    kept: list[Path] = []
    for path in sorted(paths):
        if not kept or not path.is_relative_to(kept[-1]):
            kept.append(path)
    return kept


def advice(error: OSError) -> str:
    """What a person can do about a watch that could not be made; the system's own words mislead."""
    if error.errno == errno.ENOSPC:
        return "the limit of watched folders is reached: raise fs.inotify.max_user_watches"
    if error.errno == errno.EMFILE:
        return "the limit of watchers is reached: raise fs.inotify.max_user_instances"
    return f"cannot be watched: {error.strerror or error}"
