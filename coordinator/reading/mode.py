"""How a file is to be shown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from actors.runtime.errors import Misuse
from coordinator.reading.budget import Budget

KNOWN_MODES: Final = ("full", "lines:N-M", "signatures", "map", "units", "entropy", "diff", "auto")
WHOLE_FILE_MODES: Final = ("full", "map", "signatures", "units", "entropy", "diff")
_PLAIN = frozenset(KNOWN_MODES) - {"lines:N-M"}
_LINES = re.compile(r"lines:([0-9]{1,9})-([0-9]{1,9})")


@dataclass(frozen=True, slots=True)
class Mode:
    """One of `KNOWN_MODES`; `first` and `last` are 1-based and inclusive, 0 for all but `lines`."""

    name: str
    first: int = 0
    last: int = 0

    @classmethod
    def parse(cls, text: str) -> Mode:
        """The mode that `text` names, spelled exactly.

        Raises `Misuse` that names the known modes for anything else: an unknown mode is never served as `auto`.
        """
        if not isinstance(text, str):
            raise Misuse(f"a mode is text, not {text!r:.80}: use one of {_listed()}")
        if text in _PLAIN:
            return cls(text)
        if text.startswith("lines"):
            return _parse_lines(text)
        raise Misuse(f"unknown mode {text!r}: use one of {_listed()}")

    def __str__(self) -> str:
        return f"lines:{self.first}-{self.last}" if self.name == "lines" else self.name


@dataclass(frozen=True, slots=True)
class Wish:
    """How an agent wants to see a file; `query` and `budget` are for the modes `units` and `entropy`."""

    mode: str = "auto"
    query: str = ""
    budget: Budget | None = None


def _parse_lines(text: str) -> Mode:
    found = _LINES.fullmatch(text)
    if found is None:
        raise Misuse(f"malformed line range {text!r}: write lines:N-M, for example lines:10-42; modes are {_listed()}")
    first, last = int(found[1]), int(found[2])
    if first < 1:
        raise Misuse(f"line range {text!r} starts at {first}: lines are counted from 1")
    if last < first:
        raise Misuse(f"line range {text!r} ends before it starts: write lines:{last}-{first}")
    return Mode("lines", first, last)


def _listed() -> str:
    return ", ".join(KNOWN_MODES)
