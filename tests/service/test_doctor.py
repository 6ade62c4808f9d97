"""The doctor says what is wrong and what to do, changes nothing unasked, and looks again after a repair."""

import os
import time
from pathlib import Path

import pytest

from memoryd.config import Config, parse_config
from memoryd.service import doctor
from memoryd.service.doctor import Check, examine
from memoryd.service.lock import WriterLock
from memoryd.service.writer import utc_now
from memoryd.store.connection import DATABASE_NAME
from memoryd.store.store import Store
from tests.service.archive_helpers import Life
from tests.store.conftest import message, screened


@pytest.fixture
def config(root: Path) -> Config:
    return parse_config({"sources": {"discover": False, "codex": {"roots": [str(root)]}}}, "test")


@pytest.fixture
def filled(home: Path) -> Path:
    """A home with some messages."""
    with Store(home, utc_now) as store:
        store.add("codex", screened([message(f"text {n}", source="codex") for n in range(50)]))
    return home


def look(home: Path, config: Config, *, fix: bool = False) -> dict[str, Check]:
    return {check.name: check for check in examine(home, config, fix)}


def test_a_sound_home_passes_every_check(filled: Path, config: Config) -> None:
    checks = look(filled, config)

    assert {name for name, check in checks.items() if not check.ok} == set()
    assert checks["agents"].detail == "found: codex"
    assert "whole" in checks["database"].detail


def test_a_home_that_is_not_there_yet_is_not_made(tmp_path: Path, config: Config) -> None:
    home = tmp_path / "later" / "home"

    checks = look(home, config)

    assert not home.parent.exists()
    assert all(check.ok for check in checks.values())
    assert checks["database"].fix == "memoryd run --once"


class TestPermissions:
    def test_what_stands_open_is_named_and_closed_only_when_asked(
        self, filled: Path, config: Config
    ) -> None:
        filled.chmod(0o755)
        (filled / DATABASE_NAME).chmod(0o644)

        found = look(filled, config)["permissions"]
        still = (filled / DATABASE_NAME).stat().st_mode & 0o777
        mended = look(filled, config, fix=True)["permissions"]

        assert (found.ok, found.fix, still) == (False, "memoryd doctor --fix", 0o644)
        assert DATABASE_NAME in found.detail
        assert (mended.ok, mended.detail) == (True, "private")
        assert "was open to others (644); closed" in mended.fix
        assert (filled / DATABASE_NAME).stat().st_mode & 0o777 == 0o600
        assert look(filled, config)["permissions"] == Check("permissions", True, "private")

    def test_files_of_the_user_are_none_of_our_business(self, filled: Path, config: Config) -> None:
        (filled / "my notes.txt").touch()
        (filled / "my notes.txt").chmod(0o644)

        assert look(filled, config)["permissions"].ok
        look(filled, config, fix=True)
        assert (filled / "my notes.txt").stat().st_mode & 0o777 == 0o644


class TestAgents:
    def test_none_found_says_how_to_name_them(self, home: Path, tmp_path: Path) -> None:
        config = parse_config(
            {"sources": {"discover": False, "codex": {"roots": [str(tmp_path / "no")]}}}, "test"
        )

        check = look(home, config)["agents"]

        assert (check.ok, "config.toml" in check.fix) == (False, True)


def test_little_room_on_the_disk_is_told(
    home: Path, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "LOW_DISK_BYTES", 1 << 80)

    check = look(home, config)["disk space"]

    assert not check.ok
    assert "free some space" in check.fix


class TestDatabase:
    def test_damaged_indexes_are_rebuilt_when_asked_and_looked_at_again(
        self, filled: Path, config: Config
    ) -> None:
        with Store(filled, utc_now) as store:
            store.connection.execute("delete from stems_docsize where id = 3")

        found = look(filled, config)
        mended = look(filled, config, fix=True)

        assert not found["full-text indexes"].ok
        assert found["full-text indexes"].fix == "memoryd doctor --fix"
        assert "database" not in found
        assert mended["full-text indexes"].ok
        assert mended["full-text indexes"].fix == "rebuilt from 50 messages"
        assert mended["database"].ok

    def test_a_ledger_that_does_not_add_up_is_begun_anew_when_asked(
        self, filled: Path, config: Config
    ) -> None:
        with Store(filled, utc_now) as store:
            store.connection.execute("update transcript set ingested = 1")

        found = look(filled, config)["ledger"]
        mended = look(filled, config, fix=True)["ledger"]

        assert (found.ok, found.fix) == (False, "memoryd doctor --fix")
        assert (mended.ok, "kept as memoryd.db.damaged-" in mended.fix) == (True, True)
        assert "ledger" not in look(filled, config)

    @pytest.mark.parametrize("where", [0, 16 * 4096])
    def test_a_damaged_file_is_told_and_mended_only_when_asked(
        self, filled: Path, config: Config, where: int
    ) -> None:
        """Everything else: test_repair.py."""
        path = filled / DATABASE_NAME
        data = bytearray(path.read_bytes())
        data[where:] = b"\xff" * (len(data) - where)
        path.write_bytes(data)

        found = [check for check in look(filled, config).values() if not check.ok]
        untouched = path.read_bytes()
        mended = look(filled, config, fix=True)

        assert {check.fix for check in found} == {"memoryd doctor --fix"}
        assert untouched == bytes(data)
        assert all(check.ok for check in mended.values())

    def test_an_emptied_file_is_a_loss_and_stays_as_it_is_unless_asked(
        self, filled: Path, config: Config
    ) -> None:
        path = filled / DATABASE_NAME
        path.write_bytes(b"")

        assert "is empty, although there was" in look(filled, config)["database"].detail
        assert path.stat().st_size == 0
        assert look(filled, config, fix=True)["database"].ok

    def test_one_in_use_is_left_to_the_daemon(self, filled: Path, config: Config) -> None:
        with WriterLock(filled):
            check = look(filled, config)["database"]

        assert check.ok
        assert "in use" in check.detail

    def test_one_of_a_newer_program_is_told(self, filled: Path, config: Config) -> None:
        with Store(filled, utc_now) as store:
            store.connection.execute("pragma user_version=999")

        check = look(filled, config, fix=True)["database"]

        assert (check.ok, "upgrade memoryd" in check.detail) == (False, True)


class TestCleanup:
    """Agents delete their transcripts: what was not read by then is lost."""

    @pytest.mark.parametrize(
        ("settings", "days", "read", "ok"),
        [
            (None, 21, False, False),
            (None, 21, True, True),
            (None, 19, False, True),
            ('{"cleanupPeriodDays": 90}', 59, False, True),
            ('{"cleanupPeriodDays": 90}', 61, False, False),
            ("not JSON", 21, False, False),
            ('{"cleanupPeriodDays": "x"}', 21, False, False),
        ],
    )
    def test_what_will_be_deleted_unread_is_told(
        self, tmp_path: Path, settings: str | None, days: float, read: bool, ok: bool
    ) -> None:
        life = Life(tmp_path)
        life.root = tmp_path / ".claude" / "projects"
        path = life.write(1, [("user", "hello"), ("user", "there")])
        if settings is not None:
            (tmp_path / ".claude" / "settings.json").write_text(settings)
        changed = time.time() - days * 86400
        os.utime(path, (changed, changed))
        if read:
            life.ask("ingest")
        check = look(life.home, life.config())["cleanup by claude-code"]

        assert check.ok is ok
        assert ok or f"1 transcript with {path.stat().st_size} bytes" in check.detail

    def test_agents_that_delete_nothing_are_not_spoken_of(
        self, filled: Path, config: Config
    ) -> None:
        assert "cleanup by codex" not in look(filled, config)
