"""Secrets known by the name they are given: `API_KEY=…`, `"password": "…"`, `密码：…`, `--token …`.

A name alone proves nothing: the value must look like one (see `values`), so that code, types,
placeholders and prose about passwords stay.
"""

import re
from collections.abc import Callable, Iterator

from memoryd.screening import values
from memoryd.screening.outline import Outline
from memoryd.screening.spans import Span

# In the lowered text, so that names keep their place whatever their case. Every stem begins at a rare
# letter ("secret" and "token" in their middle): the search skips all others at C speed.
_STEM = re.compile(
    rb"p(?:ass|wd|w(?![a-z]))|k(?:ey|(?<=tok)en|ennwort)|c(?:red|(?<=sec)ret|ontrase|onnection|url)"
)
_NAME = re.compile(
    rb"(?:(?P<password>passw(?:or)?[dt]|pass(?:phrase|code|wd)|pwd|(?<![a-z0-9_.-])pw|kennwort|contrase.{1,2}a"
    rb"|(?<=mot de )passe|(?<!by)(?<!com)(?<!sur)pass(?=[\"\'=:* \t]))"
    rb"|(?P<secret>cret|credentials?)"
    rb"|(?P<key>ken|key|connection[ _-]?string))"
    rb"(?:[ _.-]?(?:key|token|access|base|value|val|string|str|prod|production|dev|staging|test|live|"
    rb"root|admin|user|new|old|current|confirm|confirmation|primary|secondary|main|default|\d{1,2})){0,3}"
    rb"(?![a-z0-9_-])"
)
# A key is secret only with one of these before it; a cache key, a primary key or a keyboard is not.
_SECRET_KEY = re.compile(
    rb"(?:api|fal|access|private|auth|signing|encryption|master|account|client|service|licen[cs]e|session|"
    rb"subscription|storage|deploy|admin|app|bot|hmac|cookie|webhook|jwt|consumer|shared)[ _.-]?\Z"
)
_NO_SECRET = re.compile(
    rb"(?:page|next|continuation|sync|cancel|cancellation|csrf|xsrf|public|design|theme)[_-]?(?:to)?\Z"
    rb"|\d:se\Z"  # arn:aws:secretsmanager:…:123456789012:secret:name
)
# Not a name, but found the same way: curl -u user:password.
_CURL = re.compile(
    r"curl\b[^\n|;]{0,150}?\s(?:-u|--user)[ =]?[\"']?[\w.@+-]{1,99}:(?P<secret>[^\s\"'‹]{3,200})"
)
_FOREIGN_INITIAL = re.compile("[密口令秘私凭授パト비암토пПтТ]")

_FOREIGN_NAME = re.compile(
    "(?P<password>密码|密碼|口令|パスワード|비밀번호|암호|[Пп]ароль)"
    "|(?P<key>密钥|密鑰|秘钥|令牌|私钥|凭证|授权码|トークン|秘密鍵|토큰|[Тт]окен)"
)
_BECOMES = (  # is, is now, (was | has been) changed to, 已经改成, は今
    r"(?:(?:is|was|ist|est|es|has been|got)\b[ \t]?)?(?:(?:now|jetzt|maintenant|ahora|currently)\b[ \t]?)?"
    r"(?:(?:re)?set to|(?:changed|updated|switched|rotated) (?:to|from))\b"
    r"|(?:is|was|ist|est|es|lautet|heißt|used to be)\b(?: (?:now|jetzt|maintenant|ahora|currently)\b)?|now\b"
    r"|wurde (?:heute |gestern )?(?:auf|zu)\b|from\b(?=[^\n]{1,40} to\b)|\?? ?[Ii]t['’]s\b|(?:is|was) changed\. It is now\b"
    r"|(?:现在|現在|已经?|已經|刚|剛)?(?:改|换|換|更新|重置|设置?|設)(?:成|为|為)了?|(?:现在|現在)是?"
    r"|[从從由](?=[^\n，。]{1,40}[改换換])|を(?=[^\n、。]{1,40}[にへ](?:変|更新|設定|した))"
    r"|[를을](?=[^\n.]{1,40}(?:변경|바꾸|바꿨|바꿈|설정))"
)
_AND_THEN = re.compile(  # from the old one to the new one
    r"[\"'`”’]?[ \t]{0,2}(?:to\b|,? ?(?:and )?(?:now it is|it is now|now)\b|(?:被|已)?(?:改|换|換|更新|重置)?(?:成|为|為|到)了?|から)[ \t]{0,2}"
)
_SEPARATOR = re.compile(
    r"[\"'`\\\]\)*»”]{0,20}"
    r"(?:[ \t](?:for|of|to|in|on|für|pour|para)(?:[ \t][\w.-]{1,20}){1,4}|[ \t]?[（(][^）)\n]{1,24}[)）])?(?:"
    r"[ \t]{0,8}:[ \t]{0,4}[A-Za-z&'][\w&'<>\[\]| ?.]{0,30}=[ \t]{0,8}(?!=)"  # a declared type
    r"|[ \t]{0,20}(?::=|=>|->|={1,3}|[:：＝→])\*{0,2}[ \t]{0,20}(?:\n[ \t]{0,20}){0,2}"
    r"|(?<=[\"'])[ \t]{0,2},[ \t]{0,4}(?=[\"'])"  # getenv("API_KEY", "…")
    r"|\((?=[\"'])"  # with_token("…")
    r"|[ \t]{1,8}(?=[\"'])"  # identified by password '…'
    r"|>(?!=)"  # <password>…</password>
    rf"|[ \t]{{0,4}}(?:{_BECOMES}|是|为|為|は|는|은)[ \t:：]{{0,4}}(?=[ \"'`“A-Za-z0-9])"
    r"|[\"',\s]{1,20}value[\"']?[ \t]{0,4}[:=][ \t]{0,4}"  # name: API_KEY, value: …
    r")"
)
_FLAG_SEPARATOR = re.compile(r"[ \t]{1,4}(?=[^\s-])")
_FLAG = re.compile(rb"--[a-z0-9-]{0,30}\Z")
_VALUE = re.compile(
    r"(?:[bfru]{0,2}[\"'`“‘「]{1,20}(?P<quoted>[^\"'`“”‘’」\s\\<>]{3,4000})(?=[\"'`“”‘’」\\]|[ \t]*\n)"
    r"|(?P<bare>(?:[!#$%*+\-./0-9:?@A-Z^_a-z~]|&(?!\w{1,30}=)){3,256}={0,2})(?P<call>[(\[{]?))"
)
# The other way round: use … as the password, … is the new password of the router.
_BEFORE = re.compile(
    r"(?:\A|[\s\"'`“])(?P<value>[^\s\"'`“”]{6,64})[\"'`”]? (?:as|is) (?:the|my|our|your|her|his|their|a)(?: [\w-]{2,12}){0,2} \Z"
)
_NOTHING_ELSE = re.compile(r"(?:s?\s+(?:for|of|on|to|in|at|now)\b|[.,;!?)]|\s*\Z|\s*\n)")
_BEFORE_REACH = 110
# Beside a user's name a password needs no sign between it and its own name: "user bob, pass …".
_LOGIN = re.compile(rb"user|login|account|usr|uid|identifiant|usuario")
_FOREIGN_LOGIN = re.compile("账号|帐号|账户|用户名|アカウント|ユーザー名|계정|아이디")
_PAIR_SEPARATOR = re.compile(r"[\"'`*]{0,3}[ \t:：]{1,4}|(?<=[^\x00-\x7f])(?=[A-Za-z0-9])")
_LOGIN_REACH = 80
_PASS_AS_NAME = re.compile(r"[\"']|[ \t]{0,4}=")  # else it is a verb, or the result of a test
_NAME_REACH = 16  # bytes before a name in which what qualifies it is looked for
_FLAG_REACH = 32
_CALL = re.compile(r"\([\"']{1,20}[\w.-]{0,60}\Z")
_CALL_REACH = 84


def _match_separator(
    text: str, lowered: bytes, start: int, end: int, *, is_password: bool
) -> re.Match[str] | None:
    """What stands between the name at [start, end) and its value."""
    found = None
    if (
        lowered[start:end] != b"pass"
        or _PASS_AS_NAME.match(text, end)
        or text[start - 1 : start] == "_"
    ):
        found = _SEPARATOR.match(text, end)
    if found and "," in found[0] and not _CALL.search(text, max(0, start - _CALL_REACH), start):
        return None  # one name of a list
    if found is None and _FLAG.search(lowered, max(0, start - _FLAG_REACH), start):
        found = _FLAG_SEPARATOR.match(text, end)
    if found is None and is_password and _has_login(text, lowered, start):
        found = _PAIR_SEPARATOR.match(text, end)
    return found


def _has_login(text: str, lowered: bytes, start: int) -> bool:
    """Is a user named in the line, before *start*?"""
    begin = max(0, start - _LOGIN_REACH)
    begin = max(begin, text.rfind("\n", begin, start))
    return bool(_LOGIN.search(lowered, begin, start) or _FOREIGN_LOGIN.search(text, begin, start))


_CHECKS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "password": ("password", values.is_password),
    "secret": ("key", values.is_secret),
    "key": ("key", values.is_key),
}


def find_assignments(text: str, drawn: Outline) -> Iterator[Span]:
    """Yield the values in *text* that are assigned to a secret's name.

    Args:
        drawn: the outline of *text*.
    """
    lowered = drawn.lowered
    for stem in _STEM.finditer(lowered):
        if stem[0] == b"curl":
            yield from _judge_curl(text, stem.start())
            continue
        name = _NAME.match(lowered, stem.start())
        if name and _is_secret_name(lowered, name):
            yield from _judge(text, lowered, name.start(), name.end(), name.lastgroup)
    if drawn.foreign and _FOREIGN_INITIAL.search(drawn.foreign):
        for foreign in _FOREIGN_NAME.finditer(text):
            yield from _judge(text, lowered, foreign.start(), foreign.end(), foreign.lastgroup)


def _judge_curl(text: str, start: int) -> Iterator[Span]:
    found = _CURL.match(text, start)
    if found and values.is_chosen(found["secret"]):
        yield Span(*found.span("secret"), "password")


def _is_secret_name(lowered: bytes, name: re.Match[bytes]) -> bool:
    before = max(0, name.start() - _NAME_REACH), name.start()
    if _NO_SECRET.search(lowered, *before):
        return False
    return not name[0].startswith(b"key") or bool(_SECRET_KEY.search(lowered, *before))


def _judge(
    text: str, lowered: bytes, start: int, end: int, name_class: str | None
) -> Iterator[Span]:
    separator = _match_separator(text, lowered, start, end, is_password=name_class == "password")
    if text[start - 3 : start] == "‹se":
        return
    is_uuid_held = lowered[start:end] == b"ken"  # a token may well be named by a UUID
    if name_class == "password" and separator is None and _NOTHING_ELSE.match(text, end):
        yield from _judge_before(text, start)
    while separator and (value := _VALUE.match(text, separator.end())):
        if span := _value_span(value, name_class or "key", is_uuid_held=is_uuid_held):
            yield span
        separator = _AND_THEN.match(text, value.end())


def _judge_before(text: str, start: int) -> Iterator[Span]:
    found = _BEFORE.search(text[max(0, start - _BEFORE_REACH) : start])
    if found and values.is_password(found["value"]):
        begin = start - (min(start, _BEFORE_REACH) - found.start("value"))
        yield Span(begin, begin + len(found["value"]), "password")


def _value_span(value: re.Match[str], name_class: str, *, is_uuid_held: bool) -> Span | None:
    if value["call"] or (value["bare"] and value["bare"].startswith("#")):
        return None  # a call, a comment
    content = value["quoted"] or value["bare"].rstrip(".:" if name_class == "password" else ".:?!")
    begin = value.start("quoted") if value["quoted"] else value.start("bare")
    kind, is_value = _CHECKS[name_class]
    if is_value(content) and not (is_uuid_held and values.is_uuid(content)):
        return Span(begin, begin + len(content), kind)
    return None
