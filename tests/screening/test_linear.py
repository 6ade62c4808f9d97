"""Hostile texts take time in proportion to their length: bait for every row and rule, repeated.

The law is about growth and proportion, in the processor time of this thread, so that a busy machine cannot break it:
four times the text takes about four times as long (sixteen times, were a pattern quadratic), and no bait costs more
than so many times the plain prose of its length. Both are the least of several measurements.
"""

import random
import time
from collections.abc import Callable
from functools import cache

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

Job = Callable[[str], object]

GROWTH = 4
MOST_GROWTH = 8  # between 4 (linear) and 16 (quadratic)
ATTEMPTS = 8
# How much slower than plain prose bait may be read; prose takes screening 15 ms and the search for instructions
# 0.7 s a megabyte, the worst bait 280 and 3 times as long.
DEAREST: dict[Job, int] = {screen: 1600, find_instructions: 12}
PROSE = "The staging server of the billing service listens on port 8082 and restarts every night. "

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


def measure(job: Job, text: str) -> float:
    start = time.thread_time()
    job(text)
    return time.thread_time() - start


def repeat(bait: str, length: int) -> str:
    return (bait * (length // len(bait) + 1))[:length]


@cache
def prose_seconds(job: Job, length: int) -> float:
    """What plain prose of this length takes."""
    return min(measure(job, repeat(PROSE, length)) for _ in range(ATTEMPTS))


def assert_linear(job: Job, make: Callable[[int], str], length: int) -> None:
    """Compare the text of *length* with the one four times as long, until both have had an undisturbed moment."""
    short, long = make(length), make(GROWTH * length)
    dearest = DEAREST.get(job, 0) * prose_seconds(job, len(long))
    few, many = float("inf"), float("inf")
    for _ in range(ATTEMPTS):
        few, many = min(few, measure(job, short)), min(many, measure(job, long))
        if many < MOST_GROWTH * few and (many < dearest or job not in DEAREST):
            return
    pytest.fail(f"{length} characters take {few:.4f} s, {GROWTH} times as many {many:.4f} s")


@pytest.mark.parametrize("bait", [*NAMES, *SIGNS, *HINTS], ids=ascii)
def test_screening_bait(bait: str) -> None:
    assert_linear(screen, lambda length: repeat(bait, length), 6_000)


@pytest.mark.parametrize("bait", RULE_BAIT, ids=ascii)
def test_searching_for_instructions_in_bait(bait: str) -> None:
    assert_linear(find_instructions, lambda length: repeat(bait, length), 2_500)


@pytest.mark.parametrize("tail", ["", "aB3", "\n", "aB3dE5fG7aB3dE5fG7."], ids=ascii)
@pytest.mark.parametrize("prefixes", [PREFIXES[::3], PREFIXES[1::3], PREFIXES[2::3]], ids=len)
def test_screening_bait_for_many_tokens(prefixes: list[str], tail: str) -> None:
    """Each prefix repeated, one behind another: the slow one of them shows."""

    def make(length: int) -> str:
        return "\n\n".join(repeat(prefix + tail, length) for prefix in prefixes)

    assert_linear(screen, make, 300)


@pytest.mark.slow
@pytest.mark.parametrize("tail", ["", "\n"], ids=ascii)
@pytest.mark.parametrize("prefix", PREFIXES, ids=ascii)
def test_screening_much_bait_for_a_token(prefix: str, tail: str) -> None:
    assert_linear(screen, lambda length: repeat(prefix + tail, length), 80_000)


@pytest.mark.slow
@pytest.mark.parametrize("bait", [*NAMES, *SIGNS, *HINTS, *RULE_BAIT], ids=ascii)
def test_much_bait(bait: str) -> None:
    assert_linear(screen, lambda length: repeat(bait, length), 80_000)
    assert_linear(find_instructions, lambda length: repeat(bait, length), 80_000)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(40))
def test_a_megabyte_of_bait_thrown_together(seed: int) -> None:
    """What no list foresees: every bait beside every other, in an order of chance (row 62)."""
    chance = random.Random(seed)
    baits = [*NAMES, *SIGNS, *HINTS, *RULE_BAIT, *PREFIXES]

    def make(length: int) -> str:
        chance.seed(seed)
        pieces = (chance.choice(baits) * chance.choice((1, 1, 2, 40)) for _ in range(length // 10))
        return repeat("".join(pieces), length)

    for job in (screen, find_instructions):
        assert_linear(job, make, 250_000)


def test_the_law_catches_a_job_that_looks_back_over_everything() -> None:
    def look_back(text: str, window: int) -> int:
        return sum(text.count("x", max(0, end - window), end) for end in range(0, len(text), 10))

    assert_linear(lambda text: look_back(text, 2_000), lambda length: "x" * length, 10_000)
    with pytest.raises(pytest.fail.Exception):
        assert_linear(lambda text: look_back(text, len(text)), lambda n: "x" * n, 10_000)
