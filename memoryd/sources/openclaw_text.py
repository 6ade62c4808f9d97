"""What a person wrote in an OpenClaw message, and what the gateway wrapped around it.

As seen in versions up to 2026.9: messages from a channel come with blocks of metadata, a bracketed header
with the time, and notices; the gateway itself speaks as a user for heartbeats, timers and memory upkeep.
"""

import re

_METADATA = re.compile(
    r"\s*[A-Z][^\n(]{0,80}\(untrusted[^)\n]*\):\s*"
    r"(?:```(?:json)?\n.*?\n```|\{.*?\n\}(?=\s*(?:\n|\[|\Z)))\s*",
    re.DOTALL,
)
_NOTICE = re.compile(r"\s*System: \[[^\n]*\n+")
_HEADER = re.compile(r"\s*\[[^\]\n]*\d{4}-\d\d-\d\d[^\]\n]*\]\s*")
_TRAILER = re.compile(r"\s*(?:\[message_id: [^\]\n]*\]|Untrusted context \(.*)\s*\Z", re.DOTALL)
_DIRECTIVE = re.compile(r"\[\[\s*(?:reply_to|audio_as_voice)[^\]\n]*\]\]\s*")
_UPKEEP = re.compile(
    r"\s*(?:\[cron:|\[OpenClaw heartbeat|\[heartbeat|Read HEARTBEAT\.md"
    r"|A new session was started via /(?:new|reset)"
    r"|Pre-compaction memory flush|\[?System Message\]|Run your Session Startup sequence"
    r"|Continue where you left off\. The previous model attempt failed)",
    re.IGNORECASE,
)
_SILENT = re.compile(r"\s*(?:HEARTBEAT_OK|NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP)[.!]?\s*\Z")


def human_text(text: str) -> str:
    """The part of a user text that a person wrote; "" if the gateway speaks."""
    length = -1
    while length != len(text):
        length = len(text)
        for wrapper in (_METADATA, _NOTICE, _HEADER):
            found = wrapper.match(text)
            text = text[found.end() :] if found else text
    text = _TRAILER.sub("", text)
    return "" if _UPKEEP.match(text) else text.strip()


def spoken_text(text: str) -> str:
    """An assistant's text without the gateway's directives; "" if it chose silence."""
    text = _DIRECTIVE.sub("", text)
    return "" if _SILENT.match(text) else text.strip()
