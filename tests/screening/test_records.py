"""A raw record stays one: parseable, without a secret, and untouched where there is nothing to hide."""

import json
import string
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memoryd.screening import screen
from memoryd.screening.records import WRAPPER, holds, screen_record

KEY = "sk-ant-api03-" + "Zx81qLmN0pRs72TuVw" * 4
PASSWORD = "correct-Horse7!battery"
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def record(**fields: Any) -> bytes:
    return json.dumps(fields, ensure_ascii=False).encode()


def test_a_record_without_a_secret_stays_byte_for_byte() -> None:
    line = b'{ "text" :  "\\u90e8\\u7f72 it", "n": 1.50, "uuid": "6ba7b810-9dad-11d1-80b4-00c04fd430c8" }'

    assert screen_record(line).data == line


@pytest.mark.parametrize(
    "hidden",
    [
        record(text=f"use {KEY} please"),
        record(text=f"first line\n{KEY}\nlast"),
        record(deep=[{"er": [f"a {KEY}"]}]),
        record(text=f"a\u200b{KEY}\u200b"),
        json.dumps({"text": f"é {KEY}"}).encode(),
        b'{"half": "' + KEY.encode() + b'", "cut of',
    ],
)
def test_a_secret_does_not_stay(hidden: bytes) -> None:
    found = screen_record(hidden)

    assert KEY.encode() not in found.data
    assert found.secrets


def test_the_name_of_a_value_tells_what_it_is() -> None:
    found = json.loads(screen_record(record(password=PASSWORD, keep="me", count=3)).data)

    assert found["password"] != PASSWORD
    assert (found["keep"], found["count"]) == ("me", 3)


def test_the_identity_of_a_record_outlives_its_secrets() -> None:
    line = record(uuid="6ba7b810-9dad-11d1-80b4-00c04fd430c8", text=KEY, parentUuid=None)
    found = json.loads(screen_record(line).data)

    assert found["uuid"] == "6ba7b810-9dad-11d1-80b4-00c04fd430c8"
    assert found["parentUuid"] is None


def test_what_only_all_values_together_tell_is_kept_as_text() -> None:
    lines = ["-----BEGIN RSA PRIVATE KEY-----", *["MIIEpAIBAAKCAQEA7bq" + "x4Zk9" * 9] * 4]
    found = screen_record(record(lines=[*lines, "-----END RSA PRIVATE KEY-----"]))
    text = json.loads(found.data)

    assert b"x4Zk9x4Zk9" not in found.data
    assert not found.wrapped or text["type"] == WRAPPER


@given(st.dictionaries(st.text(), values) | st.lists(values))
def test_json_stays_json_and_screening_again_changes_nothing(value: Any) -> None:
    once = screen_record(json.dumps(value).encode()).data
    json.loads(once)

    assert screen_record(once).data == once


@given(st.text(string.printable), st.sampled_from(["", "note: ", '{"broken": ']))
def test_any_text_is_screened_as_a_text(text: str, before: str) -> None:
    data = (before + text).encode()
    try:
        json.loads(data)
    except ValueError:
        assert screen_record(data).data == screen(before + text).text.encode()


@pytest.mark.parametrize(
    ("line", "held"),
    [
        (record(text="about Xylophone"), True),
        (json.dumps({"text": "über ÄPFEL"}).encode(), False),
        (b'{"text": "xylo\\u0070hone"}', True),
        (b'{"text": "xylo\\nphone"}', False),
        (b"xylophone, no JSON", True),
        (b"\\ no JSON", False),
    ],
)
def test_a_text_is_found_as_it_reads(line: bytes, held: bool) -> None:
    assert holds(line, "xylophone") is held


def test_escapes_of_other_scripts_are_read() -> None:
    assert holds(json.dumps({"text": "über ÄPFEL"}).encode(), "äpfel")
