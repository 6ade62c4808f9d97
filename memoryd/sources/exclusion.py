"""What memoryd must never ingest: its own output, and the conversations in which agents keep their memory.

Whatever memoryd hands to an agent as text stands between FENCE_OPEN and FENCE_CLOSE; a conversation that
memoryd itself starts (an observer, a rewriter run through an agent) carries SENTINEL in its first prompt.
Both come back in the agent's transcript and are left out here, in every source, and so is what a tool call
that asks memoryd gives back.
"""

import re

SENTINEL = "[memoryd:do-not-ingest]"
FENCE_OPEN = "<memoryd-context>"
FENCE_CLOSE = "</memoryd-context>"

_NAME = "memoryd"  # every mark contains it: the cheap test
_OWN_TEXT = re.compile(
    r"<memoryd-context\b[^>]*>.*?</memoryd-context>"
    r"|<!--\s*memoryd:begin\b.*?<!--\s*memoryd:end\b.*?-->"
    # Cut off before its end; but someone who only mentions a fence keeps his words.
    r"|\A\s*(?:<memoryd-context\b|<!--\s*memoryd:begin\b).*",
    re.DOTALL,
)
_OWN_CALL = re.compile(
    r"\A(?:mcp__)?memoryd[._]"
    r"|(?:^|[\s;&|(/])memoryd(?:\s+--?[\w-]+(?:[ =]\S+)?)*"
    r"\s+(?:search|show|sessions|memory|files|review|runs|status|consolidate|prune|nightly)\b"
)
_MAINTENANCE = re.compile(
    r"\s*(?:"
    r"Hello memory agent"
    r"|You are a Claude-Mem, a specialized observer tool"
    r"|PROGRESS SUMMARY CHECKPOINT"
    r"|(?:You are|Act as) (?:a|an|the) (?:\w+ ){0,3}memory[- ](?:writing|consolidation|extraction|maintenance|curation|observer|keeper)"
    r"|## Memory Writing Agent"
    r"|Review the conversation above and (?:consider )?(?:saving|save|update) .{0,40}memor(?:y|ies)"
    r"|IMPORTANT: This message and these instructions are NOT part of the actual user conversation\."
    r")"
)


def strip_own_output(text: str) -> str:
    """*text* without what memoryd itself had put into it."""
    return _OWN_TEXT.sub("", text).strip() if _NAME in text else text


def is_own_session(text: str) -> bool:
    """Does a message with this text mark its whole session as memoryd's own?"""
    return _NAME in text and SENTINEL in text


def is_own_call(line: str) -> bool:
    """Is this tool call (as one line) memoryd being asked? What it answers is known already."""
    return _NAME in line and _OWN_CALL.search(line) is not None


def maintains_memory(prompt: str) -> bool:
    """Is this first prompt of a session an agent telling itself to keep its memory?"""
    return _MAINTENANCE.match(prompt) is not None
