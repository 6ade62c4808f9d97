"""What a person wants kept apart, asked of entries that meanwhile may stand for others: cannot-link, decided by a person.

Entries are on a side by their texts as they are now, so a changed text is on none. An entry stands for all that was
merged into it, too, or the two that were kept apart would meet through a third one.

All decisions that undoing one run made count together: where 3 was replaced by 5 and 8 was merged with 8, the next night
must not replace 3 by 8 instead. What was said since then is on no side, and free to replace and to be merged.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from memoryd.model import Apart, Entry

Sides = Mapping[str, frozenset[tuple[int, int]]]  # run -> (decision, side) that are stood for
NO_SIDES: Sides = {}


class KeptApart:
    """The decisions of one namespace, by the entries they are about."""

    def __init__(self, decisions: Sequence[Apart], by_id: Mapping[str, Entry]) -> None:
        """Look up which entries are on a side.

        Args:
            by_id: every entry of the namespace; those not active serve as lineage.
        """
        self._both_hold = frozenset(one.number for one in decisions if one.both_hold)
        self._sides: dict[str, Sides] = {}
        for decision in decisions:
            for side, ids in enumerate(decision.sides):
                for one in ids:
                    here: Sides = {decision.run: frozenset(((decision.number, side),))}
                    self._sides[one] = join_sides(self._sides.get(one, NO_SIDES), here)
        if self._sides:
            self._take_in_lineage(by_id)

    def __bool__(self) -> bool:
        return bool(self._sides)

    def sides(self, ids: Iterable[str]) -> Sides:
        """Give the sides that entries which are one, or are to be one, stand for."""
        found = NO_SIDES
        for one in ids:
            found = join_sides(found, self._sides.get(one, NO_SIDES))
        return found

    def reason(self, number: int, deed: str) -> str:
        """Say why a decision forbids a deed (merge, replacement)."""
        return "you said that both hold" if number in self._both_hold else f"you undid this {deed}"

    def _take_in_lineage(self, by_id: Mapping[str, Entry]) -> None:
        """Put every entry on the sides of those that live on in it."""
        heirs = [one for one in by_id.values() if one.state == "active" and one.merged_from]
        inherited = {one.id: self.sides((one.id, *_living_on(one, by_id))) for one in heirs}
        self._sides |= {one: sides for one, sides in inherited.items() if sides}


def join_sides(a: Sides, b: Sides) -> Sides:
    """Give the sides that two stand for together."""
    if not a or not b:
        return a or b
    return {run: a.get(run, frozenset()) | b.get(run, frozenset()) for run in {*a, *b}}


def parted_by(a: Sides, b: Sides) -> int | None:
    """Name the first decision that keeps two apart; None if there is none."""
    if not a or not b:
        return None
    stood_for = (a[run] | b[run] for run in a if run in b)
    return min((min(sides)[0] for sides in stood_for if len(sides) > 1), default=None)


def _living_on(entry: Entry, by_id: Mapping[str, Entry]) -> Iterator[str]:
    """Yield the ids of what was merged into an entry, over all steps, unless its text was changed since."""
    waiting, seen = list(entry.merged_from) if _is_as_merged(entry) else [], {entry.id}
    while waiting:
        member = by_id.get(waiting.pop())
        if member is None or member.id in seen or member.state != "merged":
            continue  # what was brought back speaks for itself
        seen.add(member.id)
        waiting += member.merged_from
        yield member.id


def _is_as_merged(entry: Entry) -> bool:
    """Does an entry still say what its merge made of it, as far as that was noted?"""
    clauses = entry.metadata.get("clauses")
    if not isinstance(clauses, list):
        return True
    texts = [one.get("text") for one in clauses if isinstance(one, dict)]
    return "".join(text for text in texts if isinstance(text, str)) == entry.content
