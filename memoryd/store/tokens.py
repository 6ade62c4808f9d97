"""How text becomes index tokens, the same way for rows and for queries.

Characters of scripts that put no spaces between words (Chinese and Japanese, Thai and its neighbours; Korean, which glues
particles to words) are indexed one by one, beside whole words of other scripts: a run of them in a query becomes a phrase,
so one- and two-character words are found, and Latin glued to them is free.
Measured on 100,000 messages this costs 15 % of time and 2 % of space; trigrams cost six and seven times as much.
Change `TOKENS_VERSION` with any change here: the indexes are then rebuilt.
"""

import re
import unicodedata

TOKENS_VERSION = "2"

# Thai, Lao, Tibetan, Myanmar, Khmer; Han (with extensions and radicals), kana, Hangul, bopomofo.
UNSPACED = "\u0e00-\u109f\u1780-\u17ff\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3041-\u30ff\u3100-\u318f\u31a0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
_UNSPACED_CHARACTER = re.compile(f"([{UNSPACED}])")
# C++, C#, F#: the sign is part of the name. Kept as a second token of letters that no one types.
_SIGNED_NAME = re.compile(r"(?<![\w+#])([A-Za-z]\w{0,2})(\+\+|#)(?![\w+#])")
_SIGNS = {"++": "\u1429\u1429", "#": "\u1428"}
_TOKEN = re.compile(r"[^\W_]+")


def index_text(text: str) -> str:
    """Prepare text for the full-text indexes: unspaced scripts spaced, compatibility forms folded, signed names kept."""
    if not text.isascii():
        text = _UNSPACED_CHARACTER.sub(r" \1 ", unicodedata.normalize("NFKC", text))
    if "++" in text or "#" in text:
        text = _SIGNED_NAME.sub(_keep_sign, text)
    return text.replace("\0", " ")


def _keep_sign(match: re.Match[str]) -> str:
    return f"{match[1]} {match[1]}{_SIGNS[match[2]]}"


def has_tokens(text: str) -> bool:
    """Would the index see anything in this text?"""
    return _TOKEN.search(index_text(text)) is not None


def match_phrase(text: str) -> str:
    """An FTS5 string that matches *text* literally: no character of it is syntax."""
    return '"' + index_text(text).replace('"', " ") + '"'
