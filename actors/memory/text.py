"""What texts the memory takes: one line each, within a length, and without a secret. All checks raise `Misuse`."""

from __future__ import annotations

import re
from typing import Final

from actors.memory.limit import MAX_ABOUT, MAX_CATEGORY, MAX_CONTENT, MAX_KEY, MAX_SPACE, MAX_VALUE
from actors.memory.secret import ASSIGNMENT, assigns_secret, secret_in
from actors.memory.word import words
from actors.runtime.errors import Misuse

_CATEGORY: Final = re.compile(r"[a-z0-9][a-z0-9_.-]*")
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_SHOWN: Final = 80


def check_line(what: str, text: str, max_chars: int) -> None:
    """The text is one line of 1 to `max_chars` characters without blanks around it. The message never quotes it."""
    if not 0 < len(text) <= max_chars:
        raise Misuse(f"{what} has {len(text)} characters: give 1 to {max_chars}; nothing is cut or rewritten here")
    if _CONTROL.search(text) or text != text.strip():
        raise Misuse(f"{what} must be one line without control characters and without blanks around it")


def check_no_secret(what: str, text: str) -> None:
    """The text holds nothing that looks like a secret."""
    pattern = secret_in(text)
    if pattern:
        raise _secret(what, pattern)


def _secret(what: str, pattern: str) -> Misuse:
    return Misuse(
        f"{what} looks like a secret ({pattern}), which every agent would be shown: nothing was kept. Remember where "
        "it is found instead"
    )


def check_content(content: str) -> None:
    """The content of an entry."""
    check_line("the content of an entry", content, MAX_CONTENT)
    if not words(content):
        raise Misuse("the content of an entry has no word: say something")
    check_no_secret("the content of an entry", content)


def check_about(about: str) -> None:
    """What an entry or a fact is about: a path, a symbol, a signal, or nothing."""
    if about:
        check_line("what it is about", about, MAX_ABOUT)
        check_no_secret("what it is about", about)


def check_category(category: str) -> None:
    """A category is a label, such as `api` or `build.release`."""
    if len(category) > MAX_CATEGORY or not _CATEGORY.fullmatch(category):
        raise Misuse(
            f"a category has 1 to {MAX_CATEGORY} of a-z 0-9 _ . -, and begins with a letter or digit: not "
            f"{category[:_SHOWN]!r}"
        )


def check_key(key: str) -> None:
    """A key of a fact; `: ` would make it one with its value wherever a fact is printed."""
    check_line("the key of a fact", key, MAX_KEY)
    if ": " in key:
        raise Misuse("the key of a fact may not hold a colon with a blank behind it: that separates it from its value")
    check_no_secret("the key of a fact", key)


def check_value(value: str) -> None:
    """The value of a fact."""
    check_line("the value of a fact", value, MAX_VALUE)
    check_no_secret("the value of a fact", value)


def check_assigned(key: str, value: str) -> None:
    """Key and value together are no assignment of a secret, as `db.password: swordfish` is."""
    if assigns_secret(key, value):
        raise _secret("key and value of a fact", ASSIGNMENT)


def check_space(space: str) -> None:
    """The name of a claim space."""
    check_line("a space", space, MAX_SPACE)
