"""Says whether a fact stands in the wrong file: persona in MEMORY.md, facts of a project in USER.md or SOUL.md.

Judged by wording, in English, Chinese, German and Spanish. It only advises and never moves anything, so doubt means
silence: an entry must address the agent's character, or name something that only a project has.
"""

import re

from memoryd.memory_files.profiles.base import Purpose

_PERSONA = re.compile(
    r"""
    ^(?:your\ name\ is|you\ are\ (?:an?|the|called|named)\b|you\ speak|your\ (?:tone|persona|personality|character|voice|style)\b)
    |\byour\ (?:persona|personality)\b
    |\b(?:always|never)\ (?:speak|talk|sound|act)\ (?:as|like|in)\b
    |^(?:stay\ in|keep\ to\ your)\ (?:character|persona)
    |\b(?:core|guiding)\ (?:persona|personality|identity)\b
    |^你(?:是(?:一[个名位只]|[「『"“])|叫\w{1,8}[，。,.\s]|的(?:名字|性格|人设|语气|口吻|角色|人格|身份))
    |(?:人设|性格设定|角色设定)
    |^(?:du\ bist\ (?:ein|eine|der|die)\b|dein(?:e)?\ (?:name|ton|persönlichkeit|charakter|stimme)\b)
    |^(?:eres\ (?:un|una|el|la)\b|tu\ (?:nombre|tono|personalidad|carácter|voz)\b)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PROJECT = re.compile(
    r"""
    \b(?:this|the|our|that)\ (?:repo|repository|codebase|code\ base|monorepo|project|backend|frontend|service|api)\b
    |\b(?:repo|repository|codebase|monorepo)\ (?:uses|is|has|lives|runs|at|in|needs|requires)\b
    |\bproject\ (?:\w+\ )?(?:uses|is\ (?:built|written|deployed|hosted)|runs|lives|needs|requires|deploys)\b
    |(?<![\w/])(?:src|lib|tests?|docs|scripts|packages|apps|cmd|internal|config)/[\w./*-]+
    |\b(?:npm|pnpm|yarn|bun|cargo|make|poetry|uv|go|docker(?:\ compose)?|kubectl|terraform|gradle|mvn)\ (?:run|test|build|install|deploy|apply|up|start|lint|sync|migrate)\b
    |\b(?:staging|production|prod|ci)\ (?:server|database|db|cluster|host|pipeline|environment|branch)\b
    |\b(?:database|schema|migration|endpoint|api)\ (?:\w+\ )?(?:is|are|lives|runs|listens|uses|at|on)\b.*(?:\d|[/:`])
    |\b(?:listens|runs|serves)\ on\ (?:port\ )?:?\d{2,5}\b
    |\b(?:main|master|develop|release)\ branch\b
    |(?:本|该|这个|此|我们的)(?:项目|仓库|代码库|工程|服务)|(?:项目|仓库|代码库)(?:使用|用的是|采用|位于|部署|依赖|在\S*(?:目录|分支))
    |(?:生产|测试|预发布?)(?:环境|服务器|数据库|分支|集群)|(?:数据库|接口|服务)(?:端口|地址|部署)
    |\b(?:dieses|das|unser)\ (?:projekt|repository|backend|frontend)\b
    |\b(?:este|el|nuestro)\ (?:proyecto|repositorio|backend|servicio)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_ABOUT_USER = re.compile(
    r"\b(?:user|he|she|they|i|my)\b.{0,30}\b(?:prefer|like|want|dislike|love|hate|enjoy)s?\b"
    r"|(?:用户|我)(?:更?喜欢|偏好|希望|讨厌|不喜欢|习惯)"
    r"|\b(?:nutzer|benutzer)(?:in)?\b.{0,20}\b(?:bevorzugt|mag|möchte)\b|\busuari[oa]\b.{0,20}\b(?:prefiere|quiere)\b",
    re.IGNORECASE,
)


def find_misplaced(content: str, purpose: Purpose) -> str:
    """Where an entry of a file with this purpose belongs instead; "" where it stands well.

    Returns:
        "persona" or "project"; the caller names the file.
    """
    if purpose == "memory" and _PERSONA.search(content):
        return "persona"
    if purpose in {"user", "persona"} and _is_project(content):
        return "project"
    return ""


def _is_project(content: str) -> bool:
    return bool(_PROJECT.search(content)) and not _ABOUT_USER.search(content)
