"""The home is private, also when it was not before."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from memoryd.errors import UsageError
from memoryd.service.home import prepare_home


@pytest.fixture(autouse=True)
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_home_and_everything_made_in_it_is_private(tmp_path: Path) -> None:
    home = tmp_path / "deep" / "home"

    warnings = prepare_home(home)
    (home / "later").write_text("x")

    assert () == warnings
    assert (0o700, 0o600) == (mode(home), mode(home / "later"))


def test_what_stood_open_is_closed_and_named(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "backups" / "old").mkdir(parents=True, mode=0o755)
    for name in ("memoryd.db", "memoryd.db-wal", "config.toml", "backups/old/one.db"):
        (home / name).touch(mode=0o644)
    home.chmod(0o755)

    warnings = prepare_home(home)

    assert 7 == len(warnings)
    assert any("memoryd.db was open to others (644)" in line for line in warnings)
    assert all(mode(path) & 0o077 == 0 for path in (home, *home.rglob("*")))
    assert () == prepare_home(home)


def test_files_of_the_user_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch(mode=0o644)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.touch(mode=0o644)
    (tmp_path / "memoryd.link").symlink_to(elsewhere)

    prepare_home(tmp_path)

    assert (0o644, 0o644) == (mode(tmp_path / "notes.txt"), mode(elsewhere))


def test_a_home_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(UsageError, match="cannot use"):
        prepare_home(tmp_path / "file")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_home_of_another_user_is_refused(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12345)

    with pytest.raises(UsageError, match="belongs to another user"):
        prepare_home(tmp_path)
