"""File systems that do not tell of remote changes are recognised by the system's own tables."""

import sys
from pathlib import Path

import pytest

from memoryd.service.watching.filesystem import (
    kind_of,
    mounts,
    parse_mount_listing,
    parse_mountinfo,
    silent_kind,
)

MOUNTINFO = r"""
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
30 22 0:26 / /home rw - btrfs /dev/sdb rw,subvol=/home
41 22 0:44 / /mnt/server\040one rw,relatime - nfs4 server:/export rw
42 22 0:45 / /mnt/c rw,noatime - 9p C:\134 rw,aname=drvfs
43 22 0:46 / /home/me/cloud rw - fuse.sshfs me@host:/ rw
44 22 0:47 / /home/me/vault rw - fuse.gocryptfs /home/me/.vault rw
45 41 8:1 /x /mnt/server\040one/local rw - ext4 /dev/sda1 rw
"""
MAC = """
/dev/disk3s1s1 on / (apfs, sealed, local, read-only, journaled)
/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)
//me@nas/share on /Volumes/my share (smbfs, nodev, nosuid, mounted by me)
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/etc", "ext4"),
        ("/home", "btrfs"),
        ("/homework", "ext4"),
        ("/mnt/server one/x", "nfs4"),
        ("/mnt/server one/local/x", "ext4"),
        ("/mnt/c/Users", "9p"),
        ("/home/me/cloud", "fuse.sshfs"),
        ("/home/me/vault/x", "fuse.gocryptfs"),
    ],
)
def test_the_longest_mount_point_decides(path: str, kind: str) -> None:
    assert kind == kind_of(Path(path), parse_mountinfo(MOUNTINFO))


def test_a_later_mount_hides_an_earlier_one_at_the_same_point() -> None:
    assert "nfs" == kind_of(Path("/a/b"), [("/", "ext4"), ("/a", "ext4"), ("/a", "nfs")])


def test_the_listing_of_macos_is_understood() -> None:
    table = parse_mount_listing(MAC)

    assert "smbfs" == kind_of(Path("/Volumes/my share/projects"), table)
    assert "apfs" == kind_of(Path("/System/Volumes/Data/Users"), table)


def test_without_a_table_nothing_is_called_silent() -> None:
    assert "" == kind_of(Path("/x"), [])


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_this_machine_tells_its_mounts(tmp_path: Path) -> None:
    assert "/" in {point for point, _ in mounts()}
    assert silent_kind(Path("/proc")) is None
    assert "proc" == kind_of(Path("/proc/self"), mounts())
