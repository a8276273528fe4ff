"""One file that one commit changed, and why others were passed over."""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from coordinator.reading.line_history import Patch
from coordinator.reading.source import BinaryFile, SourceText, decode
from coordinator.replay.hunk import Hunk

MAX_FILE_BYTES: Final = 512 * 2**10
MAX_FILES_A_COMMIT: Final = 50
"""A commit that touches more files is a sweep (a licence, a formatter): no agent reads its way through that."""
MAX_HUNKS_A_FILE: Final = 50
MAX_QUERY_CHARACTERS: Final = 2_000

LOCK_FILE: Final = "lock_file"
"""The reason for what `is_lock_file` knows: its tool writes it, so nobody reads it in order to edit it."""

Skipped = Counter[str]
"""How many were passed over, by reason."""


class Change(NamedTuple):
    """A file as it was before, in bytes, and the hunks of what was done to it.

    `at` is the place of its commit in the walk, from 0 on, the oldest first; `message` is the commit's. `past` is what
    was done to the file before, newest first.
    """

    at: int
    path: str
    before: bytes
    hunks: tuple[Hunk, ...]
    message: str = ""
    past: tuple[Patch, ...] = ()


def usable_source(raw: bytes, hunks: tuple[Hunk, ...]) -> SourceText | str:
    """The text of a file that can be replayed, or the reason why it cannot."""
    if len(raw) > MAX_FILE_BYTES:
        return "too_large"
    if not raw.strip():
        return "empty_before"
    if len(hunks) > MAX_HUNKS_A_FILE:
        return "too_many_hunks"
    try:
        source = decode(raw)
    except BinaryFile:
        return "binary"
    # Git counts lines by LF alone; where somebody else's line ends too, its numbers mean other lines than ours.
    n_by_git = raw.count(b"\n") + (not raw.endswith(b"\n"))
    return source if len(source.lines) == n_by_git else "line_endings"
