"""Every shape of the planted corpus disappears: plain, split, escaped, wrapped, encoded."""

import base64
import json

import pytest

from memoryd.screening import screen
from tests.screening.planted import (
    BLOCKS,
    CONTEXT_TEMPLATES,
    TEMPLATES,
    TOKEN_TEMPLATES,
    Planted,
    plant,
)

SEEDS = range(2)
SPLITS = {
    "zero-width space": "\u200b",
    "joiner": "\u200d",
    "soft hyphen": "\xad",
    "NUL": "\0",
    "tag": "\U000e0041",
    "escape sequence": "\x1b[0m",
    "escaped zero-width space": "\\u200b",
    "escaped NUL": "\\u0000",
}
WRAPS = {
    "line end": "\n",
    "CRLF": "\r\n",
    "continuation": "\\\n    ",
    "spaced continuation": " \\\n\t",
    "quoted mail": "\n> ",
    "frame": " │\n│ ",
    "escaped line end": "\\n",
}
# Parts between which a wrap leaves no run of token characters on either side.
SHORT_PARTS = {"discord-bot", "fal", "azure-ad", "dynatrace", "gitlab-routed", "paypal"}


def surround(text: str) -> str:
    return f'Look at this: "{text}" and go on.\nThe next line is harmless.'


def plants(kind: str) -> list[Planted]:
    return [plant(kind, TEMPLATES[kind], seed) for seed in SEEDS]


def middles(planted: Planted) -> list[int]:
    """Places to cut the secret at: a quarter, the middle, three quarters."""
    start = planted.text.index(planted.secret)
    return [start + len(planted.secret) * part // 4 for part in (1, 2, 3)]


def test_there_are_enough_shapes() -> None:
    assert len(TOKEN_TEMPLATES) + len(CONTEXT_TEMPLATES) + len(BLOCKS) == len(TEMPLATES)
    assert len(TEMPLATES) >= 190


@pytest.mark.parametrize("kind", TEMPLATES)
def test_plain_secrets_are_replaced_and_nothing_around_them(kind: str) -> None:
    for planted in plants(kind):
        screened = screen(surround(planted.text))

        before, after = surround("|").split("|")
        assert planted.secret not in screened.text
        assert screened.secrets.total() >= 1  # type: ignore[attr-defined]  # a Counter when not empty
        assert screened.text.startswith(before + planted.before)
        assert screened.text.endswith(planted.after + after)


@pytest.mark.parametrize("split", SPLITS.values(), ids=SPLITS)
@pytest.mark.parametrize("kind", TEMPLATES)
def test_secrets_split_by_something_invisible_are_replaced(kind: str, split: str) -> None:
    for planted in plants(kind):
        for cut in middles(planted):
            text = screen(surround(planted.text[:cut] + split + planted.text[cut:])).text

            assert_gone(planted, cut, text)


@pytest.mark.parametrize("kind", TEMPLATES)
def test_secrets_in_json_strings_are_replaced(kind: str) -> None:
    for planted in plants(kind):
        once = json.dumps({"output": surround(planted.text)}, ensure_ascii=False)
        for text in (once, json.dumps(once), json.dumps(json.dumps(once))):
            assert planted.secret not in screen(text).text


@pytest.mark.parametrize("kind", TEMPLATES)
def test_secrets_written_in_escapes_are_replaced(kind: str) -> None:
    for planted in plants(kind):
        escaped = "".join(f"\\u{ord(character):04x}" for character in planted.text)

        screened = screen(surround(escaped))

        assert screened.secrets
        escaped_secret = "".join(f"\\u{ord(character):04x}" for character in planted.secret)
        assert escaped_secret not in screened.text


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=WRAPS)
@pytest.mark.parametrize("kind", [kind for kind in TOKEN_TEMPLATES if kind not in SHORT_PARTS])
def test_tokens_wrapped_over_lines_are_replaced(kind: str, wrap: str) -> None:
    for planted in plants(kind):
        for cut in middles(planted):
            text = screen(surround(planted.text[:cut] + wrap + planted.text[cut:])).text

            assert_gone(planted, cut, text)


@pytest.mark.parametrize("kind", ["anthropic", "github-fine", "jwt", "openai-project", "pypi"])
def test_tokens_wrapped_over_many_lines_are_replaced(kind: str) -> None:
    for planted in plants(kind):
        lines = [planted.text[start : start + 24] for start in range(0, len(planted.text), 24)]

        text = screen("key:\n    " + "\n    ".join(lines) + "\nend of the key").text

        assert not any(line in text for line in lines if len(line) > 12)
        assert text.endswith("\nend of the key")


def test_the_words_of_the_next_line_are_not_part_of_a_token() -> None:
    token = plant("anthropic", TEMPLATES["anthropic"], 1).text

    assert screen(f"{token}\nexport it").text == "‹secret:anthropic-key›\nexport it"
    assert (
        screen(f"{token[:30]}\n{token[30:]}\nexport it").text == "‹secret:anthropic-key›\nexport it"
    )


@pytest.mark.parametrize("kind", TEMPLATES)
def test_encoded_secrets_are_replaced(kind: str) -> None:
    for planted in plants(kind):
        text = surround(planted.text)
        if not planted.text.isascii():
            continue
        for encoded in (base64.b64encode(text.encode()).decode(), text.encode().hex()):
            screened = screen(f"payload {encoded}.")

            assert screened.text == "payload ‹secret:encoded›."


@pytest.mark.parametrize("kind", BLOCKS)
def test_private_keys_without_an_end_lose_every_line(kind: str) -> None:
    for planted in plants(kind):
        lines = planted.text.split("\n")
        numbered = [f"{number:6}→{line}" for number, line in enumerate(lines, 1)]
        for cut in ("\n".join(lines[:-1]), "\n".join(numbered[:-1]), "\\n".join(lines[:-2])):
            text = screen(cut + "\n").text

            assert not any(line in text for line in lines[1:-1])


def test_a_mention_of_a_private_key_is_no_private_key() -> None:
    text = 'if "-----BEGIN ' + 'PRIVATE KEY-----" in text: raise ValueError("no keys here, please")'

    assert screen(text).text == text


def assert_gone(planted: Planted, cut: int, text: str) -> None:
    """Neither the secret nor either half of it may be left."""
    start = planted.text.index(planted.secret)
    halves = planted.text[start:cut], planted.text[cut : start + len(planted.secret)]

    assert planted.secret not in text
    assert not any(half in text for half in halves if len(half) > 8)
