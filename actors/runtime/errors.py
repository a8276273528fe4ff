"""What can go wrong, named by what the caller should do about it.

Expected outcomes (a claim that is held, an edit that misses) are answers, never exceptions. Everything here pickles.
"""

from __future__ import annotations

from typing import Final

NOT_OURS: Final = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
"""What taking plain values out of a file or a message raises where it holds others: other types, missing keys, numbers
without end, lists in lists in lists."""


class ScentfieldError(Exception):
    """Base of all errors that Scentfield raises on purpose.

    `code` is stable and short, for programs; the message says what was wrong and what to do, for people.
    """

    code = "error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    def __reduce__(self) -> tuple[type[ScentfieldError], tuple[object, ...]]:
        return (type(self), (self.message,))


class Misuse(ScentfieldError):
    """You asked for something illegal; asking again will not help."""

    code = "misuse"


class BadTarget(Misuse):
    """A target is malformed, outside the root, or not canonical."""

    code = "bad_target"


class UnknownAgent(Misuse):
    """The session is not known, has ended, or the token is not its token: register anew."""

    code = "unknown_agent"


class WireError(Misuse):
    """The bytes are not a message of this version."""

    code = "wire"


class StaleGeneration(Misuse):
    """The claim that this generation named has ended or was overtaken."""

    code = "stale_generation"


class Busy(ScentfieldError):
    """A limit is reached; the client has retried within its deadline and gives up.

    `retry_after_s` is a hint in seconds.
    """

    code = "busy"

    def __init__(self, message: str, retry_after_s: float = 0.1) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s

    def __reduce__(self) -> tuple[type[ScentfieldError], tuple[object, ...]]:
        return (type(self), (self.message, self.retry_after_s))


class Unavailable(ScentfieldError):
    """Nobody could answer. This is never permission."""

    code = "unavailable"


class Corrupt(ScentfieldError):
    """The store cannot be trusted; the message says which file and what to do."""

    code = "corrupt"


class InvariantBroken(ScentfieldError):
    """A bug in Scentfield; the message carries the story."""

    code = "invariant_broken"


_BY_CODE: dict[str, type[ScentfieldError]] = {
    kind.code: kind
    for kind in (
        Misuse,
        BadTarget,
        UnknownAgent,
        WireError,
        StaleGeneration,
        Busy,
        Unavailable,
        Corrupt,
        InvariantBroken,
    )
}


def error_from_code(code: str, message: str) -> ScentfieldError:
    """Rebuild an error that crossed the wire as (code, message)."""
    return _BY_CODE.get(code, ScentfieldError)(message)
