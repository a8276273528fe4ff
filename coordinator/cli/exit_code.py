"""What the command line's exit codes mean; scripts rely on them."""

from __future__ import annotations

from enum import IntEnum
from typing import Final

from actors.runtime.errors import Corrupt, Misuse, ScentfieldError, Unavailable


class ExitCode(IntEnum):
    """How a command ended."""

    OK = 0
    FAILED = 1
    USAGE = 2
    HELD = 3
    UNAVAILABLE = 4
    CORRUPT = 5
    INTERRUPTED = 130


MEANINGS: Final = {
    ExitCode.OK: "granted, done",
    ExitCode.FAILED: "an edit that was not made for another reason than a claim, a check that failed, a bug",
    ExitCode.USAGE: "a wrong option, target or request; asking again will not help",
    ExitCode.HELD: "somebody else holds it: not granted, not edited, not released",
    ExitCode.UNAVAILABLE: "nobody could answer; this is never permission",
    ExitCode.CORRUPT: "a store cannot be trusted",
}


def exit_code_of(error: ScentfieldError) -> ExitCode:
    """The exit code of a command that ended with this error."""
    if isinstance(error, Misuse):
        return ExitCode.USAGE
    if isinstance(error, Unavailable):
        return ExitCode.UNAVAILABLE
    return ExitCode.CORRUPT if isinstance(error, Corrupt) else ExitCode.FAILED
