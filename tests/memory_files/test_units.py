"""Counting as the agents count, and cuts that split no character."""

import json
import shutil
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.memory_files.units import JAVASCRIPT_SPACE, Unit, head_length, measure, tail_length

ANY_TEXT = st.text(st.characters(exclude_categories=[]))


@pytest.mark.parametrize(
    ("unit", "size"), [("codepoints", 5), ("utf16", 6), ("bytes", 10), ("lines", 2)]
)
def test_one_text_has_a_size_in_every_unit(unit: Unit, size: int) -> None:
    assert measure("aé😀\n中"[:5], unit) == {"bytes": 1 + 2 + 4 + 1 + 3}.get(unit, size)


@given(st.text(), st.integers(0, 40))
def test_a_head_fits_and_one_character_more_does_not(text: str, count: int) -> None:
    for unit in ("codepoints", "utf16", "bytes"):
        end = head_length(text, count, unit)

        assert measure(text[:end], unit) <= count
        assert end == len(text) or measure(text[: end + 1], unit) > count


@given(st.text(), st.integers(0, 40))
def test_a_tail_is_the_head_of_the_text_read_backwards(text: str, count: int) -> None:
    kept = text[len(text) - tail_length(text, count, "utf16") :]

    assert text.endswith(kept)
    assert measure(kept, "utf16") <= count


@given(ANY_TEXT)
def test_utf16_is_the_length_of_the_encoding(text: str) -> None:
    assert measure(text, "utf16") == len(text.encode("utf-16-le", "surrogatepass")) // 2


def test_space_at_the_end_is_what_javascript_trims() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    script = "const s=[];for(let i=0;i<65536;i++)if(!String.fromCharCode(i).trimEnd())s.push(i);console.log(JSON.stringify(s))"
    answer = subprocess.run([node, "-e", script], capture_output=True, check=True, timeout=30)

    assert sorted(map(ord, JAVASCRIPT_SPACE)) == json.loads(answer.stdout)
