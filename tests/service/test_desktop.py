"""A desktop hears of a bad night where there is one; where there is none, nothing happens."""

import stat
from pathlib import Path

import pytest

from memoryd.service.night.desktop import notification, tell_desktop
from memoryd.service.night.nightly import describe_trouble

EVIL = '"; do shell script "touch /tmp/x" --'


@pytest.mark.parametrize(
    ("platform", "environ", "program"),
    [
        ("darwin", {}, "osascript"),
        ("linux", {"DBUS_SESSION_BUS_ADDRESS": "unix:path=/run/bus"}, "notify-send"),
        ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, "notify-send"),
        ("linux", {"DISPLAY": ""}, None),
    ],
)
def test_the_program_of_the_platform_is_used(
    platform: str, environ: dict[str, str], program: str | None
) -> None:
    command = notification("memoryd", EVIL, platform, environ)

    assert (command[0] if command else None) == program
    assert command is None or command[-2:] == ["memoryd", EVIL]


@pytest.mark.parametrize(
    ("script", "told"),
    [("exit 0", True), ("exit 1", False), ("exec sleep 60", False), (None, False)],
)
def test_trouble_with_the_program_is_no_trouble_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str | None, told: bool
) -> None:
    monkeypatch.setattr("memoryd.service.night.desktop.PATIENCE_SECONDS", 0.5)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin" if script else str(tmp_path))
    if script:
        program = tmp_path / "notify-send"
        program.write_text(f'#!/bin/sh\necho "$@" > {tmp_path}/shown\n{script}\n')
        program.chmod(stat.S_IRWXU)

    assert tell_desktop("memoryd", "The night failed") is told
    if script:
        assert (
            tmp_path / "shown"
        ).read_text() == "--app-name=memoryd -- memoryd The night failed\n"


@pytest.mark.parametrize(
    ("report", "said"),
    [
        ({"failed": [], "phases": {}, "run": "n-1"}, ""),
        (
            {"failed": ["backup"], "phases": {}, "run": "n-1"},
            "The night failed: backup. `memoryd runs n-1` tells why.",
        ),
        (
            {
                "failed": [],
                "phases": {"retention": {"blocked": {"local/default": "too much"}}},
                "run": "n-1",
            },
            "Much is due",
        ),
        (
            {
                "failed": [],
                "phases": {"retention": {"history": {"blocked": "too much"}}},
                "run": "n-1",
            },
            "Much is due",
        ),
        ({"failed": [], "phases": {"retention": {"blocked": {}}}, "run": "n-1"}, ""),
    ],
)
def test_a_failed_or_blocked_night_is_told_in_a_line(report: dict[str, object], said: str) -> None:
    told = describe_trouble(report)

    assert told.startswith(said) if said else told == ""
