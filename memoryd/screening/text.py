"""Screens a text: invisible characters out, secrets replaced. The only maker of ScreenedText."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NewType

from memoryd.screening.invisible import strip_invisible
from memoryd.screening.secrets import find_secrets

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
    visible, removed = strip_invisible(text)
    kinds: Counter[str] = Counter()
    for _ in range(_MAX_PASSES):
        spans = find_secrets(visible)
        if not spans:
            break
        kinds.update(span.kind for span in spans)
        pieces = []
        position = 0
        for span in spans:
            pieces += [visible[position : span.start], f"‹secret:{span.kind}›"]
            position = span.end
        visible = "".join(pieces) + visible[position:]
    return Screened(ScreenedText(visible), kinds or _NO_SECRETS, removed)
