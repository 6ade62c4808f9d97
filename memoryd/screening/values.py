"""Judges whether a string is a secret's value, or a word, a placeholder, a path, a piece of code."""

import math
import re
from collections import Counter

from memoryd.screening.encodings import decode_base64

_FILLERS = (
    "xxxx",
    "***",
    "...",
    "----",
    "____",
    "<",
    "{{",
    "${",
    "$(",
    "yourapi",
    "yourtoken",
    "yourkey",
)
# Behind a sign: what is searched has one put before it.
_FILLER_WORD = re.compile(
    r"[^a-z0-9](?:your|placeholder|redacted|insert|replace|todo|here|paste|change[_-]?me)(?![a-z0-9])"
)
# Longer words first: no word is taken back once it matched, which keeps this linear.
_PLACEHOLDER_WORDS = re.compile(
    r"(?i)(?:(?:the|my|new|old|testing|test|example|sample|fake|dummy|mock|some|any|valid|invalid|"
    r"wrong|strong|secure|super|secret|password|passwort|passwd|pass|pwd|phrase|token|key|api|"
    r"username|user|auth|value|string|changeme|change|this|me|foobar|foo|bar|baz|abc|required|"
    r"optional|none|null|true|false|undefined)[-_. ]?)++[\d!]{0,6}"
    r"|0?1?234567?8?9?0?|0?123456?7?8?9?0?|(.)\1*"
)
_PROSE = re.compile(
    r"[A-Za-z][a-z]*(?:[-_][A-Za-z][a-z]*)+|[A-Z]+(?:[-_][A-Z]+)+|[A-Z]?[a-z]+(?:[A-Z][a-z]+)+"
)
# Names of types, algorithms and variables that end in digits.
_CODE_WORD = re.compile(
    r"(?i)(?:[ui]?int|u|i|float|f|str|s|sha|sha_|md|utf-?|ascii|latin|base|argon|bcrypt|scrypt|pbkdf|"
    r"aes-?|rsa-?|es|rs|hs|ecdsa-?|ed|x|oauth|http|ipv|v|var|arg|args|param|val|tmp|temp|input|"
    r"output|field|item|line|p|pw|data|obj|node|step|h|col|row|option|level|opt|part|group|"
    r"match|case|env|ref|id|num|page|size|len|idx|utf|vec|key|node)[-_]?\d{1,4}[a-z]{0,3}"
)
# What names the password of a URL instead of being one: your-password-here, DB_PASSWORD, %(pw)s, $PASS.
_SLOT = re.compile(
    r"(?i)[\[(]?(?:(?:the|my|your|new|old|some|any|example|sample|user|username|db|database|api|auth|access)[-_. ]?)*+(?:secret[-_]?)?"
    r"(?:password|passwort|passwd|passphrase|pass|pwd|pw|secret|token|key|change[-_]?me|foo|bar|baz"
    r"|mot[-_]?de[-_]?passe|contrase(?:ñ|n)a|密码|密碼|パスワード|비밀번호|암호)(?:[-_. ]?here)?[\])]?"
    r"|[x*•·.…_-]+|\$[a-z_]+|%\w+%|(?:redacted|hidden|masked|removed|placeholder|none|null|undefined)"
)
_VARIABLE = re.compile(r"[#@]?\{|%[sdr({]|\$(?:[{(]|[A-Z_][A-Z0-9_]*\Z)|[A-Z]+(?:_[A-Z]+)+\Z")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_DOTTED = re.compile(r"[A-Za-z_$]\w*(?:\??\.[A-Za-z_]\w*)+")
# Paths, variables, options, URLs and references to a place where the secret is.
_NOT_A_VALUE = re.compile(
    r"[^{]*\{[^}]*\}|~/|\.{1,2}/|/|\$|%[sdr({]|#\{|@[\w-]+(?:\.[\w-]+)*+(?:[:/]\S*)?\Z|--|[?:&=]"
    r"|(?:https?|file|env|data|arn|urn|secret|vault|op):|[A-Z]:[\\/]"
)
_BASE64_KEY = re.compile(r"[A-Za-z0-9+/]{32,}={0,2}")
_BASE64_ENTROPY = 4.2  # bits per character; 32 random digits have 4.5, a path of words below 4.1
_UUID = re.compile(r"(?i)[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
# A word, a camelCase name, an abbreviation, a number, a version, a name with one: what names are made
# of.
_WORDLIKE = re.compile(
    r"[a-z]{0,16}(?:[A-Z][a-z]{1,14}){0,8}|[A-Z]{1,10}s?|\d{1,10}"
    r"|[A-Za-z]{1,6}\d{1,3}(?:[A-Z][a-z]{1,14}){0,8}"
)
_CLASS_NAME = re.compile(r"[a-z]*(?:[A-Z]{1,3}[a-z]{2,14}){1,8}[A-Z]{0,3}")  # NSPersistentToken
_SEGMENT = re.compile(r"[-_.:/+=~@,]+")
_LETTER = re.compile("[A-Za-z]")
_DIGIT = re.compile("[0-9]")
_MARK = re.compile(r"[!@#$%^&*+?~]")

_JUDGED = 64  # characters of a token that are looked at: enough, and bounded
_MIN_DISTINCT = 4  # a token of fewer different characters is a filler
_MIN_KEY = 16  # characters
_MIN_SECRET = 8
_MIN_PASSWORD = 6
_MIN_CHOSEN = 3
_MAX_PIN = 12  # digits; longer numbers count something
_MIN_ENTROPY = 2.5  # bits per character; random hexadecimal of 16 digits has 3.3 on average


def entropy(value: str) -> float:
    """Shannon entropy of *value*, in bits per character."""
    length = len(value)
    return -sum(n / length * math.log2(n / length) for n in Counter(value).values())


def _is_filler(value: str) -> bool:
    """Does *value* say that something else should stand there?"""
    lowered = value.lower()
    return any(filler in lowered for filler in _FILLERS) or bool(_FILLER_WORD.search("-" + lowered))


def is_placeholder(value: str) -> bool:
    """Does *value* only stand where a secret would be?"""
    return _is_filler(value) or bool(_PLACEHOLDER_WORDS.fullmatch(value))


def is_wordy(value: str) -> bool:
    """Does *value* consist of words, constants and small numbers joined by punctuation?"""
    return all(_WORDLIKE.fullmatch(segment) for segment in _SEGMENT.split(value))


def is_body(value: str) -> bool:
    """Is *value*, behind a prefix that occurs in no word, more than a filler?"""
    value = value[:_JUDGED].rstrip("-_")
    return not (_PROSE.fullmatch(value) or len(set(value)) < _MIN_DISTINCT or _is_filler(value))


def is_random(value: str) -> bool:
    """Is *value*, behind a prefix that also begins names, no name?"""
    return is_body(value) and not is_wordy(value)


def is_fragment(value: str) -> bool:
    """Could *value*, at the beginning of a line, be the rest of a secret from the line before?"""
    if _DIGIT.search(value):
        return bool(_LETTER.search(value)) and not is_wordy(value)
    return not (value.islower() or value.isupper()) and not is_wordy(value)


def is_key(value: str) -> bool:
    """Is *value*, assigned to a name like api_key, random characters?"""
    return (
        len(value) >= _MIN_KEY
        and bool(_LETTER.search(value))
        and (bool(_DIGIT.search(value)) or not (value.islower() or value.isupper()))
        and (not _NOT_A_VALUE.match(value) or _is_base64_key(value))
        and not _CONSTANT.fullmatch(value)
        and not _DOTTED.fullmatch(value)
        and not _CLASS_NAME.fullmatch(value)
        and not _PLACEHOLDER_WORDS.fullmatch(value)
        and is_random(value)
        and entropy(value) >= _MIN_ENTROPY
    )


def _is_base64_key(value: str) -> bool:
    return bool(_BASE64_KEY.fullmatch(value)) and entropy(value) >= _BASE64_ENTROPY


def is_uuid(value: str) -> bool:
    return bool(_UUID.fullmatch(value))


def is_password(value: str) -> bool:
    """Is *value*, assigned to a name like password, one that a person or a generator chose?"""
    if (
        len(value) < _MIN_PASSWORD
        or _NOT_A_VALUE.match(value)
        or "://" in value
        or is_placeholder(value)
    ):
        return False
    if _CODE_WORD.fullmatch(value) or _CONSTANT.fullmatch(value) or _DOTTED.fullmatch(value):
        return False
    if value.isdigit():
        return len(value) <= _MAX_PIN
    return bool(_LETTER.search(value) and (_DIGIT.search(value) or _MARK.search(value)))


def is_secret(value: str) -> bool:
    """Is *value*, assigned to a name like secret, a password or key and no name of one?"""
    return (
        len(value) >= _MIN_SECRET
        and is_password(value)
        and not value.isdigit()
        and not is_wordy(value)
    )


def accept(value: str) -> bool:
    """For shapes that need no second look."""
    return True


def is_chosen(value: str) -> bool:
    """Is *value*, where only a password can stand, one and no placeholder or variable?"""
    return (
        len(value) >= _MIN_CHOSEN
        and not is_placeholder(value)
        and not value.startswith(("$", "%s", "{"))
    )


def is_userinfo(value: str) -> bool:
    """Is *value*, behind the user's name of a URL, a password? However weak: only what names one is none."""
    return (
        len(value) > 1
        and not _SLOT.fullmatch(value)
        and not _VARIABLE.match(value)
        and (bool(_DIGIT.search(value.replace("0", ""))) or not _is_filler(value))
    )


def is_basic(value: str) -> bool:
    """Is *value* the base64 of `user:password` (RFC 7617)?"""
    return any(":" in decoded for decoded in decode_base64(value))
