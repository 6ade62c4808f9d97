"""HTML that is safe by construction: whatever is not `Html` is text, and is escaped."""

from collections.abc import Iterable, Sequence
from html import escape

PLOTTED = 30  # a plot has room for so many bars, and for more if there are more


class Html(str):
    """Markup made here."""

    __slots__ = ()


Part = str | Iterable["Part"] | None


def element(tag: str, *parts: Part, **attributes: str | float | None) -> Html:
    """An element; `class_` stands for class, `_` in a name for `-`, and an attribute of None is left out."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Html(f"<{tag}{written}>{join(parts)}</{tag}>")


def join(part: Part) -> Html:
    """Markup of parts in a row."""
    if part is None:
        return Html()
    if isinstance(part, Html):
        return part
    if isinstance(part, str):
        return Html(escape(part))
    return Html("".join(join(one) for one in part))


def plot(
    values: Sequence[float | None], labels: Sequence[str], unit: str, marked: Sequence[bool] = ()
) -> Html:
    """Bars, one a value, each with its label and number for those who point at it; gaps where there is none."""
    width, height, gap = 8, 48, 2
    highest = max((value for value in values if value is not None), default=0) or 1
    bars = [
        element(
            "rect",
            element("title", f"{label}: {value:,.4g} {unit}".rstrip()),
            x=index * (width + gap),
            y=round(height - max(1.0, value / highest * height), 1),
            width=width,
            height=round(max(1.0, value / highest * height), 1),
            class_="marked" if index < len(marked) and marked[index] else None,
        )
        for index, (value, label) in enumerate(zip(values, labels, strict=True))
        if value is not None
    ]
    across = max(PLOTTED, len(values)) * (width + gap) - gap
    return element("svg", bars, viewBox=f"0 0 {across} {height}", role="img")
