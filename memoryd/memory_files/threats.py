"""What Hermes' own scan of memory would block: entries that never reach the prompt although the file keeps them.

Equivalent in verdict and names to the "strict" scope of hermes-agent 0.19 (a slow test compares both where the
package can be imported). memoryd writes nothing that this finds. It is no defence of memoryd's own: that is the
room screening.
"""

import re
import unicodedata
from collections.abc import Sequence

SCANNED_CHARS = 65_536  # the rest of a longer text is not scanned by Hermes

# Zero-width and directional characters, looked for in the raw text.
INVISIBLE = frozenset("\u200b\u200c\u200d\u2060\ufeff") | frozenset(
    chr(code)
    for first, last in ((0x2062, 0x2064), (0x202A, 0x202E), (0x2066, 0x2069))
    for code in range(first, last + 1)
)

_WORDS = r"(?:\w+\s+){0,8}"  # up to eight words in between


def _phrase(*parts: str) -> str:
    """Parts separated by space, each followed by up to eight other words."""
    return rf"\s+{_WORDS}".join(parts)


def _line(verbs: str, target: str, gap: str = r"\s+[^\n]{0,2048}") -> str:
    """A verb and, later on the same line, its target."""
    return f"(?:{verbs}){gap}(?:{target})"


_CHANGE = r"update|modify|edit|write|change|append|add\s+to"
_KEY_VARIABLE = r"\$\{?\w*(?:KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL|API)"
_KEY_FILE = r"\.env|credentials|\.netrc|\.pgpass|\.npmrc|\.pypirc"

_PATTERNS: tuple[tuple[str, str], ...] = (
    ("prompt_injection", _phrase("ignore", "(?:previous|all|above|prior)", "instructions")),
    ("sys_prompt_override", r"system\s+prompt\s+override"),
    (
        "disregard_rules",
        _phrase("disregard", "(?:your|all|any)", "(?:instructions|rules|guidelines)"),
    ),
    (
        "bypass_restrictions",
        r"act\s+as\s+"
        + _phrase(
            "(?:if|though)", "you", "(?:have\\s+no|don't\\s+have)", "(?:restrictions|limits|rules)"
        ),
    ),
    (
        "html_comment_injection",
        r"<!--[^>]{0,512}(?:ignore|override|system|secret|hidden)[^>]{0,512}-->",
    ),
    ("hidden_div", r"<\s*div\s+style\s*=\s*[\"'][^>]{0,2048}display\s*:\s*none"),
    (
        "translate_execute",
        r"translate\s+[^\n]{0,512}\s+into\s+[^\n]{0,512}\s+and\s+(?:execute|run|eval)",
    ),
    ("deception_hide", rf"do\s+not\s+{_WORDS}tell\s+{_WORDS}the\s+user"),
    ("role_hijack", rf"you\s+are\s+{_WORDS}now\s+(?:an?|the)\s+"),
    ("role_pretend", rf"pretend\s+{_WORDS}(?:you\s+are|to\s+be)\s+"),
    ("leak_system_prompt", rf"output\s+{_WORDS}(?:system|initial)\s+prompt"),
    (
        "remove_filters",
        rf"(?:respond|answer|reply)\s+without\s+{_WORDS}(?:restrictions|limitations|filters|safety)",
    ),
    ("fake_update", rf"you\s+have\s+been\s+{_WORDS}(?:updated|upgraded|patched)\s+to"),
    ("identity_override", r"\bname\s+yourself\s+\w+"),
    ("c2_node_registration", r"register\s+(?:as\s+)?a?\s*node"),
    ("c2_heartbeat", r"(?:heartbeat|beacon|check[\s\-]?in)\s+(?:to|with)\s+"),
    ("c2_task_pull", r"pull\s+(?:down\s+)?(?:new\s+)?task(?:ing|s)?\b"),
    ("c2_network_connect", r"connect\s+to\s+the\s+network\b"),
    ("forced_action", r"you\s+must\s+(?:\w+\s+){0,3}(?:register|connect|report|beacon)\b"),
    ("anti_forensic_oneliner", r"only\s+use\s+one[\s\-]?liners?\b"),
    (
        "anti_forensic_disk",
        rf"never\s+{_WORDS}(?:create|write)\s+{_WORDS}(?:script|file)\s+{_WORDS}disk",
    ),
    ("env_var_unset_agent", r"unset\s+\w*(?:CLAUDE|CODEX|HERMES|AGENT|OPENAI|ANTHROPIC)\w*"),
    ("known_c2_framework", r"\b(?:cobalt\s*strike|sliver|havoc|mythic|metasploit|brainworm)\b"),
    ("c2_explicit", r"\bc2\s+(?:server|channel|infrastructure|beacon)\b"),
    ("c2_explicit_long", r"\bcommand\s+and\s+control\b"),
    ("exfil_curl", _line("curl", _KEY_VARIABLE)),
    ("exfil_wget", _line("wget", _KEY_VARIABLE)),
    ("read_secrets", _line("cat", _KEY_FILE)),
    (
        "send_to_url",
        _line("send|post|upload|transmit", r"https?://", r"\s+[^\n]{0,2048}\s+(?:to|at)\s+"),
    ),
    (
        "context_exfil",
        _phrase(
            "(?:include|output|print|share)",
            r"(?:conversation|chat\s+history|previous\s+messages|(?:full|entire)\s+context)",
        ),
    ),
    ("ssh_backdoor", r"authorized_keys"),
    ("ssh_access", r"(?:\$HOME|~)/\.ssh"),
    ("hermes_env", r"(?:\$HOME|~)/\.hermes/\.env"),
    ("agent_config_mod", _line(_CHANGE, r"AGENTS\.md|CLAUDE\.md|\.cursorrules|\.clinerules")),
    ("hermes_config_mod", _line(_CHANGE, r"\.hermes/(?:config\.yaml|SOUL\.md)")),
    (
        "hardcoded_secret",
        r"(?:api[_-]?key|token|secret|password)\s*[=:]\s*[\"'][A-Za-z0-9+/=_-]{20,}",
    ),
)
_COMPILED = tuple((name, re.compile(pattern, re.IGNORECASE)) for name, pattern in _PATTERNS)


def scan_as_hermes(text: str) -> Sequence[str]:
    """The names of Hermes' patterns found in *text*: () for text that reaches the prompt."""
    head = text[:SCANNED_CHARS]
    found = [f"invisible_unicode_U+{ord(char):04X}" for char in sorted(INVISIBLE & set(head))]
    folded = unicodedata.normalize("NFKC", head)
    return (*found, *(name for name, pattern in _COMPILED if pattern.search(folded)))
