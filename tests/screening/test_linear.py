"""Hostile texts take time in proportion to their length: bait for every row and rule, repeated."""

import time

import pytest

from memoryd.screening import find_instructions, screen
from memoryd.screening.shapes import (
    ANYWHERE,
    AT_BEGINNING,
    BEFORE_RUN,
    CONTEXTS_OF_BLOCKS,
    CONTEXTS_OF_COMMANDS,
    CONTEXTS_OF_URLS,
)

MEGABYTE = 1_000_000
SECONDS_PER_MEGABYTE = 1.0
SLACK = 5  # how much slower a busy machine may be

PREFIXES = [*ANYWHERE, *AT_BEGINNING, *BEFORE_RUN]
HINTS = [
    context.hint.decode()
    for context in (*CONTEXTS_OF_BLOCKS, *CONTEXTS_OF_COMMANDS, *CONTEXTS_OF_URLS)
]
BLOCK = "-----BEGIN " + "PRIVATE KEY-----"
NAMES = [
    "password",
    "password=",
    'password="',
    '"password":"',
    "pass ",
    "token: ",
    "token for a b c d ",
    "api_key=aB3dE5fG7aB3dE5fG7",
    "secret_key_key",
    "key",
    "user bob pass ",
    "user: bob password bob1pass1 ",
    "password=testpasskeyapi",
    "密码：",
    "密码是",
    "口令(",
    "curl -u ",
    "curl -u a:",
    "docker login -p",
    "mysql -h a -",
    "sshpass -p",
    "--a-token ",
    "mot de passe ",
    "credential",
]
SIGNS = [
    "\\",
    "\\\\u0041",
    "\\u0041",
    "\\n",
    "%41",
    "\n",
    "a\n",
    "aaaaaaaaaaaa\n",
    "abc123\n  ",
    "aB3dE5fG7aB3dE5fG7\n",
    "aaaaaaaaaaaaaaa ",
    "YWJj",
    "QUJDREVGR0hJSktMTU5P+",
    "QUJDREVGR0hJSktMTU5P\n",
    "41",
    "://a:b",
    "://a@",
    BLOCK,
    f"{BLOCK}\n{'A' * 40}\n",
    "\u200b",
    "\u200d",
    "\ufe0f",
    "👨\u200d",
    "\u0639\u200c",
    "\x1b",
    "\x1b[",
    "\x1b]",
    "\x1b[0m",
    "\r",
    "\0",
    "\ud800",
    "‹secret:",
    "中文，",
    "-",
    "=",
    '"',
    "'",
]
RULE_BAIT = [
    "ignore ",
    "ignore all ",
    "ignore all of the previous ",
    "ignore all previous x ",
    "you are now ",
    "you are now a a a ",
    "忽略之前",
    "忽略",
    "以前の指示",
    "이전 지시",
    "remember a b c d e f ",
    "remember that the ",
    "do not tell ",
    "send a b c d ",
    "send secrets to ",
    "<!--",
    "<!-- a",
    "<div style=",
    "<a display:none>",
    "curl a",
    "curl a | ",
    "curl a -d $",
    "base64 -d ",
    "![a](http://a?b=",
    "[//]: # (",
    "[assistant: ",
    "note to ",
    "dear ai ",
    "ignoriere ",
    "oublie ",
    "ignora ",
    "把密码",
    "ﬁ",
    "Ａ",
    "а",
    "1gn0re ",
    "a" * 1000 + " ",
]


def measure(job: object, text: str) -> float:
    start = time.process_time()
    job(text)  # type: ignore[operator]
    return time.process_time() - start


def repeat(bait: str, length: int) -> str:
    return (bait * (length // len(bait) + 1))[:length]


def assert_linear(job: object, text: str) -> None:
    limit = SECONDS_PER_MEGABYTE * SLACK * len(text) / MEGABYTE
    assert measure(job, text) < limit or measure(job, text) < limit


@pytest.mark.parametrize("bait", [*NAMES, *SIGNS, *HINTS], ids=ascii)
def test_screening_bait(bait: str) -> None:
    assert_linear(screen, repeat(bait, MEGABYTE // 40))


@pytest.mark.parametrize("bait", RULE_BAIT, ids=ascii)
def test_searching_for_instructions_in_bait(bait: str) -> None:
    assert_linear(find_instructions, repeat(bait, MEGABYTE // 100))


@pytest.mark.parametrize("tail", ["", "aB3", "\n", "aB3dE5fG7aB3dE5fG7."], ids=ascii)
@pytest.mark.parametrize("prefixes", [PREFIXES[::3], PREFIXES[1::3], PREFIXES[2::3]], ids=len)
def test_screening_bait_for_many_tokens(prefixes: list[str], tail: str) -> None:
    """Each prefix repeated, one behind another: the slow one of them shows."""
    assert_linear(screen, "\n\n".join(repeat(prefix + tail, 600) for prefix in prefixes))


@pytest.mark.slow
@pytest.mark.parametrize("tail", ["", "\n"], ids=ascii)
@pytest.mark.parametrize("prefix", PREFIXES, ids=ascii)
def test_screening_much_bait_for_a_token(prefix: str, tail: str) -> None:
    assert_linear(screen, repeat(prefix + tail, MEGABYTE // 3))


@pytest.mark.slow
@pytest.mark.parametrize("bait", [*NAMES, *SIGNS, *HINTS, *RULE_BAIT], ids=ascii)
def test_much_bait(bait: str) -> None:
    assert_linear(screen, repeat(bait, MEGABYTE // 3))
    assert_linear(find_instructions, repeat(bait, MEGABYTE // 3))
