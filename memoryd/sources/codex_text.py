"""What a person said in a Codex "user" item, and what the program put into it.

Rules from versions 0.2 to 0.150 (2025 to November 2026). Newer versions say of each content item what it is
(`content_item_kinds`); before, only the text itself tells.
"""

import re

_BLOCK = re.compile(
    r"\s*<(user_instructions|INSTRUCTIONS|environment_context|permissions instructions|permissions|skill"
    r"|skills_instructions|apps_instructions|plugins_instructions|collaboration_mode|personality_spec"
    r"|recommended_plugins|hook_prompt|hook_context|user_shell_command|turn_aborted|subagent_notification"
    r"|goal_context|codex_internal_context|model_switch|system-reminder|image)\b[^>]*>.*?(?:</\1\b[^>]*>|\Z)",
    re.DOTALL,
)
_INJECTED = re.compile(
    r"\s*(?:# AGENTS\.md instructions\b"
    r"|Another language model started to solve this problem and produced a summary"
    r"|You are performing a CONTEXT CHECKPOINT COMPACTION"
    r"|You were originally given instructions from a user over one or more turns"
    r"|</image>)"
)
_EDITOR = re.compile(r"\s*# Context from my IDE setup:")
_REQUEST = re.compile(r"^## My request for Codex:[ \t]*\n?", re.MULTILINE)


def human_text(text: str) -> str:
    """The part of a user text that a person wrote; "" if there is none."""
    while (found := _BLOCK.match(text)) is not None:
        text = text[found.end() :]
    if _INJECTED.match(text):
        return ""
    if _EDITOR.match(text):
        requests = list(_REQUEST.finditer(text))
        text = text[requests[0].end() :] if requests else ""
    return text.strip()
