"""Undoes base64 and hexadecimal of printable text: one level, as far as a run of it goes."""

import binascii
import contextlib
import re
from collections.abc import Iterator

# Of text in ASCII every fourth base64 digit is one of half the alphabet, every second hex digit < 8.
_ENCODED_ASCII = re.compile(r"(?:[C-Za-f][A-Za-z0-9_-]{3}){4}|(?:[0-7][0-9A-Fa-f]){12}")
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{16,8000}={0,2}")
_STANDARD_ALPHABET = str.maketrans("-_", "+/")


def may_be_encoded(run: str) -> bool:
    """May *run* begin with base64 or hexadecimal of ASCII?"""
    return bool(_ENCODED_ASCII.match(run))


def find_encoded(text: str, start: int, end: int) -> Iterator[tuple[int, str]]:
    """Yield what the run [start, end) of *text* may be the encoding of.

    Yields:
        Where the encoding ends (base64 goes on over "+", "/" and "="), and the decoded text.
    """
    if may_be_encoded(text[start:end]):
        found = _BASE64.match(text, start)
        end = max(end, found.end()) if found else end
        for decode in (decode_hex, decode_base64):
            for decoded in decode(text[start:end]):
                yield end, decoded


def decode_hex(value: str) -> Iterator[str]:
    """Yield the printable ASCII text that *value* is the hexadecimal of, if it is one."""
    with contextlib.suppress(ValueError):
        yield from _printable(bytes.fromhex(value))


def decode_base64(value: str) -> Iterator[str]:
    """Yield the printable text that *value* is the base64 of (either alphabet), if it is one."""
    digits = value.rstrip("=").translate(_STANDARD_ALPHABET)
    whole = len(digits) - (len(digits) % 4 == 1)
    with contextlib.suppress(ValueError):
        yield from _printable(binascii.a2b_base64(digits[:whole] + "==="))


def _printable(raw: bytes) -> Iterator[str]:
    with contextlib.suppress(UnicodeDecodeError):
        text = raw.decode()
        if raw.translate(None, b"\t\n\r").decode().isprintable():
            yield text
