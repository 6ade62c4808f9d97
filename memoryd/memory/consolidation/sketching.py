"""Text -> the sketch by which the nets of `candidates` find those that may say the same."""

import re
import sys
from array import array

from memoryd.memory.consolidation.attributes import is_single
from memoryd.memory.consolidation.candidates import Sketch, minhash, shingles
from memoryd.memory.consolidation.numbering import is_label
from memoryd.memory.consolidation.pairing import read_cached
from memoryd.memory.consolidation.reading import sure_language
from memoryd.memory.consolidation.stations import find_station
from memoryd.memory.consolidation.unit import Reading
from memoryd.memory.text import fold

_HAN = re.compile("[\u4e00-\u9fff]+")
_TERSE = 6  # units of a text that may only say where somebody is in life


def sketch_of(content: str, *, japanese: bool) -> Sketch:
    """Sketch a text; one without kana (参加費：二千円) may be Japanese beside Japanese ones (参加費は2000円です)."""
    reading = read_cached(content)
    units, labels = reading.units, _labels(reading)
    if japanese and reading.language == "zh" and _may_be_japanese(content):
        units += read_cached(content, "ja").units
        labels = ()
    values = dict.fromkeys(
        sys.intern(unit.key) for unit in units if unit.kind in ("quantity", "code", "name")
    )
    keys = [sys.intern(unit.key) for unit in units]
    if len(units) <= _TERSE and (station := find_station(reading.text, reading.language)):
        keys.append(sys.intern(f"{station.attribute} of {station.who}"))
    plain, sure = plain_form(content), sure_language(content)
    return Sketch(
        plain,
        tuple(keys),
        tuple(values),
        labels,
        sure or reading.language,
        bool(sure),
        array("I", minhash(shingles(plain, keys))),
    )


def _labels(reading: Reading) -> tuple[str, ...]:
    """Keys of the numbers that tell which of many things is spoken of; none where something is said to have changed."""
    if "change" in reading.cues():
        return ()
    return tuple(
        sys.intern(unit.key)
        for i, unit in enumerate(reading.units)
        if unit.key.startswith("number:")
        and is_label(reading, (i,))
        and not is_single(reading, (i,))
    )


def _may_be_japanese(text: str) -> bool:
    """Is every character one that Japanese is written with? Simplified ones (务, 发) are not in its character set."""
    try:
        "".join(_HAN.findall(text)).encode("cp932")
    except UnicodeEncodeError:
        return False
    return True


def plain_form(content: str) -> str:
    """Bring text into the form in which copies are equal: folded, one kind of space, no full stop."""
    return " ".join(fold(content).text.split()).rstrip(".。!！;；~ ")
