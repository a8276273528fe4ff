"""What one process of a chaos run asked, heard and did: a file of its own, one JSON line each.

A line is written at once and in one piece, so a process that is killed leaves all of its lines, and at most a part of
one more. Times are the machine's wall clock, which the actors' journals have too.
"""

from __future__ import annotations

import itertools
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SUFFIX = ".diary"


class Diary:
    """One process's file, for its threads together; `read_diary` reads it."""

    def __init__(self, file: Path) -> None:
        self._descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._calls = itertools.count(1)

    def sent(self, domain: str, raw: bytes) -> int:
        """A request goes out now; returns the number of the call."""
        call = next(self._calls)
        self.note("sent", time.time(), call=call, domain=domain, raw=raw.hex())
        return call

    def heard(self, call: int, raw: bytes) -> None:
        """The reply of a call is there now."""
        self.note("heard", time.time(), call=call, raw=raw.hex())

    def gave_up(self, call: int, why: str) -> None:
        """Nobody waits for the reply of a call any more."""
        self.note("gave_up", time.time(), call=call, why=why)

    def note(self, what: str, at_s: float, **fields: Any) -> None:
        """One more line."""
        line = json.dumps({"what": what, "at_s": at_s, **fields}, separators=(",", ":"))
        os.write(self._descriptor, f"{line}\n".encode())


def read_diary(file: Path) -> Iterator[dict[str, Any]]:
    """The lines of a diary; one that was cut short by its writer's death is left out."""
    for line in file.read_bytes().split(b"\n")[:-1]:
        yield json.loads(line)
