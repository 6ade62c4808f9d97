"""Sentences that are told from another end: "X is Y's job" is read as "Y is responsible for X".

The rows of languages/*_rewordings.toml turn a whole clause (or sentence) into the wording that the others of its kind
are turned into too. A row may move words and change those that it names; what its slots hold is never touched. So
whatever differs between two texts still differs, and every guard still sees it.
"""

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files

from memoryd.memory.consolidation.headings import bare
from memoryd.memory.consolidation.lexicon import UNSPACED, Language, lexicon
from memoryd.memory.text import fold

_TABLES: dict[str, frozenset[Language]] = {
    "rewordings": frozenset({"en", "de", "fr", "es", "zh", "ja", "ko"}),
    "changes": frozenset({"en"}),  # what is told of a change, read as what holds now
}
_SENTENCES = re.compile(  # not at the point of a German date (am 3. Juni), nor behind Dr or min
    r"((?!(?<=\d)\.\s(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez))"
    r"(?!(?<=\b(?:Mr|Ms|Dr|St))\.\s[A-Z]|(?<=\b(?:Mrs|Sra))\.\s[A-Z]|(?<=\bProf)\.\s[A-Z]|(?<=\b[Mm](?:in|ax))\.\s\d|(?<=\bapprox)\.\s\d)"
    r"[.;!?](?=\s|$)|[。；！？\n])"
)
_STOPS = r",(?!\d)|:(?!\d|//)|\s[-–—]|[()]"
_CLAUSES: dict[str, re.Pattern[str]] = {
    language: re.compile(rf"({_STOPS}|\b(?:{words})\b)", re.IGNORECASE)
    for language, words in (
        (
            "en",
            "if|unless|when|whenever|because|since|until|till|before|after|once|except|but|so that|while|although|though|which",
        ),
        (
            "de",
            "wenn|falls|sobald|weil|da|bis|bevor|nachdem|ausser|außer|aber|damit|während|obwohl|sondern",
        ),
        (
            "fr",
            "si|quand|lorsque|parce que|car|avant|après|sauf|mais|afin que|pendant que|bien que|dès que",
        ),
        (
            "es",
            "si|cuando|porque|ya que|hasta|antes|después|excepto|salvo|pero|para que|mientras|aunque|sino",
        ),
    )
} | {
    "zh": re.compile(r"([，,（）()]|[：:](?!\d)|因为|由于|如果|除非|但是?|所以|否则)"),
    "ja": re.compile(r"([、,（）()]|[：:](?!\d)|ので|場合|けれど)"),
    "ko": re.compile(r"([,()]|[：:](?!\d)|때문에|지만|경우)"),
}
_ANY = r"(?:[^,;:()]|(?<=\d)[:,](?=\d))+?"  # 8:30, 1,020
_NAME = r"(?-i:[A-ZÄÖÜÉÈÁÍÓÚ][\w.+#-]*(?: (?:[A-ZÄÖÜÉÈÁÍÓÚ][\w.+#-]*|\d[\d.]*))*)"
_PATH = r"(?:[a-z][a-z0-9+]*://[^\s,;()]+|[/~.][\w./~-]+|\w+/[\w./-]+|[\w-]+\.\w{1,5})"
_PLACE = r"[A-Za-z0-9_~.-]*[/.][A-Za-z0-9_./-]*[A-Za-z0-9_/]"
_LATIN = {"": _ANY, "N": _NAME, "w": r"[\w'-]+", "p": _PATH}
_SLOTS: dict[str, dict[str, str]] = {
    "en": _LATIN
    | {
        "n": r"(?:(?:about|around|roughly|nearly|almost|at most|up to|at least) )?(?:\d[\d.,]*|a|an|half an?|one|two|three"
        r"|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|a hundred)\b(?:[^,;:()]|(?<=\d)[:,](?=\d))*?",
        "d": r"(?:don't|do not|never|please don't|please do not|don't ever|do not ever)",
    },
    "de": _LATIN,
    "fr": _LATIN,
    "es": _LATIN,
    "zh": {
        "": r"[^，,；;：:（）()]+?",
        "N": r"[^，,；;：:（）()的是在]{1,8}?",
        "t": r"(?:每|逢)?(?:周|星期|礼拜|天|日|月|年|晚|早|凌晨|上午|下午|中午|傍晚|今|明|\d|[一二三四五六七八九十])[^，,；;：:（）()]*?",
        "w": r"[^，,；;：:（）()]{2,4}?",
    },
    "ja": {"": r"[^、,：:（）()]+?", "N": r"[^、,：:（）()のはがをにで]{1,10}?", "p": _PLACE},
    "ko": {"": r"[^,：:()]+?", "N": r"[^,：:()\s]+?(?: [^,：:()\s]+?)?", "p": _PLACE},
}
_SLOT = re.compile(r"\{([a-z])([A-Za-z]?)(?::((?:[^{}]|\{[\d,]+\})+))?\}")
_GROUP = re.compile(r"(?<!\\)\((?!\?)")
_WORD = re.compile(r"[a-zäöüßàâçéèêëîïôùûáíóúñ'-]+")
_LONGEST = 240  # characters; nobody turns a longer sentence round
_GAP = re.compile(
    r"(?<=[\u3040-\u30ff\u4e00-\u9fff]) (?=\S)|(?<=\S) (?=[\u3040-\u30ff\u4e00-\u9fff])"
)


@dataclass(frozen=True, slots=True)
class _Row:
    """One way to say it, as a pattern that is compiled when a text has the words of its kind, and how it is read."""

    said: str
    read: str


@dataclass(frozen=True, slots=True)
class _Table:
    """The rows of a language, each with the words of which a text must have one, in the order of the file."""

    rows: tuple[tuple[frozenset[str], bool, _Row], ...]
    words: frozenset[str]


@lru_cache(maxsize=16384)
def reworded(text: str, language: Language, name: str = "rewordings") -> str | None:
    """Give folded text as the table has it read, or None if no row says anything about it."""
    if language not in _TABLES.get(name, ()):
        return None
    table = _table(language, name)
    folded = _GAP.sub("", text) if language in UNSPACED else text
    plain = bare(folded, language)
    before = folded if name == "rewordings" else plain
    found = _words(plain.casefold(), language, table)
    if not found:
        return plain if plain != before else None
    wholes, parts = _rows_with(found, language, name)
    pieces = [
        _clauses(_turn(piece, wholes, language), parts, language)
        for piece in _SENTENCES.split(plain)
    ]
    said = "".join(pieces)
    return said if said != before else None


@lru_cache(maxsize=4096)
def _rows_with(
    found: frozenset[str], language: Language, name: str
) -> tuple[tuple[_Row, ...], tuple[_Row, ...]]:
    """Give the rows of sentences and those of clauses that ask for one of the words; many texts have the same."""
    rows = [
        (whole, row)
        for words, whole, row in _table(language, name).rows
        if not words.isdisjoint(found)
    ]
    return tuple(row for whole, row in rows if whole), tuple(
        row for whole, row in rows if not whole
    )


def _words(text: str, language: Language, table: _Table) -> frozenset[str]:
    if language in UNSPACED:
        return frozenset(word for word in table.words if word in text)
    return table.words.intersection(_WORD.findall(text))


def _clauses(sentence: str, rows: tuple[_Row, ...], language: Language) -> str:
    if not rows:
        return sentence
    parts = _CLAUSES[language].split(sentence)
    return "".join(part if n % 2 else _turn(part, rows, language) for n, part in enumerate(parts))


def _turn(piece: str, rows: Iterable[_Row], language: Language) -> str:
    """Apply the rows in turn to one sentence or clause; the spaces around it stay."""
    core = piece.strip()
    if not core or len(core) > _LONGEST:
        return piece
    turned = core
    for row in rows:
        if match := _compiled(row.said).fullmatch(turned):
            slots = {key: value or "" for key, value in match.groupdict().items()}
            turned = " ".join(row.read.format_map(slots).split())
    if turned == core:
        return piece
    return piece.replace(core, _uncapitalised(turned, core, language))


def _uncapitalised(turned: str, core: str, language: Language) -> str:
    """What opened the sentence with a capital may now stand inside of it."""
    if language == "de":  # whose nouns keep it
        return turned
    first = re.match(r"[A-Z][a-z']*(?![\w'-])", core)
    if language in UNSPACED or first is None or turned.startswith(first.group()):
        return turned
    word = first.group()
    known = word.casefold() in lexicon(language).plain_words
    return re.sub(rf"\b{re.escape(word)}\b", word.lower(), turned, count=1) if known else turned


@cache
def _table(language: Language, name: str = "rewordings") -> _Table:
    file = files(__package__).joinpath("languages", f"{language}_{name}.toml")
    data = tomllib.loads(file.read_text("utf-8"))
    rows = [
        (frozenset(kind["words"]), part == "sentences", _row(said, read, language))
        for kind in data["kind"]
        for part in ("sentences", "clauses")
        for said, read in kind.get(part, ())
    ]
    return _Table(tuple(rows), frozenset().union(*(row[0] for row in rows)))


def _row(said: str, read: str, language: Language) -> _Row:
    """Compile a row: {x} is any words, {x:a|b} one of these, {xN} a name, {xn} an amount, {xw} one word; (a|b) either, (a)? perhaps."""
    pattern = _GROUP.sub("(?:", fold(said).text)
    slots = _SLOTS[language]
    pattern = _SLOT.sub(lambda m: f"(?P<{m[1]}>{m[3] or slots[m[2]]})", pattern)
    return _Row(pattern, fold(read).text)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)
