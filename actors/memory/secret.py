"""Finds what must not be remembered: what is kept here is shown to every agent, and stands in journals and backups.

Says which pattern matched and never what. It is a net, not a proof: a secret that looks like plain words passes.
Checksums, commit ids, names and placeholders are let through.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from math import log2
from types import MappingProxyType
from typing import Final, NamedTuple

ASSIGNMENT: Final = "password assignment"


class _Shape(NamedTuple):
    """What a kind of secret looks like, and parts of which one must be there: they are cheaper to look for."""

    parts: tuple[str, ...]
    pattern: re.Pattern[str]


def _shape(parts: str, pattern: str) -> _Shape:
    return _Shape(tuple(parts.split("|")), re.compile(pattern))


_SHAPES: Final[Mapping[str, _Shape]] = MappingProxyType(
    {
        "AWS access key": _shape("AKIA|ASIA|ABIA|ACCA", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b"),
        "private key block": _shape("PRIVATE KEY", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"),
        "JSON web token": _shape("eyJ", r"\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{8,}"),
        "GitHub token": _shape("gh|github_pat_", r"\bgh[pousr]_[A-Za-z0-9]{36,}|\bgithub_pat_\w{22,}"),
        "GitLab token": _shape("glpat-", r"\bglpat-[\w-]{20,}"),
        "Slack token": _shape(
            "xox|hooks.slack.com", r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bhooks\.slack\.com/services/T\w+/B\w+/\w{16,}"
        ),
        "Google key": _shape("AIza|ya29|GOCSPX", r"\bAIza[\w-]{35}(?![\w-])|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}"),
        "Stripe key": _shape(
            "_live_|_test_|whsec_", r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/=]{24,}"
        ),
        "npm token": _shape("npm_", r"\bnpm_[A-Za-z0-9]{36}\b"),
        "PyPI token": _shape("pypi-", r"\bpypi-[\w-]{40,}"),
        "model provider's key": _shape("sk-", r"\bsk-(?:ant-|proj-)?(?=[\w-]*\d)[\w-]{20,}"),
        "SendGrid key": _shape("SG.", r"\bSG\.[\w-]{16,}\.[\w-]{16,}"),
    }
)

_PASSWORD: Final = r"(?:passw(?:or)?d|passphrase|pwd)"
_LAST: Final = rf"(?P<name>{_PASSWORD}|secret|token|api[_ -]?key|access[_ -]?key|private[_ -]?key)"
"""The end of a name. What stands before it is not looked for: that would begin anew at every dot of a long name."""
_NAME: Final = re.compile(rf"(?i)[\w.-]*{_LAST}")
_QUOTED: Final = re.compile(rf"""(?i){_LAST}["'\])]*\s*(?:=>|=|:|\bis\b)\s*(?P<quote>["'])(?P<value>.+?)(?P=quote)""")
_BARE: Final = re.compile(rf"(?i){_LAST}\s*(?:=|:|\bis\b)\s*(?P<value>[^\s\"',;]+)")
_VARIABLE: Final = re.compile(
    r"(?:^|\s)(?P<name>[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|PWD|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY))"
    r"=(?P<value>[^\s\"']+)"
)
_AFTER: Final = ".!?:`)]"
"""What may follow a value in a sentence."""
_IS_PASSWORD: Final = re.compile(rf"(?i).*{_PASSWORD}")
_NAME_PARTS: Final = ("passw", "passphrase", "pwd", "secret", "token", "key")
_MIN_PASSWORD: Final = 4
_MIN_TOKEN: Final = 8
_URL: Final = re.compile(r"(?i)\b[a-z][a-z0-9+.-]*://[^\s:/@]*:(?P<value>[^\s@/]+)@")
_HEADER: Final = re.compile(
    r"(?i)\bauthorization\b[\"']?\s*[:=]\s*[\"']?(?:basic|bearer|token)\s+(?P<value>[\w+/=.~-]{12,})"
)
_PLACEHOLDER: Final = re.compile(
    r"(?i)[<\[{$%*(].*|.*[(\[{<].*|x+|\.+|\*+|pass(?:word)?|passwd|secret|token|changeme|example|dummy|placeholder|redacted"
    r"|none|null|true|false|str|bytes|int|bool|your[_-].*|my[_-].*|.*(?:_here|-here)|\w*environ.*|[a-z_]\w*(?:\.[a-z_]\w*)+|user|required|unset"
)
_DRAWN_PASSWORD: Final = re.compile(r"(?=[a-zA-Z]*\d)(?=\d*[a-zA-Z])[a-zA-Z0-9]{6,}")
"""Letters and digits without a sign, as `hunter2`: what people draw."""
_NUMBERED_NAME: Final = re.compile(
    r"(?i)(?:arg|argument|auth|bar|col|column|credential|entry|field|foo|group|input|item|key|line|name|new|old|option|param|part"
    r"|pass|password|passwd|phrase|pw|pwd|result|row|secret|setting|str|string|test|text|token|tmp|user|val|value|var|word)s?\d+"
    r"|(?:sha|md|blake|ripemd|crc|base|utf|argon|pbkdf|aes|rsa|rc|hmac|win|oauth)\d+[a-z]{0,2}"
)
"""What is such a word and no password: the second of several variables, or an algorithm."""
_RUN: Final = re.compile(r"[A-Za-z0-9+/_=-]{24,}")
_CHECKSUM: Final = re.compile(r"(?i)\b(?:sha\d{1,3}|md5|h1)[-:=][A-Za-z0-9+/=]+")
_HEX: Final = re.compile(r"[0-9a-fA-F-]+")
_MIN_RUN: Final = 24
_MIXED_BITS: Final = 4.0
_MIXED_TURNS: Final = 0.45
_PLAIN_RUN: Final = 32
_PLAIN_TURNS: Final = 0.3
_PLAIN_DIGITS: Final = 6


def secret_in(text: str) -> str:
    """The name of the first pattern of a secret that the text matches; "" if it seems to hold none."""
    for name, shape in _SHAPES.items():
        if any(part in text for part in shape.parts) and shape.pattern.search(text):
            return name
    return next((name for name, holds in _RULES.items() if holds(text)), "")


def _values(pattern: re.Pattern[str], text: str) -> Iterator[str]:
    """What stands where a secret would, placeholders left out."""
    for match in pattern.finditer(text):
        if not _PLACEHOLDER.fullmatch(match["value"]):
            yield match["value"]


def _has_connection(text: str) -> bool:
    return "://" in text and any(True for _ in _values(_URL, text))


def _has_header(text: str) -> bool:
    return "authorization" in text.lower() and any(
        not (value.isalpha() and value.islower()) for value in _values(_HEADER, text)
    )


def _has_assignment(text: str) -> bool:
    """`password = "..."` and the like: a quoted literal, a variable of a shell, or a bare word that looks drawn."""
    lowered = text.lower()
    if not any(part in lowered for part in _NAME_PARTS):
        return False
    plain = (one for pattern in (_QUOTED, _VARIABLE) for one in pattern.finditer(text))
    if any(assigns_secret(one["name"], one["value"]) for one in plain):
        return True
    return any(_is_bare_secret(one["name"], one["value"].rstrip(_AFTER)) for one in _BARE.finditer(text))


def _is_bare_secret(name: str, value: str) -> bool:
    """Whether a value without quotes is one, and not a name in code: it looks drawn, or as people draw passwords."""
    if not assigns_secret(name, value):
        return False
    return _looks_drawn(value) or (_IS_PASSWORD.fullmatch(name) is not None and _is_drawn_password(value))


def _is_drawn_password(value: str) -> bool:
    return _DRAWN_PASSWORD.fullmatch(value) is not None and _NUMBERED_NAME.fullmatch(value) is None


def assigns_secret(name: str, value: str) -> bool:
    """Whether a value of this name is a secret: any word for a password, what looks drawn for a token or a key."""
    if " " in value or "/" in value or value.isdigit() or _PLACEHOLDER.fullmatch(value):
        return False
    if _IS_PASSWORD.fullmatch(name):
        return len(value) >= _MIN_PASSWORD
    return len(value) >= _MIN_TOKEN and _looks_drawn(value) and _NAME.fullmatch(name) is not None


def _looks_drawn(value: str) -> bool:
    """Letters and digits mixed, or a sign in it, as people and generators make passwords; no hash of plain digits."""
    has_letter, has_digit = any(map(str.isalpha, value)), any(map(str.isdigit, value))
    return has_letter and has_digit and not value.isidentifier()


def _has_random_text(text: str) -> bool:
    """A long run of characters that no name and no word would have."""
    runs = _RUN.findall(_CHECKSUM.sub(" ", text))
    return any(_is_random(part) for run in runs for part in run.split("/"))


def _is_random(run: str) -> bool:
    body = run.strip("=-_+")
    if len(body) < _MIN_RUN or _HEX.fullmatch(body):
        return False
    kinds = [_kind_of(character) for character in body]
    turns = sum(one != other for one, other in pairwise(kinds)) / (len(body) - 1)
    n_digits = kinds.count("digit")
    if not n_digits:
        return False
    if {"upper", "lower"} <= set(kinds):
        return turns >= _MIXED_TURNS and entropy_bits(body) >= _MIXED_BITS
    return len(body) >= _PLAIN_RUN and n_digits >= _PLAIN_DIGITS and turns >= _PLAIN_TURNS and body.isalnum()


def _kind_of(character: str) -> str:
    if character.isdigit():
        return "digit"
    if character.isalpha():
        return "upper" if character.isupper() else "lower"
    return "sign"


def entropy_bits(text: str) -> float:
    """Shannon entropy of a text's characters, in bits a character."""
    n = len(text)
    return -sum(count / n * log2(count / n) for count in Counter(text).values())


_RULES: Final[Mapping[str, Callable[[str], bool]]] = MappingProxyType(
    {
        "connection string with a password": _has_connection,
        "authorization header": _has_header,
        ASSIGNMENT: _has_assignment,
        "text with high entropy": _has_random_text,
    }
)
PATTERNS: Final = (*_SHAPES, *_RULES)
