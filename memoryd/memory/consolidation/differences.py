"""What stands against what, in words."""

from collections.abc import Iterable

from memoryd.memory.consolidation.alignment import Alignment
from memoryd.memory.consolidation.unit import Reading, Unit


def difference(a: Reading, b: Reading, alignment: Alignment) -> str:
    """Say what stands against what."""
    left, right = [a.units[i] for i in alignment.only_a], [b.units[j] for j in alignment.only_b]
    kind = _kind(left, right)
    return f"another {kind}: {_words(left)} / {_words(right)}"


_KINDS = {
    "code": "identifier",
    "name": "name",
    "quantify": "quantity word",
    "compare": "bound",
    "condition": "condition",
}
_QUANTITIES = {"number", "ordinal", "time", "date", "day", "weekday", "month"}


def _kind(left: list[Unit], right: list[Unit]) -> str:
    kinds = {unit.kind for unit in (*left, *right)}
    if "quantity" in kinds:
        prefix = next(unit for unit in (*left, *right) if unit.kind == "quantity").key.partition(
            ":"
        )[0]
        return prefix if prefix in _QUANTITIES else "amount"
    return next((name for kind, name in _KINDS.items() if kind in kinds), "word")


def _words(units: Iterable[Unit]) -> str:
    return " ".join(unit.surface for unit in units)[:60]
