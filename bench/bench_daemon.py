"""How the daemon weighs on a machine: delay of a new line, processor and wakeups while idle, memory.

    python bench/bench_daemon.py --files 20000 --idle 10 --appends 50

Prints one JSON document. Linux only: it reads /proc.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from syllables import WORDS

from memoryd.errors import StoreError
from memoryd.store.reader import Reader

PROGRAM = "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"
SETTLE_SECONDS = 60.0  # what a first ingest leaves to be tidied is no rest


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--idle", type=float, default=1.0, help="minutes")
    parser.add_argument("--appends", type=int, default=50)
    parser.add_argument(
        "--folder", type=Path, help="keep files and home there; an old one is used again"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        root, home = folder / "chats", folder / "home"
        paths = sorted(root.rglob("*.jsonl")) or make_files(root, options.files)
        home.mkdir(parents=True, exist_ok=True)
        (home / "config.toml").write_text(
            f"[sources]\ndiscover = false\n[sources.chats]\ntype = 'jsonl'\nroots = ['{root}']\n"
            "[nightly]\nat = '23:59'\n"  # the night is no rest
        )
        print(json.dumps(measure(home, paths, 60 * options.idle, options.appends)))


def make_files(root: Path, count: int) -> list[Path]:
    """Transcripts of ten messages in folders of a hundred."""
    chance = random.Random(1)
    paths = []
    for number in range(count):
        path = root / f"project-{number // 100}" / f"session-{number}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line(number, index, chance) for index in range(10)))
        paths.append(path)
    return paths


def line(session: int, index: int, chance: random.Random) -> str:
    """One message of some forty words."""
    words = ", ".join(chance.choices(WORDS, k=40))
    text = f"Which of these is meant: {words}?"  # a question: the night finds nothing to remember
    record = {"role": "user", "id": f"{session}-{index}", "session": f"s{session}", "text": text}
    return json.dumps(record, ensure_ascii=False) + "\n"


def measure(home: Path, paths: list[Path], idle_seconds: float, appends: int) -> dict[str, object]:
    """Start a daemon, wait for the first ingest, then append, then rest."""
    started = time.monotonic()
    command = [sys.executable, "-c", PROGRAM, "--home", str(home), "run"]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as daemon:
        try:
            messages = sum(path.read_bytes().count(b"\n") for path in paths)
            wait_for(home, messages)
            first = time.monotonic() - started
            time.sleep(3)
            delays = sorted(append(home, paths, messages + n) for n in range(appends))
            time.sleep(SETTLE_SECONDS)
            idle = rest(daemon.pid, idle_seconds)
        finally:
            daemon.send_signal(signal.SIGTERM)
    return {
        "files": len(paths),
        "first_ingest_seconds": round(first, 1),
        "append_p50_seconds": round(delays[len(delays) // 2], 3),
        "append_p95_seconds": round(delays[int(len(delays) * 0.95)], 3),
        **idle,
    }


def wait_for(home: Path, messages: int) -> None:
    """Until so many messages are in the store."""
    while (missing := messages - count(home)) > 0:
        time.sleep(0.01 if missing < 100 else 1.0)  # must not compete with what is measured


def count(home: Path) -> int:
    """Messages in the store; 0 while there is none."""
    try:
        with Reader(home) as reader:
            return int(reader.counts()["messages"])
    except StoreError:
        time.sleep(0.2)
        return 0


def append(home: Path, paths: list[Path], before: int) -> float:
    """Seconds from the append of a line until a reader sees it."""
    chance = random.Random(before)
    path = chance.choice(paths)
    started = time.monotonic()
    with path.open("a") as file:
        file.write(line(10**6, before, chance))
    wait_for(home, before + 1)
    delay = time.monotonic() - started
    time.sleep(chance.random() * 0.5)
    return delay


def rest(pid: int, seconds: float) -> dict[str, object]:
    """What a process uses while nothing happens."""
    before, switches = cpu_seconds(pid), context_switches(pid)
    time.sleep(seconds)
    used = cpu_seconds(pid) - before
    helpers = children(pid)
    return {
        "idle_seconds": seconds,
        "idle_cpu_percent": round(100 * used / seconds, 3),
        "idle_switches_per_second": round((context_switches(pid) - switches) / seconds, 2),
        "children": len(helpers),
        "children_rss_mb": round(sum(status(one, "VmRSS") for one in helpers) / 1024, 1),
        "rss_mb": round(status(pid, "VmRSS") / 1024, 1),
        "peak_rss_mb": round(status(pid, "VmHWM") / 1024, 1),
        "threads": status(pid, "Threads"),
    }


def children(pid: int) -> list[int]:
    """Processes that this one has started and that still run."""
    found = [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]
    return [one for one in found if parent(one) == pid]


def parent(pid: int) -> int:
    """Who started a process; 0 if it is gone."""
    try:
        return status(pid, "PPid")
    except OSError:
        return 0


def cpu_seconds(pid: int) -> float:
    """User and system time of a process."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def context_switches(pid: int) -> int:
    """Of all threads together: how often something woke."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(status(pid, "voluntary_ctxt_switches", f"task/{task.name}/") for task in tasks)


def status(pid: int, key: str, below: str = "") -> int:
    """A number from /proc/pid/status (memory in kB)."""
    text = Path(f"/proc/{pid}/{below}status").read_text()
    found = next((row for row in text.splitlines() if row.startswith(f"{key}:")), ": 0")
    return int(found.split()[1])  # a process that has ended has no memory


if __name__ == "__main__":
    main()
