"""Base64 and hexadecimal of text are undone; hashes and pictures are not text."""

import base64
import contextlib

from hypothesis import assume, given
from hypothesis import strategies as st

from memoryd.screening.encodings import decode_base64, decode_hex, find_encoded

PRINTABLE = st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=80)


@given(PRINTABLE)
def test_every_form_of_base64_is_decoded(text: str) -> None:
    standard = base64.b64encode(text.encode()).decode()
    url_safe = base64.urlsafe_b64encode(text.encode()).decode()

    for encoded in (standard, url_safe, standard.rstrip("=")):
        assert list(decode_base64(encoded)) == [text]


@given(PRINTABLE)
def test_hexadecimal_of_either_case_is_decoded(text: str) -> None:
    for encoded in (text.encode().hex(), text.encode().hex().upper()):
        assert list(decode_hex(encoded)) == [text]


@given(st.binary(min_size=1, max_size=64))
def test_what_is_no_text_is_not_decoded(raw: bytes) -> None:
    with contextlib.suppress(UnicodeDecodeError):
        assume(not raw.decode().replace("\n", "").replace("\t", "").replace("\r", "").isprintable())

    assert list(decode_hex(raw.hex())) == []
    assert list(decode_base64(base64.b64encode(raw).decode())) == []


@given(st.text(max_size=60))
def test_any_text_may_be_tried(text: str) -> None:
    assert all(isinstance(decoded, str) for decoded in (*decode_hex(text), *decode_base64(text)))


def test_base64_goes_on_over_its_signs() -> None:
    text = "is it a question??? ~~~ yes, it is >>>"
    encoded = base64.b64encode(text.encode()).decode()
    assert "/" in encoded

    found = list(find_encoded(f"x {encoded} y", 2, 2 + encoded.index("/")))

    assert found == [(2 + len(encoded), text)]


def test_hashes_are_no_encoded_text() -> None:
    for digest in ("9f86d081884c7d659a2feaa0c55ad015", "4f8a2b1c9d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a"):
        assert list(find_encoded(digest, 0, len(digest))) == []
