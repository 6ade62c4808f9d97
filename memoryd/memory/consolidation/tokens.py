"""Cut folded text into tokens: code-like strings, quantities, words, runs of unspaced script, signs.

Markup (backticks, asterisks, tags) is not a token: `make seed` and make seed are the same words.
"""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from memoryd.memory.consolidation.quantities import IN_RUN, PATTERN, read_quantity

TokenKind = Literal["code", "quantity", "word", "run", "sign", "mark"]

_A = r"A-Za-z0-9"
_CJK = r"\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
_CODE = rf"""
    (?:https?|ssh|ftp|postgres|redis|file|git)://[^\s"'<>()，。；、）]*[{_A}/=#]      # URL
  | [{_A}][{_A}._%+-]*@[{_A}-]+(?:\.[{_A}-]+)+                                  # e-mail address
  | \#(?:[0-9A-Fa-f]{{6}}|[0-9A-Fa-f]{{3}})(?![{_A}_])                          # colour
  | [#@](?=[A-Za-z])[{_A}_-]*[{_A}]                                             # channel, handle
  | (?<![{_A}_-])--?[A-Za-z](?:[{_A}-]*[{_A}])?(?:=[{_A}./_-]*[{_A}])?          # flag
  | (?:[.~]{{0,2}}/)?(?:[{_A}_@.*-]*[{_A}_*]/)+(?:[{_A}_.*@-]*[{_A}_*])?        # path
  | [.~]{{0,2}}/[{_A}_.*-]*[{_A}_*]                                             # absolute path
  | \.[A-Za-z][{_A}_-]*(?:\.[{_A}_-]*[{_A}])*                                   # dot file
  | [A-Z][A-Z0-9_]+=[^\s,;()，。；]*[{_A}/]                                        # assignment
  | [A-Za-z_][{_A}_-]*(?:[.:][{_A}_-]*[{_A}_])+(?:\(\))?                        # dotted or colon name
  | [{_A}]*_[{_A}_]*[{_A}_](?:\(\))?                                            # snake case
  | [a-z]+[A-Z][{_A}]* | [A-Z][a-z]+[A-Z][{_A}]*                                # camel case
  | \$[A-Za-z_][{_A}_]*                                                         # variable
  | [A-Za-z]+(?:-[A-Za-z]+)*-?\d[{_A}-]*(?<!-)                                  # node-a1, v3, p50
  | \d+[A-Za-z][{_A}]*\d[{_A}]* | [0-9a-f]{{7,40}}(?![{_A}_])                   # hashes, codes
  | \d+[A-Za-z](?![{_A}_])                                                        # 3b, 2e
"""
# Most words are followed by a space, a comma or the end of their sentence: no other kind of token can begin with one,
# unless it is short for "times" (3x) or looks like a hash (effaced). A space that a word follows is passed over with it.
_PLAIN = rf"""
    (?<!\d)(?![a-f]{{7,40}}(?![{_A}_]))[A-Za-zÀ-ÖØ-öø-ɏ][a-zß-öø-ɏ]*(?=[.:]?(?:\s|\Z)|[,;!?)"])
"""
# What a quantity cannot begin with, and what code must; asked first, because both have dozens of forms.
_NO_QUANTITY = r"(?![A-Za-z\s.,;:!?()\"'])"
_MAY_BE_CODE = rf"(?=[{_A}_#@.~/*$-])"
_TOKEN = re.compile(
    rf"""
    (?P<plain>{_PLAIN})(?:\ (?=[A-Za-z]))?
  | (?P<mark>`+|\*{{1,3}}|</?(?:code|b|i|em|strong|tt)>|~~|^\s*(?:[-*•]|\#+)\s+)
  | (?P<name>(?<![\w.,])\d[A-Z][a-z]{{3,}}(?![{_A}_]))                            # 1Password
  | (?P<quantity>{_NO_QUANTITY}(?:{PATTERN}))
  | (?P<per>(?<=[\dx])\s?/\s?(?=[A-Za-z]{{2,}}\b))
  | (?P<short>\bw/o\b|\bw/(?=\s)|\bb/c\b)
  | (?P<times>(?<=\d)x(?=\s?/\s?[A-Za-z]{{2,}}\b|\b))
  | (?P<code>{_MAY_BE_CODE}(?:{_CODE}))
  | (?P<word>[^\W\d_{_CJK}]+(?:'[^\W\d_{_CJK}]+)?|(?<=\w)'(?:s|re|ve|ll|d|m)\b|[€$£%&])
  | (?P<run>(?:(?!{IN_RUN})[{_CJK}])(?:\ ?(?!{IN_RUN})[{_CJK}])*)
  | (?P<hyphen>(?<=[^\W_])-(?=[^\W\d_]))
  | (?P<sign>[<>]=|[^\w\s])
    """,
    re.VERBOSE | re.MULTILINE,
)
_CONTRACTION = re.compile(r"(n't|'(?:s|re|ve|ll|d|m))$", re.IGNORECASE)
_ELISION = re.compile(r"^((?:[ldjnmtcs]|qu|jusqu|lorsqu|puisqu)')(.+)$", re.IGNORECASE)
_STEMS = {"ca": "can", "wo": "will", "sha": "shall"}


class Token(NamedTuple):
    """A piece [start, end) of folded text; *key* is set for quantities only."""

    kind: TokenKind
    text: str
    start: int
    end: int
    key: str = ""


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of folded *text* in order."""
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup or ""
        found, (start, end) = match[kind], match.span(kind)
        if kind == "plain" or (kind == "word" and "'" not in found):
            yield Token("word", found, start, end)
        elif kind == "word":
            yield from _words(found, start)
        elif kind == "quantity":
            yield Token("quantity", found, start, end, read_quantity(found))
        elif kind in ("code", "name"):
            yield _code(found, start)
        elif kind == "per":
            yield Token("word", "per", start, end)
        elif kind in ("short", "times"):
            yield Token("word", found, start, end)
        elif kind == "run":
            yield Token("run", found, start, end)
        elif kind == "sign":
            yield Token("sign", found, start, end)


def split_phrase(phrase: str) -> list[str]:
    """Cut a table's phrase as a text would be cut, in lower case."""
    phrase = phrase.casefold()
    words = phrase.split()
    if all(map(str.isalpha, words)):
        return words
    return [token.text for token in tokens(phrase) if token.kind != "sign"]


def _code(found: str, start: int) -> Token:
    return Token("code", found, start, start + len(found))


def _words(found: str, start: int) -> Iterator[Token]:
    """Undo contractions and elisions: don't -> do not, l'envoi -> l' envoi."""
    text, end = found, start + len(found)
    if match := _ELISION.match(text):
        cut = start + match.end(1)
        yield Token("word", match.group(1), start, cut)
        text, start = match.group(2), cut
    match = _CONTRACTION.search(text)
    if not match or match.start() == 0:
        yield Token("word", text, start, end)
        return
    stem, tail = text[: match.start()], match.group(1).casefold()
    cut = start + match.start()
    yield Token("word", _STEMS.get(stem.casefold(), stem), start, cut)
    yield Token("word", "not" if tail == "n't" else tail, cut, end)
