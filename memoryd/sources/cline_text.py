"""What a person wrote in a Cline message, and what the extension put around it.

Cline and its forks (Roo Code, Kilo Code) wrap prompts in tags, append the state of the editor, and, where the
model has no tools of its own, write tool calls and their results as text. Versions 2.x to 3.x (2024 to 2026).
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_STATE = re.compile(
    r"<(environment_details|mode_notice|hook_context|explicit_instructions|file_content|slash_command)\b[^>]*>"
    r".*?(?:</\1>|\Z)",
    re.DOTALL,
)
_SAID = re.compile(
    r"<(task|feedback|user_message|user_input|answer)\b[^>]*>(.*?)(?:</\1>|\Z)", re.DOTALL
)
_RESULT = re.compile(r"\s*\[\w+(?: for '[^\n]*')?\] Result:")
_NAG = re.compile(r"\s*\[(?:ERROR|TASK RESUMPTION|\[NOTE\])")
_TALK = {
    "attempt_completion": "result",
    "ask_followup_question": "question",
    "plan_mode_respond": "response",
    "plan_mode_response": "response",
}
_TOOL = re.compile(
    r"<(execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace"
    r"|search_files|list_files|list_code_definition_names|browser_action|use_mcp_tool|access_mcp_resource"
    r"|load_mcp_documentation|switch_mode|new_task|fetch_instructions|update_todo_list|codebase_search"
    r"|condense|new_rule|web_fetch|" + "|".join(_TALK) + r")>\s*(.*?)(?:</\1>|\Z)",
    re.DOTALL,
)
_ARGUMENT = re.compile(
    r"<(command|path|regex|query|url|tool_name|mode|message)>(.*?)</\1>", re.DOTALL
)
_THINKING = re.compile(r"<thinking>.*?(?:</thinking>|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Spoken:
    """A message taken apart.

    Attributes:
        said: what a person or the model said.
        tools: results of tools, or calls as (name, argument).
    """

    said: tuple[str, ...]
    tools: tuple[str, ...] | tuple[tuple[str, str], ...]


def user_text(texts: list[str]) -> Spoken:
    """A user message: what stands in tags was said; behind the mark of a result everything else is result."""
    said: list[str] = []
    results: list[str] = []
    in_result = False
    for text in texts:
        rest = _STATE.sub("", text)
        wrapped = [found[2].strip() for found in _SAID.finditer(rest)]
        rest = _SAID.sub("", rest).strip()
        in_result = in_result or _RESULT.match(rest) is not None
        said += wrapped
        if in_result:
            results.append(rest)
        elif rest and not wrapped and not _NAG.match(rest):
            said.append(rest)
    result = "\n".join(filter(None, results))
    return Spoken(tuple(filter(None, said)), (result,) if result else ())


def assistant_text(text: str) -> Spoken:
    """An assistant message: tool calls written as tags are taken out, what they say to the person stays."""
    calls = tuple(_calls(text))
    return Spoken((_TOOL.sub(_talk, _THINKING.sub("", text)).strip(),), calls)


def _talk(found: re.Match[str]) -> str:
    field = _TALK.get(found[1])
    if field is None:
        return ""
    inner = re.search(rf"<{field}>(.*?)(?:</{field}>|\Z)", found[2], re.DOTALL)
    return inner[1].strip() if inner else ""


def _calls(text: str) -> Iterator[tuple[str, str]]:
    for found in _TOOL.finditer(text):
        if found[1] not in _TALK:
            argument = _ARGUMENT.search(found[2])
            yield found[1], argument[2].strip() if argument else ""
