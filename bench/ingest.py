"""How far is ingest from the limit of the machine? Both read one made-up corpus in turn, in one call.

    python bench/ingest.py [--megabytes 60] [--rounds 3]

corpus:  a seeded tree of Claude Code transcripts; most of its bytes are tool results and snapshots, as in real ones.
limit:   read every byte, decode every line, keep what people and assistants said, one table and one full-text index.
memoryd: `memoryd ingest` of the same folder into a new home: screening, tool rows, ledger and cursors included.

Prints JSON: median whole-process seconds (wall and CPU), peak RSS, database size, and the ratios memoryd / limit.
Times differ from machine to machine and with what else runs; the ratios are what to compare.
"""

import argparse
import json
import os
import random
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from syllables import SYLLABLES

LIMIT = """
import orjson, pathlib, re, sqlite3, sys
cjk = re.compile("([\\u2e80-\\u9fff\\uac00-\\ud7af\\u3040-\\u30ff])")
database = sqlite3.connect(sys.argv[2], isolation_level=None)
for sql in ("pragma journal_mode=wal", "pragma synchronous=full", "create table message (id integer primary key, key text unique, role text, time text, text text)",
            "create virtual table words using fts5(text, content='', tokenize='unicode61')"):
    database.execute(sql)
for path in sorted(pathlib.Path(sys.argv[1]).rglob("*.jsonl")):
    database.execute("begin")
    for line in path.open("rb"):
        record = orjson.loads(line)
        if record["type"] not in ("user", "assistant"):
            continue
        content = record["message"]["content"]
        if isinstance(content, list):
            content = "\\n".join(block["text"] for block in content if block["type"] == "text")
        if content:
            row = database.execute("insert or ignore into message (key, role, time, text) values (?, ?, ?, ?)",
                                   (record["uuid"], record["type"], record["timestamp"], content))
            if row.rowcount:
                database.execute("insert into words (rowid, text) values (?, ?)", (row.lastrowid, cjk.sub(r" \\1 ", content)))
    database.execute("commit")
"""
MEMORYD = "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"


class Corpus:
    """Seeded conversations; the same megabytes give the same bytes."""

    def __init__(self, seed: int = 7) -> None:
        self.chance = random.Random(seed)
        words = ("".join(self.chance.choices(SYLLABLES, k=n % 3 + 2)) for n in range(8000))
        self.words = list(dict.fromkeys(words))
        self.weights = [1 / (rank + 2) for rank in range(len(self.words))]
        self.han = [chr(code) for code in self.chance.sample(range(0x4E00, 0x9FA0), 800)]

    def write(self, root: Path, size: int) -> None:
        """Fill *root* with transcripts of about *size* bytes in all."""
        written = 0
        while written < size:
            session = self._id()
            path = root / f"-work-p{self.chance.randrange(20)}" / f"{session}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("wb") as file:
                for record in self._records(session, self.chance.randrange(20, 200)):
                    written += file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")

    def _id(self) -> str:
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))

    def _text(self, least: int, most: int) -> str:
        if self.chance.random() < 0.15:
            return "".join(self.chance.choices(self.han, k=self.chance.randint(least, most)))
        return " ".join(
            self.chance.choices(self.words, self.weights, k=self.chance.randint(least, most))
        )

    def _records(self, session: str, turns: int) -> Iterator[dict[str, Any]]:
        for number in range(turns):
            call = f"toolu_{self.chance.getrandbits(96):024x}"
            output = "\n".join(self._text(5, 15) for _ in range(self.chance.randrange(1, 300)))
            said = {"type": "text", "text": self._text(10, 120)}
            use = {"type": "tool_use", "id": call, "name": "Bash", "input": {"command": self._text(2, 8)}}  # fmt: skip
            result = {"type": "tool_result", "tool_use_id": call, "content": output}
            yield self._record(session, number, "user", self._text(5, 60))
            yield self._record(session, number, "assistant", [said])
            yield self._record(session, number, "assistant", [use])
            yield self._record(session, number, "user", [result], toolUseResult={"stdout": output})
            yield {"type": "file-history-snapshot", "snapshot": {"files": self._text(50, 300)}}

    def _record(
        self, session: str, number: int, kind: str, content: object, **more: object
    ) -> dict[str, Any]:
        return {
            "type": kind,
            "uuid": self._id(),
            "sessionId": session,
            "cwd": "/projects/p",
            "version": "2.1.40",
            "timestamp": f"2026-03-01T{number // 60 % 24:02}:{number % 60:02}:00.000Z",
            "message": {"id": f"msg_{self.chance.getrandbits(64):x}", "role": kind, "content": content},
            **more,
        }  # fmt: skip


def measure(command: list[str]) -> dict[str, float]:
    """Run a process to its end: its own wall and CPU seconds, and peak RSS in MB."""
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{command[:3]} failed with {process.returncode}")
    wall = time.perf_counter() - started
    kilobytes = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return {"wall": wall, "cpu": used.ru_utime + used.ru_stime, "rss_mb": kilobytes / 1024}


def compare(root: Path, rounds: int) -> dict[str, Any]:
    """Let both read *root*, in turn."""
    runs: dict[str, list[dict[str, float]]] = {"limit": [], "memoryd": []}
    shares: dict[str, Any] = {}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            database = Path(folder, "limit.db")
            runs["limit"].append(measure([sys.executable, "-c", LIMIT, str(root), str(database)]))
            runs["limit"][-1]["database_mb"] = database.stat().st_size / 1e6
        with tempfile.TemporaryDirectory() as folder:
            ingest = ("--home", folder, "ingest", "--source", "claude-code", "--json", str(root))
            runs["memoryd"].append(measure([sys.executable, "-c", MEMORYD, *ingest]))
            database = Path(folder, "memoryd.db")
            runs["memoryd"][-1]["database_mb"] = database.stat().st_size / 1e6
            shares = tool_share(database)
    middle = {
        who: {key: statistics.median(run[key] for run in of) for key in of[0]}
        for who, of in runs.items()
    }
    ratios = {
        f"{key}_ratio": round(middle["memoryd"][key] / middle["limit"][key], 2)
        for key in ("wall", "cpu")
    }
    figures = {
        f"{who}_{key}": round(value, 2)
        for who, values in middle.items()
        for key, value in values.items()
    }
    return {**ratios, **figures, **shares}


def tool_share(database: Path) -> dict[str, Any]:
    """How many rows, and which share of all text, tools wrote."""
    connection = sqlite3.connect(database)
    rows, tools, characters, theirs = connection.execute(
        "select count(*), sum(role = 'tool'), sum(length(text)), sum(length(text) * (role = 'tool')) from message"
    ).fetchone()
    connection.close()
    return {
        "messages": rows,
        "tool_rows": tools,
        "tool_share_of_text": round(theirs / characters, 2),
    }


def main() -> None:
    """Make the corpus, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--megabytes", type=int, default=60)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "projects")
        Corpus().write(root, asked.megabytes * 1_000_000)
        print(json.dumps(compare(root, asked.rounds)))


if __name__ == "__main__":
    main()
