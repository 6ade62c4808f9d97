"""Twins: sentences that differ from an original in exactly one fact, by construction: every kind of fact in every language.

The sentences lie in `twins_by_language/*.toml`, one table a kind: templates with one slot {x}, values of which any two
are two facts, and pairs of whole sentences. What is spelled alike everywhere (paths, hashes) has its values here.
"""

import itertools
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

LANGUAGES = ("en", "zh", "ja", "ko", "de", "fr", "es")
KINDS = (
    "number", "version", "unit", "duration", "money", "date", "time", "weekday", "port", "hash", "identifier", "path",
    "url", "flag", "code", "name", "place", "environment", "negation", "quantity", "bound", "comparative", "modality",
    "frequency", "antonym", "condition", "exception", "order", "direction", "role", "list", "certainty", "tense",
    "language", "person", "voice",
)  # fmt: skip
FEWEST = 4  # twins in a cell of the matrix
_SPELLED_ALIKE = {
    "version": ["17", "18", "20.1", "20.10", "v3", "v4"],
    "port": ["5432", "6432", "5433", "8080"],
    "hash": ["a1b2c3d", "a1b2c4d", "0fe1233", "9e107d9"],
    "identifier": ["`fetch_page`", "`fetch_pages`", "fetchPage", "page_fetch"],
    "path": ["conf/app.toml", "conf/app.yaml", "config/app.toml", "/etc/app.toml"],
    "url": ["https://a.example/v1", "https://a.example/v2", "https://b.example/v1"],
    "flag": ["--dry-run", "--dry", "--no-dry-run", "-v", "-V"],
    "code": ["`make test`", "`make lint`", "`make -B test`"],
}


class Twin(NamedTuple):
    """Two sentences that must never become one."""

    language: str
    kind: str
    original: str
    twin: str


def twins() -> Iterator[Twin]:
    """Yield every twin, in a fixed order."""
    for language in LANGUAGES:
        for kind, cell in tables(language).items():
            values = cell.get("values", _SPELLED_ALIKE.get(kind, []))
            pairs = itertools.product(cell.get("templates", []), itertools.combinations(values, 2))
            for template, (x, y) in pairs:
                yield Twin(language, kind, template.format(x=x), template.format(x=y))
            for original, twin in cell.get("pairs", []):
                yield Twin(language, kind, original, twin)


def tables(language: str) -> dict[str, dict[str, Any]]:
    """Read the sentences of one language, by kind."""
    path = Path(__file__).parent / "twins_by_language" / f"{language}.toml"
    return tomllib.loads(path.read_text("utf-8"))


# sentence around a whole statement that changes none of its facts
POLITE: dict[str, list[str]] = {
    "en": ["Please note: {s}", "Reminder: {s}", "As mentioned before, {s}"],
    "zh": ["请注意：{s}", "再次提醒：{s}", "用户再次强调：{s}"],
    "de": ["Zur Erinnerung: {s}", "Wichtig: {s}"],
    "fr": ["Rappel : {s}", "Pour rappel, {s}"],
    "es": ["Recordatorio: {s}", "Importante: {s}"],
    "ja": ["念のため、{s}"],
    "ko": ["다시 말하지만, {s}"],
}
