"""Does consolidation merge what says the same, and nothing else? Made-up memories whose facts are known.

    python bench/consolidation.py [--facts 400] [--seed 1] [--pairs FILE]

Every fact is drawn from a template in one of seven languages, worded in one to three ways; beside it stand twins that differ in
one value, or in a negation, a bound or a condition. No text is used for tuning memoryd's tables.

Systems: memoryd's own planner without vectors, and the usual rules over the same texts: Jaccard of words (of
characters where there are no spaces) from 0.8, cosine of character trigrams from 0.88, and single linkage of that
cosine from 0.7, as DBSCAN with two members to a core joins them; and cosine of the embedded model's vectors from 0.88, the rule
of most memory stores. The usual rules keep the longest text of a group.

With --pairs the notes are those of a file of labelled pairs instead (JSONL: a, b, label "merge" or another, "optional"
for pairs that count for nothing); every pair stands for itself.

Prints JSON by system: recall (pairs of one fact that ended in one entry), false_merges (pairs of different facts
that did), values_lost (numbers and names that stand in no kept text), saved (share of the characters). Of memoryd also
replaced_wrongly (entries superseded by one about another thing) and asked (conflicts, which a person decides).
"""

import argparse
import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memoryd.embedding.base import Embedder
from memoryd.embedding.engines import load_engine
from memoryd.memory.consolidation import ConsolidationPlan, ConsolidationPolicy, plan_consolidation
from memoryd.memory.consolidation.pairing import compare_texts
from memoryd.model import Entry

START = datetime(2026, 1, 1, tzinfo=UTC)
NAMES = ["Odile", "Rafael", "Ingrid", "Teun", "Saskia", "Bao", "Mirela", "Kofi", "Yara", "Anselm"]
THINGS = {
    "en": [
        "invoice job",
        "photo album",
        "search page",
        "parcel desk",
        "garden sensor",
        "night backup",
    ],
    "zh": ["发票任务", "相册", "搜索页", "快递柜", "花园传感器", "夜间备份"],
    "de": ["Fotoalbum", "Suchseite", "Paketstation", "Gartensensor"],
    "fr": ["album photo", "page de recherche", "capteur du jardin"],
    "es": ["álbum de fotos", "página de búsqueda", "sensor del jardín"],
    "ja": ["写真アルバム", "検索ページ", "庭のセンサー"],
    "ko": ["사진 앨범", "검색 페이지", "정원 센서"],
}
# language -> facts; a fact is its wordings, then the twins that say something else. {t} thing, {n} number, {m} another
# number, {p} person, {q} another person.
TEMPLATES: dict[str, list[tuple[list[str], list[str]]]] = {
    "en": [
        (["The {t} listens on port {n}.", "Port of the {t}: {n}", "the {t} listens on port {n}"], ["The {t} listens on port {m}.", "The {t} does not listen on port {n}."]),
        (["{p} maintains the {t}.", "The {t} is maintained by {p}."], ["{q} maintains the {t}.", "{p} does not maintain the {t}."]),
        (["The {t} keeps at most {n} files.", "The {t} keeps no more than {n} files."], ["The {t} keeps at least {n} files.", "The {t} keeps at most {m} files."]),
        (["Restart the {t} after {n} minutes.", "After {n} minutes, restart the {t}."], ["Restart the {t} before {n} minutes.", "Never restart the {t} after {n} minutes."]),
        (["Never run the {t} on Fridays.", "Do not run the {t} on Fridays."], ["Never run the {t} on Mondays.", "Always run the {t} on Fridays."]),
        (["{p} reviews what {q} writes for the {t}."], ["{q} reviews what {p} writes for the {t}."]),
        (["The {t} waits {n} seconds.", "The {t} waits {n} s."], ["The {t} waits {n} minutes.", "The {t} waits {n} seconds unless {p} is away."]),
    ],
    "zh": [
        (["{t}监听 {n} 端口。", "{t}监听{n}端口"], ["{t}监听 {m} 端口。", "{t}不监听 {n} 端口。"]),
        (["{t}由 {p} 维护。", "{p} 维护{t}。"], ["{t}由 {q} 维护。", "{t}不由 {p} 维护。"]),
        (["{t}最多保留 {n} 个文件。", "{t}保留的文件不超过 {n} 个。"], ["{t}最少保留 {n} 个文件。", "{t}最多保留 {m} 个文件。"]),
        (["周五不要运行{t}。", "{t}周五禁止运行。"], ["周一不要运行{t}。", "周五可以运行{t}。"]),
        (["{t}等待 {n} 秒。", "{t}等待{n}秒钟"], ["{t}等待 {n} 分钟。", "除非 {p} 不在，{t}等待 {n} 秒。"]),
    ],
    "de": [(["{p} betreut das {t}.", "Das {t} wird von {p} betreut."], ["{q} betreut das {t}.", "{p} betreut das {t} nicht."]), (["Das {t} behält höchstens {n} Dateien.", "Das {t} behält maximal {n} Dateien."], ["Das {t} behält mindestens {n} Dateien."])],
    "fr": [(["{p} gère le {t}.", "Le {t} est géré par {p}."], ["{q} gère le {t}.", "{p} ne gère pas le {t}."]), (["Le {t} garde au plus {n} fichiers.", "Le {t} garde {n} fichiers au maximum."], ["Le {t} garde au moins {n} fichiers."])],
    "es": [(["{p} gestiona el {t}.", "El {t} es gestionado por {p}."], ["{q} gestiona el {t}.", "{p} no gestiona el {t}."])],
    "ja": [(["{t}は{n}秒待つ。", "{t}は {n} 秒待つ"], ["{t}は{n}分待つ。", "{t}は{m}秒待つ。", "{t}は{n}秒待たない。"])],
    "ko": [(["{t}는 {n}초 기다린다.", "{t}는 {n} 초 기다린다"], ["{t}는 {n}분 기다린다.", "{t}는 {m}초 기다린다."])],
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Note:
    """A text, the number of its fact, the values that must survive, and the thing that it tells of."""

    text: str
    fact: int
    values: tuple[str, ...]
    thing: str = ""


Groups = list[list[int]]
System = Callable[[list[Note]], tuple[Groups, dict[int, str]]]


def generate(facts: int, chance: random.Random) -> Iterator[Note]:
    """Yield the notes of so many facts and of their twins; every thing is named by a number of its own."""
    number = 0
    for serial in range(facts):
        language = chance.choices(list(TEMPLATES), [8, 8, 2, 2, 1, 1, 1])[0]
        wordings, twins = chance.choice(TEMPLATES[language])
        n, m = chance.sample(range(11, 9000), 2)
        p, q = chance.sample(NAMES, 2)
        values = {
            "t": f"{chance.choice(THINGS[language])} {serial + 10000}",
            "n": n,
            "m": m,
            "p": p,
            "q": q,
        }
        yield from _notes(wordings, number, values)
        for k, twin in enumerate(twins, 1):
            yield from _notes([twin], number + k, values)
        number += len(twins) + 1


def _notes(wordings: list[str], number: int, values: dict[str, object]) -> Iterator[Note]:
    for wording in wordings:
        kept = tuple(str(values[slot]) for slot in values if f"{{{slot}}}" in wording)
        yield Note(wording.format(**values), number, kept, str(values["t"]))


def plan(notes: list[Note]) -> ConsolidationPlan:
    """Plan a run with memoryd, all changes allowed."""
    made = [START + timedelta(minutes=i) for i in range(len(notes))]
    entries = [
        Entry(id=f"{i:06}", content=note.text, created_at=made[i], updated_at=made[i])
        for i, note in enumerate(notes)
    ]
    policy = ConsolidationPolicy(max_change_percent=100)
    return plan_consolidation(entries, None, policy, made[-1])


def by_memoryd(plan: ConsolidationPlan) -> tuple[Groups, dict[int, str]]:
    """Give the groups of a plan, and what each is kept as."""
    groups = [[int(i) for i in (merge.into, *merge.from_ids)] for merge in plan.merges]
    return groups, {int(merge.into): merge.content for merge in plan.merges}


def score_replacements(notes: list[Note], plan: ConsolidationPlan) -> dict[str, float]:
    """Count what a plan replaces by what is told of another thing, and what it asks a person."""
    pairs = [(int(one.old), int(one.new)) for one in plan.supersedes]
    wrongly = sum(notes[old].thing != notes[new].thing for old, new in pairs)
    return {"replaced": len(pairs), "replaced_wrongly": wrongly, "asked": len(plan.conflicts)}


def by_rule(similarity: Callable[[str, str], float], threshold: float) -> System:
    """Join every pair from *threshold* on, transitively, and keep the longest text of each group."""

    def run(notes: list[Note]) -> tuple[Groups, dict[int, str]]:
        leader = list(range(len(notes)))
        for i, j in itertools.combinations(range(len(notes)), 2):
            if similarity(notes[i].text, notes[j].text) >= threshold:
                first, second = sorted((_find(leader, i), _find(leader, j)))
                leader[second] = first
        together: dict[int, list[int]] = {}
        for i in range(len(notes)):
            together.setdefault(_find(leader, i), []).append(i)
        groups = [group for group in together.values() if len(group) > 1]
        return groups, {g[0]: max((notes[i].text for i in g), key=len) for g in groups}

    return run


def _find(leader: list[int], i: int) -> int:
    while leader[i] != i:
        i = leader[i]
    return i


def jaccard(a: str, b: str) -> float:
    """Share of words in common; characters where the text has no spaces."""
    left, right = (set(text.lower().split() if text.isascii() else text) for text in (a, b))
    return len(left & right) / len(left | right)


def trigrams(a: str, b: str) -> float:
    """Cosine of character trigram counts."""
    left, right = (
        Counter(text[i : i + 3].lower() for i in range(len(text) - 2)) for text in (a, b)
    )
    dot = sum(count * right[gram] for gram, count in left.items())
    return dot / (math.hypot(*left.values()) * math.hypot(*right.values()))


@cache
def engine() -> Embedder:
    """The embedded model, loaded once."""
    return load_engine("embedded", "")


@cache
def vector(text: str) -> NDArray[np.float32]:
    """The embedded model's vector of a text, of length 1."""
    return engine().embed([text])[0]


def meaning(a: str, b: str) -> float:
    """Cosine of the embedded model's vectors."""
    return float(vector(a) @ vector(b))


def score_pairs(path: Path) -> dict[str, dict[str, float]]:
    """Score labelled pairs, each by itself."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
    rows = [row for row in rows if not row.get("optional")]
    rules: dict[str, Callable[[str, str], bool]] = {
        "memoryd": lambda a, b: compare_texts(a, b)[2].merges,
        "embedding cosine 0.88": lambda a, b: meaning(a, b) >= 0.88,
        "jaccard 0.8": lambda a, b: jaccard(a, b) >= 0.8,
        "trigram cosine 0.88": lambda a, b: trigrams(a, b) >= 0.88,
    }
    result: dict[str, dict[str, float]] = {}
    for name, rule in rules.items():
        merged = Counter(row["label"] == "merge" for row in rows if rule(row["a"], row["b"]))
        wanted = sum(row["label"] == "merge" for row in rows)
        result[name] = {"recall": round(merged[True] / wanted, 3), "false_merges": merged[False]}
    return result


def score(notes: list[Note], groups: Groups, kept: dict[int, str]) -> dict[str, float]:
    """Compare groups with the facts."""
    pairs = {pair for group in groups for pair in itertools.combinations(sorted(group), 2)}
    same = {
        (i, j)
        for i, j in itertools.combinations(range(len(notes)), 2)
        if notes[i].fact == notes[j].fact
    }
    gone = {i for group in groups for i in group}
    texts = [*kept.values(), *(note.text for i, note in enumerate(notes) if i not in gone)]
    alive = "\n".join(texts)
    before = sum(len(note.text) for note in notes)
    return {
        "recall": round(len(pairs & same) / len(same), 3),
        "false_merges": len(pairs - same),
        "values_lost": sum(value not in alive for note in notes for value in note.values),
        "saved": round(1 - sum(map(len, texts)) / before, 3),
    }


def main() -> None:
    """Print every system's figures as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--facts", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pairs", type=Path)
    options = parser.parse_args()
    if options.pairs:
        print(json.dumps(score_pairs(options.pairs), indent=2))
        return
    notes = list(generate(options.facts, random.Random(options.seed)))
    made = plan(notes)
    systems: dict[str, System] = {
        "memoryd": lambda _: by_memoryd(made),
        "embedding cosine 0.88": by_rule(meaning, 0.88),
        "jaccard 0.8": by_rule(jaccard, 0.8),
        "trigram cosine 0.88": by_rule(trigrams, 0.88),
        "single linkage 0.7": by_rule(trigrams, 0.7),
    }
    figures = {name: score(notes, *run(notes)) for name, run in systems.items()}
    figures["memoryd"] |= score_replacements(notes, made)
    print(json.dumps({"notes": len(notes)} | figures, indent=2))


if __name__ == "__main__":
    main()
