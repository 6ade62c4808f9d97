"""Cookies that log somebody in: `Cookie: theme=dark; sessionid=…`, `Set-Cookie: …`, `curl -b 'sid=…'`.

Only in a line that speaks of cookies, only under a name that a login goes by, and only a value that was
generated: what a page remembers about its reader (theme, language, consent, statistics) stays.
"""

import re
from collections.abc import Iterator
from urllib.parse import unquote

from memoryd.screening import values
from memoryd.screening.outline import Outline
from memoryd.screening.spans import Span

_LINE = re.compile(rb"cookie|curl[^\n]{0,300}? -b ")
_PAIR = re.compile(r"(?<![\w.-])(?P<name>[\w.-]{2,60})=[\"']?(?P<value>[\w.%:+/~-]{16,4000}={0,2})")
_LOGIN = re.compile(
    r"sess|sid\b|\bsid|auth|token|jwt|login|remember|identity|ticket|passport|logged|\bs\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(r"csrf|xsrf|consent|analytics|_ga|_gid|utm", re.IGNORECASE)
_CHECKED = 200  # characters of a value that tell whether it was generated


def find_cookies(text: str, drawn: Outline) -> Iterator[Span]:
    """Yield the values in *text* of cookies that log somebody in.

    Args:
        drawn: the outline of *text*.
    """
    end = 0
    for sign in _LINE.finditer(drawn.lowered):
        if sign.start() < end:
            continue
        start = text.rfind("\n", 0, sign.start()) + 1
        end = text.find("\n", sign.start())
        end = len(text) if end < 0 else end
        for pair in _PAIR.finditer(text, start, end):
            if (
                _LOGIN.search(pair["name"])
                and not _HARMLESS.search(pair["name"])
                and _is_generated(pair["value"])
            ):
                yield Span(*pair.span("value"), "cookie")


def _is_generated(value: str) -> bool:
    plain = unquote(value[:_CHECKED]).removeprefix("s:")  # express signs with s:
    return any(values.is_key(part) or values.is_uuid(part) for part in re.split(r"[.:=%]", plain))
