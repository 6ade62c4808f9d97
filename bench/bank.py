"""How long do adding to and searching in a large memory bank take?

usage: bank.py [--entries 100000] [--vectors]

Makes a bank of N synthetic entries (fixed seed, Zipf words, 15 % Chinese), then times adding and searching inside this process,
by words alone and, with --vectors, with the embedded engine warm. Prints JSON; times in milliseconds.
"""

import argparse
import json
import random
import resource
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from memoryd.config import Config, SourcesConfig
from memoryd.service.bank.embedding import Embeddings
from memoryd.service.bank.view import search_entries
from memoryd.service.commands import COMMANDS, finish
from memoryd.service.writer import Writer, open_writer
from memoryd.store.entry_search import EntryView
from memoryd.store.reader import Reader

SYLLABLES = tuple(
    "ka to mi re lo sun der val qui ron ti mes pra lin do ges fo ran be sol ur ni ch est al um".split()  # noqa: SIM905 - readable
)


def make_texts(count: int, chance: random.Random) -> list[str]:
    words = list(
        dict.fromkeys(
            "".join(chance.choices(SYLLABLES, k=chance.randint(2, 4))) for _ in range(20_000)
        )
    )
    weights = [1 / (place + 2) for place in range(len(words))]
    han = [chr(code) for code in chance.sample(range(0x4E00, 0x9FA0), 1500)]
    texts = []
    for number in range(count):
        if chance.random() < 0.15:
            texts.append("".join(chance.choices(han, k=chance.randint(8, 24))) + f" {number}")
        else:
            texts.append(
                " ".join(chance.choices(words, weights, k=chance.randint(6, 14))) + f" {number}"
            )
    return texts


def figures(milliseconds: list[float]) -> dict[str, float]:
    ordered = sorted(milliseconds)
    return {
        "p50": round(statistics.median(ordered), 2),
        "p95": round(ordered[int(0.95 * len(ordered))], 2),
    }


def timed(action: object, *arguments: object) -> float:
    started = time.perf_counter()
    action(*arguments)  # type: ignore[operator] # any callable
    return 1000 * (time.perf_counter() - started)


def fill(writer: Writer, folder: Path, texts: list[str]) -> float:
    file = folder / "in.jsonl"
    file.write_text(
        "".join(json.dumps({"content": text}) + "\n" for text in texts), encoding="utf-8"
    )
    return timed(
        lambda: finish(
            COMMANDS["memory.import"](writer, {"path": str(file), "raw": True}, lambda told: None)
        )
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--vectors", action="store_true")
    options = parser.parse_args()
    chance = random.Random(7)
    config = Config(sources=SourcesConfig(discover=False))
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        texts = make_texts(options.entries + 200, chance)
        result: dict[str, object] = {"entries": options.entries}
        with open_writer(home, config) as writer:
            result["import_seconds"] = round(fill(writer, home, texts[:-200]) / 1000, 1)

            def ask(name: str, arguments: Mapping[str, object]) -> object:
                return finish(COMMANDS[name](writer, arguments, lambda told: None))

            def add(text: str) -> None:
                ask("memory.add", {"content": text})

            result["add"] = figures([timed(add, text) for text in texts[-200:]])
            embeddings = Embeddings(home, config)
            if options.vectors:
                result["embed_seconds"] = round(timed(embeddings.backfill, ask) / 1000, 1)
            queries = [" ".join(chance.choice(texts).split()[:3]) for _ in range(200)]
            view = EntryView("local/default")
            with Reader(home) as reader:
                result["search_words"] = figures(
                    [timed(search_entries, reader, view, query, 10) for query in queries]
                )
                if options.vectors:
                    near = embeddings.near
                    near(reader, view, "warm up", 10)
                    result["search_vectors"] = figures(
                        [timed(search_entries, reader, view, query, 10, near) for query in queries]
                    )
            embeddings.close()
        result["rss_mb"] = round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
