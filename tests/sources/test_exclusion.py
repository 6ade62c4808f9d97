"""memoryd never ingests itself, nor agents' talks with themselves about their memory."""

from pathlib import Path

import pytest

from memoryd.sources.exclusion import (
    FENCE_CLOSE,
    FENCE_OPEN,
    SENTINEL,
    maintains_memory,
    strip_own_output,
)
from tests.sources.test_claude_code import assistant, read, text, user


def test_fenced_output_is_cut_out_of_a_message(tmp_path: Path) -> None:
    found = read(tmp_path, user(1, f"before {FENCE_OPEN}\n- old fact\n{FENCE_CLOSE} after"))

    assert [("user", "before  after")] == found.turns


def test_a_message_that_is_only_fenced_output_is_counted_out(tmp_path: Path) -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": f"{FENCE_OPEN}x{FENCE_CLOSE}"}
    found = read(tmp_path, user(1, [result]))

    assert {} == found.messages
    assert found.skipped == {"memoryd's own output": 1}


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("Bash", "memoryd search parser"),
        ("Bash", "cd x && /usr/bin/memoryd --home /h memory list"),
        ("mcp__memoryd__search", "parser"),
    ],
)
def test_what_memoryd_answers_an_agent_is_left_out(tmp_path: Path, name: str, command: str) -> None:
    call = {"type": "tool_use", "id": "toolu_01DDDDDDDDDDDDDDDD", "name": name, "input": {"command": command}}  # fmt: skip
    result = {
        "type": "tool_result",
        "tool_use_id": "toolu_01DDDDDDDDDDDDDDDD",
        "content": "old words",
    }
    found = read(tmp_path, assistant(1, call), user(2, [result, text("thanks")]))

    assert [f"{name}: {command}", "thanks"] == [*found.texts.values()]
    assert found.skipped == {"memoryd's own output": 1}


def test_working_on_memoryd_is_no_question_to_it(tmp_path: Path) -> None:
    call = {"type": "tool_use", "id": "toolu_01EEEEEEEEEEEEEEEE", "name": "Bash", "input": {"command": "cd memoryd && git status"}}  # fmt: skip
    result = {"type": "tool_result", "tool_use_id": "toolu_01EEEEEEEEEEEEEEEE", "content": "clean"}
    found = read(tmp_path, assistant(1, call), user(2, [result]))

    assert "clean" in found.texts.values()


def test_a_session_with_the_sentinel_is_left_out_from_there_on(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        user(1, f"{SENTINEL} rewrite this"),
        assistant(2, text("rewritten")),
        user(3, "more"),
    )

    assert {} == found.messages
    assert found.skipped == {"memory-keeping session": 3}


def test_an_observer_session_is_left_out_but_talking_about_one_is_not(tmp_path: Path) -> None:
    prompt = "Hello memory agent, you are continuing to observe the primary session."
    observed = read(tmp_path, user(1, prompt), assistant(2, text("noted")))
    talked = read(tmp_path, user(1, "why did it say this?"), user(2, prompt), name="p/other.jsonl")

    assert {} == observed.messages
    assert 2 == len(talked.messages)


@pytest.mark.parametrize(
    "prompt",
    [
        "How do I write a memory agent in Python?",
        "You are a great help, the memory leak is gone",
        "Review the conversation above and summarise it",
        "Please save this to memory: tabs, not spaces",
    ],
)
def test_people_may_talk_about_memory(prompt: str) -> None:
    assert not maintains_memory(prompt)


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("nothing of memoryd", "nothing of memoryd"),
        ("<!-- memoryd:begin id=1 -->\n- fact\n<!-- memoryd:end -->", ""),
        (f"{FENCE_OPEN} cut off", ""),
        (f"why is {FENCE_OPEN} there?", f"why is {FENCE_OPEN} there?"),
        (f"{FENCE_OPEN}1{FENCE_CLOSE} mine {FENCE_OPEN}2{FENCE_CLOSE}", "mine"),
        ("I like the memoryd project", "I like the memoryd project"),
    ],
)
def test_own_output_is_stripped(raw: str, kept: str) -> None:
    assert kept == strip_own_output(raw)
