"""What a command is given to read: a file, or with `-` its standard input, and never more than a limit."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from actors.runtime.errors import Misuse

STANDARD: Final = "-"


def read_source(file: str, *, what: str, max_bytes: int, then: str) -> bytes:
    """The bytes of what was named. Raises `Misuse` if it cannot be read or is larger; `then` says what to do then.

    `what` is the kind of file for the message, as in "ledger"; empty for any.
    """
    named = f"the {what} {file!r}" if what else repr(file)
    try:
        if file == STANDARD:
            raw = sys.stdin.buffer.read(max_bytes + 1)
        else:
            with Path(file).open("rb") as opened:
                raw = opened.read(max_bytes + 1)
    except OSError as error:
        raise Misuse(f"{named} cannot be read ({error.strerror or error}): check the path") from error
    if len(raw) > max_bytes:
        raise Misuse(f"{named} has more than {max_bytes} bytes, which is the limit: {then}")
    return raw
