"""What a person types, as terms. No character is FTS5 syntax by accident.

`"…"` makes a phrase, a leading `-` excludes, `AND OR NOT` in capitals work; everything else is literal.
"""

import re
from dataclasses import dataclass
from functools import cached_property

from memoryd.store.stopwords import STOPWORDS
from memoryd.store.tokens import UNSPACED, has_tokens, index_text, match_phrase

MAX_TERMS = 32
MAX_CHARACTERS = 4096
_PIECE = re.compile(r'(?P<minus>-)?"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+)')
_UNSPACED_RUN = re.compile(f"[{UNSPACED}]+")
_SIGN = re.compile(r"[^\w'’]|_")
_PUNCTUATION = ".,;:!?…\"'()[]{}。，？！、；：「」『』（）"
_JOINERS = "\u200c\u200d"  # part of Persian words and of emoji families
_WORD = re.compile(r"[^\W_]+")
_SPACED_RUN = re.compile(f"[^\\s{UNSPACED}]+")


@dataclass(frozen=True, slots=True)
class Term:
    """One word or phrase that must (or must not) be in a message, literally."""

    text: str
    excluded: bool = False
    phrase: bool = False

    @property
    def match(self) -> str:
        """The term as an FTS5 string."""
        return match_phrase(self.text)


@dataclass(frozen=True)
class Query:
    """Alternatives (joined by OR), each a conjunction of terms."""

    text: str
    alternatives: tuple[tuple[Term, ...], ...]

    @cached_property
    def wanted(self) -> tuple[Term, ...]:
        """Every term that is not excluded, once."""
        terms = (term for terms in self.alternatives for term in terms if not term.excluded)
        return tuple(dict.fromkeys(terms))

    def expression(self) -> str | None:
        """All words of one alternative, in any order; None if the index would see nothing."""
        return _join(self.alternatives)

    def loose_expression(self) -> str | None:
        """The same with words cut where scripts change and without words that carry nothing."""
        return _join(
            tuple(
                tuple(
                    piece
                    for term in terms
                    for piece in _cut(term)
                    if piece.excluded or not _is_empty(piece)
                )
                for terms in self.alternatives
            )
        )

    def pieces(self) -> tuple[Term, ...]:
        """The smallest meaningful parts: words, phrases, and pairs of characters of unspaced scripts."""
        cut = [piece for term in self.wanted for piece in _cut(term)]
        small = [part for piece in cut for part in _parts(piece)]
        carrying = [piece for piece in small if not _is_empty(piece)]
        return tuple(dict.fromkeys(carrying or small))[:MAX_TERMS]

    @property
    def signs(self) -> str:
        """The query, if it is made of signs alone: no index knows them. Else an empty text."""
        return "" if has_tokens(self.text) else self.text

    @property
    def literals(self) -> tuple[str, ...]:
        """What should stand in a text exactly as typed, case aside: phrases and words with signs in them."""
        words = (
            term.text if term.phrase else term.text.strip(_PUNCTUATION) for term in self.wanted
        )
        return tuple(word for word in words if _SIGN.search(word))

    def exclusions(self) -> str:
        """The excluded terms as the tail of an FTS5 expression."""
        terms = dict.fromkeys(
            term for terms in self.alternatives for term in terms if term.excluded
        )
        return "".join(f" NOT {term.match}" for term in terms)


def parse_query(text: str) -> Query:
    """Read a query as typed; never fails, control characters and lone surrogates count as spaces."""
    clean = "".join(c if c.isprintable() or c in _JOINERS else " " for c in text[:MAX_CHARACTERS])
    alternatives: list[list[Term]] = [[]]
    negate = False
    for match in list(_PIECE.finditer(clean))[: MAX_TERMS * 2]:
        word = match["word"]
        if word == "OR":
            alternatives.append([])
        elif word == "NOT":
            negate = True
        elif word != "AND":
            term = _term(match)
            if has_tokens(term.text):
                alternatives[-1].append(Term(term.text, term.excluded or negate, term.phrase))
            negate = False
    kept = tuple(
        tuple(terms[:MAX_TERMS]) for terms in alternatives if any(not t.excluded for t in terms)
    )
    return Query(clean.strip(), kept)


def _term(match: re.Match[str]) -> Term:
    if match["word"] is None:
        return Term(match["phrase"], excluded=bool(match["minus"]), phrase=True)
    word = match["word"]
    # "-x" excludes, but a flag ("--json") or a lone minus is text.
    if len(word) > 1 and word[0] == "-" and word[1] != "-":
        return Term(word[1:], excluded=True)
    return Term(word)


def _join(alternatives: tuple[tuple[Term, ...], ...]) -> str | None:
    parts = []
    for terms in alternatives:
        wanted = [term.match for term in terms if not term.excluded]
        if wanted:
            unwanted = "".join(f" NOT {term.match}" for term in terms if term.excluded)
            parts.append("(" + " AND ".join(wanted) + ")" + unwanted)
    return " OR ".join(f"({part})" for part in parts) or None


def _cut(term: Term) -> list[Term]:
    """A word cut where spaced and unspaced scripts meet; phrases and exclusions stay whole."""
    if term.phrase or term.excluded:
        return [term]
    runs = [*_UNSPACED_RUN.findall(term.text), *_SPACED_RUN.findall(term.text)]
    return [Term(run) for run in runs if has_tokens(run)]


def _parts(term: Term) -> list[Term]:
    """A run of an unspaced script as its overlapping pairs; `user_id` as itself and its words; a phrase as it is."""
    if term.phrase:
        return [term]
    if _UNSPACED_RUN.fullmatch(term.text):
        last = max(1, len(term.text) - 1)
        return [Term(term.text[i : i + 2]) for i in range(last)]
    words = _WORD.findall(term.text)
    return [term] if len(words) == 1 else [term, *map(Term, words)]


def _is_empty(term: Term) -> bool:
    """Does the word carry nothing by itself?"""
    if term.phrase:
        return False
    words = index_text(term.text).casefold().replace("'", " ").replace("’", " ").split()
    words = [word.strip(_PUNCTUATION) for word in words]
    return all(word in STOPWORDS for word in words if word)
