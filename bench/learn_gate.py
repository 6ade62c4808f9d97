"""What do the families of the write gate weigh? Learned from the labelled messages of the tests.

usage: learn_gate.py [--write]

Logistic regression over the families of every sentence (ridge, Newton's method from zero, so the same every time), first with
an eighth of the tables left out in turn (what the gate can do with a voice it has not heard), then over all of them. --write puts the
weights into memoryd/memory/gate/weights.toml.
"""

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from memoryd.memory.gate.context import Sentence, read_sentences
from memoryd.memory.gate.extraction import barrier
from memoryd.memory.gate.tables import load_families
from memoryd.memory.gate.zones import find_zones
from memoryd.model import Origin
from tests.memory.gate.labelled import NAMES, Labelled, read_messages

WEIGHTS = Path(__file__).parents[1] / "memoryd/memory/gate/weights.toml"
# Probabilities: with evidence and no doubt, with both, without evidence; and to wait for a person, with evidence and without.
EVIDENT, DOUBTED, BARE = 0.5, 0.76, 0.9
REVIEW, BARE_REVIEW = 0.4, 0.8
RIDGE = 1.0
ROUNDS = 30
TURNS = 8
TABLES = ("alone", "beside_evidence", "in_statement")


@dataclass(frozen=True, slots=True)
class Row:
    """A sentence that no barrier keeps out: what it holds, and whether it is to be kept."""

    table: str
    features: frozenset[str]
    kept: bool

    def is_added(self, weights: Mapping[str, float]) -> bool:
        score = weights["bias"] + sum(weights.get(one, 0.0) for one in self.features)
        if "alone.evidence" not in self.features:
            return score >= odds(BARE)
        if "alone.remember" in self.features:
            return score >= odds(EVIDENT)
        return score >= odds(DOUBTED if "alone.doubt" in self.features else EVIDENT)


def read_rows(name: str) -> Iterable[Row]:
    origin: Origin = "assistant" if name.startswith("assistant") else "user"
    for message in read_messages(name):
        for sentence in read_sentences(message.text, find_zones(message.text), origin):
            if not barrier(sentence.families, origin):
                yield Row(name, features(sentence.families), is_kept(sentence, message))


def is_kept(sentence: Sentence, message: Labelled) -> bool:
    start, end = sentence.span.start, sentence.span.end
    inside = sum(max(0, min(end, part.end) - max(start, part.start)) for part in message.kept)
    return inside * 2 >= end - start


def features(families: frozenset[str]) -> frozenset[str]:
    """Name what has a weight: family, family beside evidence, family in a statement."""
    table = load_families()
    known = {*table.evidence, *table.part, *table.doubt, *table.mark}
    names = {f"alone.{name}" for name in families & known}
    doubts = families & table.doubt.keys()
    if families & table.evidence.keys():
        names |= {f"beside_evidence.{name}" for name in doubts}
    if "statement" in families:
        names |= {f"in_statement.{name}" for name in doubts}
    return frozenset(names)


def learn(rows: Sequence[Row]) -> dict[str, float]:
    """The weights of the features of *rows*, and of "bias".

    A doubt never speaks for an entry: where chance in the rows says so, it is left out and the rest learned again.
    """
    left: frozenset[str] = frozenset()
    while True:
        weights = _fit(rows, left)
        wrong = {
            f"alone.{name}"
            for name in load_families().doubt
            if weights.get(f"alone.{name}", 0.0) > 0
        }
        if not wrong:
            return weights
        left |= wrong


def _fit(rows: Sequence[Row], left: frozenset[str]) -> dict[str, float]:
    found = frozenset[str]().union(*(row.features for row in rows))
    names = ["bias", *sorted(found - left)]
    places = {name: place for place, name in enumerate(names)}
    matrix = np.zeros((len(rows), len(names)))
    matrix[:, 0] = 1.0
    for number, row in enumerate(rows):
        matrix[number, [places[name] for name in row.features - left]] = 1.0
    kept = np.array([row.kept for row in rows], dtype=float)
    ridge = np.full(len(names), RIDGE)
    ridge[0] = 0.0
    return dict(zip(names, _newton(matrix, kept, ridge).tolist(), strict=True))


def _newton(
    matrix: NDArray[np.float64], kept: NDArray[np.float64], ridge: NDArray[np.float64]
) -> NDArray[np.float64]:
    weights = np.zeros(matrix.shape[1])
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-matrix @ weights))
        slope = matrix.T @ (chance - kept) + ridge * weights
        curve = (matrix.T * (chance * (1 - chance))) @ matrix + np.diag(ridge)
        step = np.linalg.solve(curve, slope)
        weights -= step
        if np.abs(step).max() < 1e-9:
            break
    return weights


def odds(probability: float) -> float:
    return round(float(np.log(probability / (1 - probability))), 3)


def left_out(rows: Sequence[Row]) -> dict[str, float]:
    """Precision and recall of sentences in tables that the weights were not learned from."""
    right = added = kept = 0
    for turn in range(TURNS):
        names = NAMES[turn::TURNS]
        weights = learn([row for row in rows if row.table not in names])
        for row in rows:
            if row.table in names:
                is_added = row.is_added(weights)
                added += is_added
                right += row.kept and is_added
                kept += row.kept
    return {"precision": round(right / added, 4), "recall": round(right / kept, 4)}


def as_toml(weights: dict[str, float]) -> str:
    lines = [
        "# What each family adds to the log-odds that a sentence is worth remembering.",
        "# Learned by bench/learn_gate.py from the labelled messages of the tests; not edited by hand.",
        "# A doubt also weighs beside evidence, and in a plain statement.",
        "",
        f"evident = {odds(EVIDENT)}",
        f"doubted = {odds(DOUBTED)}",
        f"bare = {odds(BARE)}",
        f"review = {odds(REVIEW)}",
        f"bare_review = {odds(BARE_REVIEW)}",
        f"bias = {weights['bias']:.3f}",
    ]
    for table in TABLES:
        lines += ["", f"[{table}]"]
        lines += [
            f"{name.partition('.')[2]} = {weight:.3f}"
            for name, weight in sorted(weights.items())
            if name.startswith(f"{table}.")
        ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    rows = [row for name in NAMES for row in read_rows(name)]
    print(json.dumps({"sentences": len(rows), "left out": left_out(rows)}))
    if options.write:
        WEIGHTS.write_text(as_toml(learn(rows)), encoding="utf-8")


if __name__ == "__main__":
    main()
