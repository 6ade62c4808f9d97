"""Secrets known by the name they are given: `API_KEY=…`, `"password": "…"`, `密码：…`, `--token …`.

A name alone proves nothing: the value must look like one (see `values`), so that code, types,
placeholders and prose about passwords stay.
"""

import re
from collections.abc import Callable, Iterator

from memoryd.screening import values
from memoryd.screening.spans import Span

# Cheap test in the lowered text: without one of these no name can be there.
_STEMS = (
    b"pass",
    b"pwd",
    b"secret",
    b"token",
    b"key",
    b"cred",
    b"auth",
    b"kennwort",
    b"senha",
    b"contrase",
    b"signature",
    b"connection",
)
_FOREIGN_STEMS = (
    "密",
    "口令",
    "令牌",
    "私钥",
    "凭证",
    "授权码",
    "パスワード",
    "トークン",
    "鍵",
    "비밀번호",
    "암호",
    "토큰",
    "пароль",
    "токен",
)

# In the lowered text, so that names keep their place whatever their case.
_NAME = re.compile(
    rb"(?P<password>passw(?:or)?[dt]|pass(?:phrase|code|wd)|pwd|kennwort|contrase.{1,2}a|mot de passe|senha"
    rb"|(?<![a-z0-9])(?:[a-z0-9]{1,12}_pass|pass(?=[\"']?=|[\"']:)))"
    rb"|(?P<secret>secret|credentials?)"
    rb"|(?P<key>token|api[ _.-]?key|apikey|connection[ _-]?string|authorization|signature"
    rb"|(?<![a-z0-9])auth(?=[\"':=])"
    rb"|(?:access|private|auth|signing|encryption|master|account|client|service|licen[cs]e|session|"
    rb"subscription|storage|deploy|admin|app|bot|hmac|cookie|webhook|jwt|consumer|shared)[ _.-]?key)"
    rb"(?:[ _.-]?(?:key|token|access|base|value|val|string|str|prod|production|dev|staging|test|live|"
    rb"root|admin|user|new|old|current|confirm|confirmation|primary|secondary|main|default|\d{1,2}))"
    rb"{0,3}(?![a-z0-9_-])"
)
_FOREIGN_NAME = re.compile(
    "(?P<password>密码|密碼|口令|パスワード|비밀번호|암호|(?i:пароль))"
    "|(?P<key>密钥|密鑰|秘钥|令牌|私钥|凭证|授权码|トークン|秘密鍵|토큰|(?i:токен))"
)
_SEPARATOR = re.compile(
    r"[\"'`\]\)*»”]{0,4}(?:"
    r"[ \t]{0,8}:[ \t]{0,4}[A-Za-z&'][\w&'<>\[\]| ?.]{0,30}=[ \t]{0,8}(?!=)"  # a declared type
    r"|[ \t]{0,20}(?::=|=>|->|={1,3}|[:：＝→])\*{0,2}[ \t]{0,20}(?:\n[ \t]{0,20}){0,2}"
    r"|(?<=[\"'])[ \t]{0,2},[ \t]{0,4}(?=[\"'])"  # getenv("API_KEY", "…")
    r"|\((?=[\"'])"  # with_token("…")
    r"|[ \t]{1,8}(?=[\"'])"  # identified by password '…'
    r"|>(?!=)"  # <password>…</password>
    r"|[ \t]{0,4}(?:is|was|是|为|為|es|ist|est|は|는|은)[ \t:：]{0,4}(?=[ \"'`“A-Za-z0-9])"
    r"|[\"',\s]{1,20}value[\"']?[ \t]{0,4}[:=][ \t]{0,4}"  # name: API_KEY, value: …
    r")"
)
_FLAG_SEPARATOR = re.compile(r"[ \t]{1,4}(?=[^\s-])")
_FLAG = re.compile(rb"--[a-z0-9-]{0,30}\Z")
_VALUE = re.compile(
    r"(?:[bfru]{0,2}[\"'`“‘「]{1,3}(?P<quoted>[^\"'`“”‘’」\s\\<>]{3,4000})(?=[\"'`“”‘’」\s\\])"
    r"|(?P<bare>(?:[!#$%*+\-./0-9:?@A-Z^_a-z~]|&(?!\w{1,30}=)){3,256}={0,2})(?P<call>[(\[{]?))"
)
_NAMES_OF_NO_SECRET = re.compile(
    rb"(?:page|next|continuation|sync|cancel|cancellation|csrf|xsrf|public|design|theme)[_-]?\Z"
)


def find_assignments(text: str, lowered: bytes) -> Iterator[Span]:
    """Yield the values in *text* that are assigned to a secret's name.

    Args:
        lowered: *text* in lower case, every non-ASCII character one "?", so offsets agree.
    """
    if any(stem in lowered for stem in _STEMS):
        for match in _NAME.finditer(lowered):
            yield from _judge(text, lowered, match.start(), match.end(), match.lastgroup)
    if not text.isascii() and any(stem in text for stem in _FOREIGN_STEMS):
        for found in _FOREIGN_NAME.finditer(text):
            yield from _judge(text, lowered, found.start(), found.end(), found.lastgroup)


def _judge(
    text: str, lowered: bytes, start: int, end: int, name_class: str | None
) -> Iterator[Span]:
    if (
        _NAMES_OF_NO_SECRET.search(lowered, max(0, start - 16), start)
        or text[start - 1 : start] == "‹"
    ):
        return
    separator = _SEPARATOR.match(text, end)
    if separator is None and _FLAG.search(lowered, max(0, start - 32), start):
        separator = _FLAG_SEPARATOR.match(text, end)
    value = _VALUE.match(text, separator.end()) if separator else None
    if value is None or value["call"]:
        return
    if value["bare"] is not None:
        content = value["bare"].rstrip(".?!:" if name_class != "password" else ".:")
        begin = value.start("bare")
    else:
        content, begin = value["quoted"], value.start("quoted")
    kind, is_value = _CHECKS[name_class or "key"]
    if is_value(content) and not (values.is_uuid(content) and lowered[start:end] == b"token"):
        yield Span(begin, begin + len(content), kind)


_CHECKS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "password": ("password", values.is_password),
    "secret": ("secret", values.is_secret),
    "key": ("key", values.is_key),
}
