"""What is asked first, because it is cheap, changes nothing: plain words, and patterns that are compiled late."""

import pytest

from memoryd.memory.consolidation.lexicon import Language, lexicon
from memoryd.memory.consolidation.tokens import tokens


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("the box keeps", ["word", "word", "word"]),
        ("effaced, faced", ["code", "sign", "word"]),  # seven letters that may be a hash
        ("3x a day", ["quantity", "word", "word", "word"]),
        ("a max /week", ["word", "word", "word", "word"]),  # "/" is "per" behind an x
        ("see docs/api. See it.", ["word", "code", "sign", "word", "word", "sign"]),
        ("Größe: 5", ["word", "sign", "quantity"]),
        ("don't use l'eau", ["word", "word", "word", "word", "word"]),
        ("camelCase e-mail", ["code", "word", "word"]),
    ],
)
def test_a_plain_word_is_told_from_what_only_begins_like_one(text: str, kinds: list[str]) -> None:
    assert [token.kind for token in tokens(text)] == kinds


@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_every_saying_can_be_compiled(language: Language) -> None:
    sayings = lexicon(language).sayings
    assert sayings is not None
    for template in {line for lines in sayings._templates.values() for line in lines}:
        assert sayings._pattern(template)
