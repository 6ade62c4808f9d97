"""What is spelled as it is has no synonym: for any two words that a table holds for the same, in every language."""

from collections import defaultdict
from itertools import pairwise

import pytest

from memoryd.memory.consolidation.comparison import compare
from memoryd.memory.consolidation.lexicon import Language, lexicon
from memoryd.memory.consolidation.reading import read

FRAMES: dict[Language, str] = {
    "en": "The command in question is {}, as agreed.",
    "zh": "这里的命令是 {}，已经说好。",
    "de": "Der Befehl an dieser Stelle ist {}, wie vereinbart.",
    "fr": "La commande à cet endroit est {}, comme convenu.",
    "es": "El comando en este lugar es {}, como acordado.",
    "ja": "ここのコマンドは {} です。",
    "ko": "여기 명령은 {} 입니다.",
}
STRIDE = 23


def synonyms(language: Language) -> list[tuple[str, str]]:
    """Neighbours of every group of words with one key; a longer quotation is somebody's sentence, not a name."""
    groups = defaultdict(list)
    for phrase, sense in lexicon(language).phrases.items():
        if len(phrase.split()) < 4 and sense.role in ("concept", "action", "quality", "quantity"):
            groups[sense.role, sense.key].append(phrase)
    return [pair for words in groups.values() for pair in pairwise(sorted(words))]


@pytest.mark.parametrize("marks", ["`{}`", '"{}"', "``{}``"])
@pytest.mark.parametrize("language", FRAMES)
def test_literals_with_one_meaning_are_kept_apart(language: Language, marks: str) -> None:
    frame, found = FRAMES[language], synonyms(language)

    assert len(found) > 50
    for one, other in found[::STRIDE]:
        pair = [read(frame.format(marks.format(word))) for word in (one, other)]
        assert not compare(*pair).merges, (one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deploy keys start with tmp_ in every region.", "Deploy keys start with temporary_ in every region."),
        ("The team that owns it is called Rapid.", "The team that owns it is called Fast."),
        ("For exports the folder is cfg.", "For exports the folder is config."),
        ("Our default branch: development", "Our default branch: dev"),
        ("The table with the accounts is `users`.", "The table with the accounts is `user`."),
        ("Export it under the variable FAST.", "Export it under the variable `QUICK`."),
    ],
)  # fmt: skip
def test_names_are_spelled_as_they_are(one: str, other: str) -> None:
    assert not compare(read(one), read(other)).merges


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Run `make seed` before the demo.", "Run make seed before the demo."),
        ("Call `fit()` on the training set.", "Call fit() on the training set."),
        ("Reports land in `out/reports/`.", "Reports land in out/reports."),
        ("The project is called “Heron”.", "The project is called Heron."),
        ("提交前先跑 `make lint`。", "提交前先跑 make lint。"),
    ],
)
def test_markup_itself_says_nothing(one: str, other: str) -> None:
    assert compare(read(one), read(other)).relation == "same"
