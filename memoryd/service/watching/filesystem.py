"""Which file systems announce the changes that other machines make: those that do not must be polled."""

import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

# A change made elsewhere (a server, a host, the Windows side of WSL) gives no event here.
SILENT_KINDS = frozenset(
    {
        "9p",
        "afpfs",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "coda",
        "davfs",
        "drvfs",
        "fuse.glusterfs",
        "fuse.grpcfuse",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "fuse.vmhgfs-fuse",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "osxfuse",
        "prl_fs",
        "smb3",
        "smbfs",
        "vboxsf",
        "vmhgfs",
        "virtiofs",
        "webdav",
    }
)
MOUNT_LINE = re.compile(r"^.* on (?P<point>/.*) \((?P<kind>[^,)]+)")
OCTAL = re.compile(r"\\([0-7]{3})")


def silent_kind(path: Path) -> str | None:
    """The kind of the file system that holds *path*, if it does not announce remote changes."""
    kind = kind_of(path, mounts())
    return kind if kind in SILENT_KINDS else None


def kind_of(path: Path, table: Iterable[tuple[str, str]]) -> str:
    """The kind of the file system *path* lies on: that of the longest mount point above it, the last one winning."""
    best, found = -1, ""
    for point, kind in table:
        above = point == "/" or str(path) == point or str(path).startswith(point + "/")
        if above and len(point) >= best:
            best, found = len(point), kind
    return found


def mounts() -> list[tuple[str, str]]:
    """(mount point, kind) of everything mounted, in mount order; empty where the system does not tell."""
    try:
        if sys.platform == "linux":
            return parse_mountinfo(
                Path("/proc/self/mountinfo").read_text("utf-8", "surrogateescape")
            )
        listing = subprocess.run(
            ["/sbin/mount"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return parse_mount_listing(listing.stdout)


def parse_mountinfo(text: str) -> list[tuple[str, str]]:
    """Read Linux's table. Source: proc(5), /proc/pid/mountinfo: point is field 5, the kind follows the dash."""
    table = []
    for line in text.splitlines():
        before, dash, after = line.partition(" - ")
        if dash:
            point = OCTAL.sub(lambda code: chr(int(code[1], 8)), before.split()[4])
            table.append((point, after.split()[0]))
    return table


def parse_mount_listing(text: str) -> list[tuple[str, str]]:
    """Read what mount(8) of macOS prints: `//user@host/share on /Volumes/share (smbfs, nodev)`."""
    found = (MOUNT_LINE.match(line) for line in text.splitlines())
    return [(line["point"], line["kind"]) for line in found if line]
