"""What the kernel denies is polled and reported: real limits, in a user namespace of our own."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# Runs inside the namespace: sets a limit, watches, changes files, prints what was told.
PROGRAM = """
import json, sys, time
from pathlib import Path
from memoryd.service.watching import poller
from memoryd.service.watching import watcher
from memoryd.sources.registry import build_sources
from memoryd.config import parse_config

limit, value, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
Path("/proc/sys/user", limit).write_text(value)
poller.POLL_SECONDS = 0.1
root = folder / "root"
paths = [root / f"d{n}" / "a.jsonl" for n in range(20)]
for path in paths:
    path.parent.mkdir(parents=True)
    path.touch()
table = {"sources": {"discover": False, "x": {"type": "jsonl", "roots": [str(root)]}}}
told, reasons = set(), []
one = watcher.Watcher(
    build_sources(parse_config(table, "")), lambda s, p: told.add(str(p)), reasons.append, folder / "canary"
)
one.start()
deadline = time.monotonic() + 10
while one.degraded and "polling began" not in reasons and time.monotonic() < deadline:
    time.sleep(0.05)
for path in paths:
    path.write_text("x")
later = root / "later" / "deep" / "b.jsonl"
later.parent.mkdir(parents=True)
later.write_text("x")
covering = {str(p) for p in (later, *later.parents)}
while (not {str(p) for p in paths} <= told or not covering & told) and time.monotonic() < deadline:
    time.sleep(0.05)
print(json.dumps({
    "missed": sorted({str(p) for p in paths} - told),
    "later": bool(covering & told),
    "watch": [state.watch for state in one.states],
    "degraded": one.degraded,
    "reasons": reasons,
}))
one.stop()
"""

in_namespace = ["unshare", "--user", "--map-root-user"]


def can_unshare() -> bool:
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return False
    probe = [*in_namespace, "sh", "-c", "echo 8 > /proc/sys/user/max_inotify_watches"]
    return subprocess.run(probe, capture_output=True, check=False).returncode == 0


pytestmark = pytest.mark.skipif(
    not can_unshare(), reason="user namespaces or their inotify limits are not available"
)


def watch_under(limit: str, value: int, folder: Path) -> dict[str, Any]:
    environ = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    printed = subprocess.check_output(
        [*in_namespace, sys.executable, "-c", PROGRAM, limit, str(value), str(folder)], env=environ
    )
    answer: dict[str, Any] = json.loads(printed)
    return answer


@pytest.mark.parametrize("watches", [0, 1, 2, 8, 21])
def test_folders_beyond_the_limit_of_watches_are_polled(tmp_path: Path, watches: int) -> None:
    """0: not even the canary; 1: no root; 2 and 8: some folders; 21: all but the last ones."""
    answer = watch_under("max_inotify_watches", watches, tmp_path)

    assert [] == answer["missed"]
    assert answer["later"]
    assert ["polling"] == answer["watch"]
    assert "fs.inotify.max_user_watches" in answer["degraded"][0]


def test_without_any_watcher_everything_is_polled(tmp_path: Path) -> None:
    answer = watch_under("max_inotify_instances", 0, tmp_path)

    assert [] == answer["missed"]
    assert answer["later"]
    assert ["polling"] == answer["watch"]
    assert "fs.inotify.max_user_instances" in answer["degraded"][0]


def test_within_the_limits_nothing_is_polled(tmp_path: Path) -> None:
    answer = watch_under("max_inotify_watches", 1000, tmp_path)

    assert ([], ["native"], []) == (answer["missed"], answer["watch"], answer["degraded"])
