"""How agents count: code points, UTF-16 code units, bytes or lines, and cuts that never split a character."""

from typing import Literal

Unit = Literal["codepoints", "utf16", "bytes", "lines"]

# What String.prototype.trimEnd removes (ECMA-262, WhiteSpace and LineTerminator); Python strips more and less.
JAVASCRIPT_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def decode(data: bytes) -> str:
    """Decode UTF-8; bytes that are not UTF-8 survive as lone surrogates (PEP 383), so nothing is lost."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """The inverse of `decode`."""
    return text.encode("utf-8", "surrogateescape")


def is_utf8(text: str) -> bool:
    """Did the bytes behind a decoded text really spell UTF-8?"""
    return not any("\ud800" <= char <= "\udfff" for char in text)


def measure(text: str, unit: Unit) -> int:
    """The size of *text* in an agent's own unit."""
    if unit == "codepoints":
        return len(text)
    if unit == "utf16":
        return len(text) + sum(char > "\uffff" for char in text)
    if unit == "bytes":
        return len(encode(text))
    return text.count("\n") + 1 if text else 0


def head_length(text: str, count: int, unit: Unit) -> int:
    """How many characters from the start of *text* fit into *count* units, no character split."""
    if unit == "codepoints" or count <= 0:
        return max(0, min(count, len(text)))
    if unit == "lines":
        return len("\n".join(text.split("\n")[:count]))
    if max(text[:count], default="") <= {"utf16": "\uffff", "bytes": "\x7f"}[unit]:
        return min(count, len(text))
    used = 0
    for position, char in enumerate(text):
        used += measure(char, unit)
        if used > count:
            return position
    return len(text)


def tail_length(text: str, count: int, unit: Unit) -> int:
    """How many characters from the end of *text* fit into *count* units (not lines)."""
    return head_length(text[::-1], count, unit)
