"""Derive the English synonym table of consolidation, and its list of words, from WordNet 3.0 (Debian package wordnet-base).

Run once by hand: `python bench/derive_synonyms.py DIR WORDS`, DIR being the folder that holds data.noun and its like,
WORDS a list of words that are used at all, one a line: those of wordfreq with a Zipf frequency of at least 1.5, each
followed by that frequency; from 2.7 on a word is common. A common word is taken in the senses it mostly has; names, numbers, units, animals, plants and
phrases are left out.
"""

import sys
import textwrap
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

TARGET = Path("memoryd/memory/consolidation/languages/en_wordnet.txt")
WORDS = TARGET.with_name("en_spelling.txt")
VERBS = TARGET.with_name("en_words.toml")
VERBS_HEAD = """\
# English words that are mostly verbs; the hand-made tables come first. Derived by bench/derive_synonyms.py from WordNet 3.0.
"""
SHORTEST_VERB = 3  # letters
WORDS_HEAD = """\
# English words of five letters and more, for telling a slip of the pen from a word. Derived by bench/derive_synonyms.py
# from the words of WordNet 3.0 that are used at all.
"""
SHORTEST = 5  # letters
COMMON = 2.7  # Zipf frequency
HEADER = """\
# English words of one meaning, one set a line: its part of speech (n, v, a, r; d for a verb and its nouns), then the
# words. Derived by bench/derive_synonyms.py from WordNet 3.0; only the senses that a common word mostly has are kept.
#
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved.
# This software and database is being provided to you, the LICENSEE, by Princeton University under the following
# license. By obtaining, using and/or copying this software and database, you agree that you have read, understood, and
# will comply with these terms and conditions: Permission to use, copy, modify and distribute this software and database
# and its documentation for any purpose and without fee or royalty is hereby granted, provided that you agree to comply
# with the following copyright notice and statements, including the disclaimer, and that the same appear on ALL copies
# of the software, database and documentation, including modifications that you make for internal use or for
# distribution. THIS SOFTWARE AND DATABASE IS PROVIDED "AS IS" AND PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS OR
# WARRANTIES, EXPRESS OR IMPLIED. BY WAY OF EXAMPLE, BUT NOT LIMITATION, PRINCETON UNIVERSITY MAKES NO REPRESENTATIONS
# OR WARRANTIES OF MERCHANTABILITY OR FITNESS FOR ANY PARTICULAR PURPOSE OR THAT THE USE OF THE LICENSED SOFTWARE,
# DATABASE OR DOCUMENTATION WILL NOT INFRINGE ANY THIRD PARTY PATENTS, COPYRIGHTS, TRADEMARKS OR OTHER RIGHTS. The name
# of Princeton University or Princeton may not be used in advertising or publicity pertaining to distribution of the
# software and/or database. Title to copyright in this software, database and any associated documentation shall at all
# times remain with Princeton University and LICENSEE agrees to preserve same.
"""
FILES = {"n": "data.noun", "v": "data.verb", "a": "data.adj", "r": "data.adv"}
NUMBERS = {"n": "1", "v": "2", "a": "3", "s": "5", "r": "4"}
# lexicographer files: Tops, animal, body, location, person (roles are values), plant, quantity, substance, time
LEFT_OUT = {3, 5, 8, 15, 18, 20, 23, 27, 28}
DEEDS = {4, 9, 10, 11}  # nouns for what somebody does: act, cognition, communication, event
RESULTS = {
    19,
    21,
    22,
    26,
}  # and for what comes of it, if the verb is mostly one: phenomenon, possession, process, state
MATERIALS = {5, 13, 20, 27}  # animal, food, plant, substance: words that things are named after
COLOURS = ("chromatic_color", "achromatic_color", "color")
DEED = ("tion", "sion", "ment", "ance", "ence", "al", "ure", "ery", "age", "ysis")
SHARE = 0.2  # of a word's uses a sense must have


class Synset(NamedTuple):
    """One sense of several words; *derived*: (number of the word or 0, part of speech, offset of the noun)."""

    pos: str
    offset: str
    lexname: int
    words: list[str]
    senses: list[str]
    derived: list[tuple[int, str, str, int]]


def read_synsets(folder: Path) -> Iterator[Synset]:
    """Read the data files; the format is wndb(5WN)."""
    for pos, name in FILES.items():
        for line in (folder / name).read_text("utf-8").splitlines():
            if line.startswith("  "):
                continue
            parts = line.split(" | ")[0].split()
            count = int(parts[3], 16)
            words = [parts[4 + 2 * k].partition("(")[0] for k in range(count)]
            ids = [parts[5 + 2 * k] for k in range(count)]
            at = 4 + 2 * count
            derived = []
            for k in range(int(parts[at])):
                symbol, offset, kind, place = parts[at + 1 + 4 * k : at + 5 + 4 * k]
                if symbol == "+" and kind == "n":
                    derived.append((int(place, 16) >> 8, kind, offset, int(place, 16) & 255))
            lexname = int(parts[1])
            senses = [
                f"{w.lower()}%{NUMBERS[parts[2]]}:{lexname:02}:{int(i, 16):02}"
                for w, i in zip(words, ids, strict=True)
            ]
            yield Synset(pos, parts[0], lexname, words, senses, derived)


def read_counts(folder: Path) -> Counter[str]:
    """Give how often each sense stands in the tagged texts."""
    counts: Counter[str] = Counter()
    for line in (folder / "cntlist.rev").read_text("utf-8").splitlines():
        sense, _, count = line.split()
        counts[":".join(sense.split(":")[:3])] += int(count)
    return counts


def read_ranks(folder: Path) -> dict[tuple[str, str], list[str]]:
    """Give the synsets of each word, the commonest first (index files)."""
    ranks: dict[tuple[str, str], list[str]] = {}
    for pos, name in FILES.items():
        for line in (folder / name.replace("data", "index")).read_text("utf-8").splitlines():
            if not line.startswith("  "):
                parts = line.split()
                ranks[pos, parts[0]] = parts[-int(parts[2]) :]
    return ranks


class Judge:
    """Decides whether a word mostly has a sense."""

    def __init__(self, folder: Path, common: frozenset[str]) -> None:
        self.common = common
        self.counts = read_counts(folder)
        self.ranks = read_ranks(folder)
        self.totals: Counter[tuple[str, str]] = Counter()
        for sense, count in self.counts.items():
            lemma, _, rest = sense.partition("%")
            self.totals[{"1": "n", "2": "v", "3": "a", "5": "a", "4": "r"}[rest[0]], lemma] += count

    def mostly_verb(self, word: str) -> bool:
        """Is a word at least twice as often a verb as anything else, or nothing else?"""
        if not word.isascii() or not word.isalpha():
            return False
        verb = self.totals["v", word]
        others = self.totals["n", word], self.totals["a", word] + self.totals["r", word]
        only = ("n", word) not in self.ranks and ("a", word) not in self.ranks
        return only or 0 < verb >= 2 * max(others)

    def is_verb(self, word: str, deed: str) -> bool:
        return self.totals["v", word] >= self.totals["n", word] and not deed.endswith(
            ("age", "ery")
        )

    def takes(self, synset: Synset, k: int) -> bool:
        word = synset.words[k]
        if word not in self.common or not word.isalpha() or not word.isascii() or len(word) < 3:
            return False
        rank = self.ranks[synset.pos, word].index(synset.offset)
        total = self.totals[synset.pos, word]
        return rank == 0 or (bool(total) and self.counts[synset.senses[k]] >= SHARE * total)


def naming_words(folder: Path, nouns: dict[str, Synset]) -> tuple[frozenset[str], frozenset[str]]:
    """Give the words for colours, then those for animals, plants, dishes, materials too: things are named after them."""
    above: dict[str, list[str]] = {}
    for line in (folder / "data.noun").read_text("utf-8").splitlines():
        parts = line.split(" | ")[0].split()
        if not line.startswith("  "):
            above[parts[0]] = [parts[k + 1] for k, part in enumerate(parts) if part in ("@", "@i")]
    colours: set[str] = set()
    materials: set[str] = set()
    for offset, synset in nouns.items():
        words = {word.lower() for word in synset.words}
        colours |= words if _is_colour(offset, nouns, above) else set()
        materials |= words if synset.lexname in MATERIALS else set()
    return frozenset(colours), frozenset(colours | materials)


def _is_colour(offset: str, nouns: dict[str, Synset], above: dict[str, list[str]]) -> bool:
    while offset in nouns:
        if not set(COLOURS).isdisjoint(nouns[offset].words) and nouns[offset].lexname == 7:
            return True
        offset = next(iter(above[offset]), "")
    return False


def write_words(folder: Path, used: frozenset[str]) -> None:
    """Write the list of words that are no slip of the pen."""
    words: set[str] = set()
    for name in FILES.values():
        for line in (folder / name.replace("data", "index")).read_text("utf-8").splitlines():
            word = line.split(" ", 1)[0]
            if len(word) >= SHORTEST and word.isascii() and word.isalpha() and word in used:
                words.add(word)
    listed = textwrap.fill(" ".join(sorted(words)), 160)
    head = HEADER.replace(HEADER[: HEADER.index("#\n")], WORDS_HEAD)
    WORDS.write_text(head + listed + "\n", "utf-8")


def write_verbs(folder: Path, judge: Judge) -> None:
    """Write the words that are mostly verbs, for telling who does what from word order."""
    verbs = sorted(
        word
        for pos, word in judge.ranks
        if pos == "v"
        and len(word) >= SHORTEST_VERB
        and word in judge.common
        and judge.mostly_verb(word)
    )
    head = HEADER.replace(HEADER[: HEADER.index("#\n")], VERBS_HEAD)
    listed = textwrap.fill(" ".join(verbs), 160)
    VERBS.write_text(f'{head}verbs = """\n{listed}\n"""\n', "utf-8")


def main(folder: Path, common: frozenset[str]) -> None:
    """Write the table."""
    judge = Judge(folder, common)
    synsets = list(read_synsets(folder))
    nouns = {synset.offset: synset for synset in synsets if synset.pos == "n"}
    naming = naming_words(folder, nouns)
    lines = set()
    deeds: dict[str, set[str]] = defaultdict(set)
    for synset in synsets:
        if synset.pos == "n" and synset.lexname in LEFT_OUT:
            continue
        taken = [w for k, w in enumerate(synset.words) if judge.takes(synset, k)]
        taken = [w for w in taken if w not in naming[synset.pos == "n"]]
        if len(taken) > 1:
            lines.add(" ".join((synset.pos, *sorted(set(taken)))))
        if synset.pos != "v":
            continue
        for place, _, offset, target in synset.derived:
            noun = nouns[offset]
            word, deed = synset.words[place - 1], noun.words[target - 1]
            if (
                (noun.lexname in DEEDS or (noun.lexname in RESULTS and judge.is_verb(word, deed))) and word[:3] == deed[:3] and deed.endswith(DEED) and word != deed
                and word in taken and judge.takes(noun, target - 1)
            ):  # fmt: skip
                deeds[word].add(deed)
    lines |= {" ".join(("d", verb, *sorted(found))) for verb, found in deeds.items()}
    TARGET.write_text(HEADER + "\n".join(sorted(lines)) + "\n", "utf-8")


if __name__ == "__main__":
    lines = [line.split() for line in Path(sys.argv[2]).read_text("utf-8").splitlines()]
    write_verbs(
        Path(sys.argv[1]),
        Judge(
            Path(sys.argv[1]), frozenset(word for word, often in lines if float(often) >= COMMON)
        ),
    )
    main(Path(sys.argv[1]), frozenset(word for word, often in lines if float(often) >= COMMON))
    write_words(Path(sys.argv[1]), frozenset(word for word, _ in lines))
