"""How long does a search take, beside reading the files again with ripgrep? One made-up history, one call.

    python bench/search.py [--messages 30000] [--queries 30]

Kinds: a common word, two words, a rare word, a phrase, two Chinese characters, a common word within one session, signs only.
Every kind is asked through one `memoryd search --batch` process; a few of each also of `rg -c` (if it is there).
`process_ms` is `memoryd search` as a whole process, start included.

Prints JSON: milliseconds p50 and p95 by kind, which share was answered, and rg / memoryd.
"""

import argparse
import json
import random
import shutil
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

MEMORYD = [sys.executable, "-c", "import sys; from memoryd.interfaces.cli import main; main(sys.argv[1:])"]  # fmt: skip
A_SESSION = 400  # messages
ASKED_OF_RG = 5  # of each kind


class History:
    """Seeded messages; 15 % are Chinese, words are as unevenly common as in any language."""

    def __init__(self, messages: int, seed: int = 7) -> None:
        self.chance = random.Random(seed)
        words = ("".join(self.chance.choices(SYLLABLES, k=n % 3 + 2)) for n in range(20_000))
        self.words = list(dict.fromkeys(words))
        self.weights = [1 / (rank + 2) for rank in range(len(self.words))]
        han = [chr(code) for code in self.chance.sample(range(0x4E00, 0x9FA0), 1000)]
        self.chinese = ["".join(self.chance.sample(han, 2)) for _ in range(2000)]
        self.texts = [self._text(number) for number in range(messages)]
        self.sessions = [self._id() for _ in range(0, messages, A_SESSION)]

    def _id(self) -> str:
        return str(uuid.UUID(int=self.chance.getrandbits(128), version=4))

    def _text(self, number: int) -> str:
        if self.chance.random() < 0.15:
            weights = self.weights[: len(self.chinese)]
            words = self.chance.choices(self.chinese, weights, k=self.chance.randint(6, 40))
            return f"{''.join(words)} marker{number}"
        words = self.chance.choices(self.words, self.weights, k=self.chance.randint(8, 90))
        return f"{' '.join(words)} marker{number}" + (" => 🎉" if number % 97 == 0 else "")

    def write(self, root: Path) -> None:
        """As transcripts of Claude Code."""
        root.mkdir()
        for place, session in enumerate(self.sessions):
            texts = self.texts[place * A_SESSION : (place + 1) * A_SESSION]
            with (root / f"{session}.jsonl").open("w", encoding="utf-8") as file:
                for number, text in enumerate(texts):
                    role = ("user", "assistant")[number % 2]
                    stamp = f"2026-{1 + place % 12:02}-{1 + place % 28:02}T10:{number // 60:02}:{number % 60:02}Z"
                    message = {"role": role, "content": text}
                    record = {"type": role, "uuid": self._id(), "sessionId": session, "timestamp": stamp, "message": message}  # fmt: skip
                    file.write(json.dumps(record, ensure_ascii=False) + "\n")

    def queries(self, count: int) -> Iterator[dict[str, Any]]:
        """Queries of every kind, each with an answer."""
        spaced = [text.split() for text in self.texts if text.isascii()]
        unspaced = [text for text in self.texts if text[0] > "一"]
        for n in range(count):
            words = self.chance.choice(spaced)
            kinds = {
                "common": {"query": self.words[n % 12]},
                "two": {"query": f"{words[0]} {words[-2]}"},
                "rare": {"query": f"marker{self.chance.randrange(len(self.texts))}"},
                "phrase": {"query": '"' + " ".join(words[2:5]) + '"'},
                "chinese": {"query": self.chance.choice(unspaced)[2:4]},
                "session": {"query": self.words[n % 12], "session": self.chance.choice(self.sessions)},
                "signs": {"query": ("🎉", "=>")[n % 2]},
            }  # fmt: skip
            yield from ({"id": f"{kind} {n}", **asked} for kind, asked in kinds.items())


def milliseconds(command: list[str]) -> float:
    """A whole process."""
    started = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    return 1000 * (time.perf_counter() - started)


def measure(home: Path, root: Path, queries: list[dict[str, Any]]) -> dict[str, Any]:
    """Ask everything, and report by kind."""
    run = [*MEMORYD, "--home", str(home)]
    stdin = "".join(json.dumps(one) + "\n" for one in queries)
    done = subprocess.run([*run, "search", "--batch"], input=stdin, capture_output=True, text=True, check=True)  # fmt: skip
    answers = {one["id"]: one for one in map(json.loads, done.stdout.splitlines())}
    whole = [milliseconds([*run, "search", one["query"]]) for one in queries[:20]]
    result: dict[str, Any] = {"process_ms": round(statistics.median(whole), 1)}
    for kind in dict.fromkeys(one["id"].split()[0] for one in queries):
        of_kind = [one for one in queries if one["id"].split()[0] == kind]
        taken = sorted(1000 * answers[one["id"]]["seconds"] for one in of_kind)
        result[kind] = {
            "p50_ms": round(statistics.median(taken), 2),
            "p95_ms": round(taken[int(0.95 * (len(taken) - 1))], 2),
            "answered": sum(bool(answers[one["id"]]["hits"]) for one in of_kind) / len(of_kind),
        }
        if shutil.which("rg"):
            asked = [one["query"].strip('"') for one in of_kind[:ASKED_OF_RG]]
            rg = [milliseconds(["rg", "-c", "-F", "-e", words, str(root)]) for words in asked]
            ratio = statistics.median(rg) / max(0.01, statistics.median(taken))
            result[kind]["rg_ratio"] = round(ratio, 1)
    return result


def main() -> None:
    """Make the history, ingest it, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--messages", type=int, default=30_000)
    parser.add_argument("--queries", type=int, default=30, help="of each kind")
    asked = parser.parse_args()
    history = History(asked.messages)
    with tempfile.TemporaryDirectory() as folder:
        home, root = Path(folder, "home"), Path(folder, "projects")
        history.write(root)
        ingest = ["--home", str(home), "ingest", "--source", "claude-code", "--json", str(root)]
        subprocess.run([*MEMORYD, *ingest], stdout=subprocess.DEVNULL, check=True)
        print(json.dumps(measure(home, root, list(history.queries(asked.queries)))))


if __name__ == "__main__":
    main()
