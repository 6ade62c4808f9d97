"""Screens a text: invisible characters out, secrets replaced. The only maker of ScreenedText."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NewType

from memoryd.screening.invisible import has_invisible, strip_invisible
from memoryd.screening.outline import outline
from memoryd.screening.secrets import find_secrets
from memoryd.screening.spans import Span, replace

ScreenedText = NewType("ScreenedText", str)
"""Text that went through `screen`: the only text that store, logs and memory files accept.

Joining or formatting screened text gives a plain str again, which must be screened again.
"""

_NO_SECRETS: Mapping[str, int] = MappingProxyType({})
_MAX_PASSES = 4  # what was replaced may uncover more; two passes have always been enough


@dataclass(frozen=True, slots=True)
class Screened:
    """A text made safe to keep.

    Attributes:
        text: encodes to UTF-8; every secret is `‹secret:kind›`.
        secrets: how many secrets of each kind were replaced.
        removed: how many invisible characters were removed.
    """

    text: ScreenedText
    secrets: Mapping[str, int]
    removed: int


def screen(text: str) -> Screened:
    """Replace the secrets in *text* and remove its invisible characters. Linear and idempotent."""
    removed = 0
    drawn = outline(text)
    if drawn.has_controls() or (drawn.foreign and has_invisible(drawn.foreign)):
        text, removed = strip_invisible(text)
        drawn = outline(text)
    spans = find_secrets(text, drawn)
    if not spans:
        return Screened(ScreenedText(text), _NO_SECRETS, removed)
    text, kinds = _replace_until_none(text, spans)
    return Screened(ScreenedText(text), kinds, removed)


def _replace_until_none(text: str, spans: list[Span]) -> tuple[str, Mapping[str, int]]:
    kinds: Counter[str] = Counter()
    for _ in range(_MAX_PASSES):
        kinds.update(span.kind for span in spans)
        text = replace(text, spans)
        spans = find_secrets(text, outline(text))
        if not spans:
            break
    return text, kinds
