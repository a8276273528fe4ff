r"""What `git log --raw --patch --unified=0` prints, read line by line.

    NUL commit LF message NUL LF
    :100644 100644 <old blob> <new blob> M TAB path
    diff --git ...
    index <old blob>..<new blob> 100644
    @@ -12,3 +12,4 @@

No other line of a patch without context begins with NUL, ":", "index " or "@@ ", so the stream needs no nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO, Final

from coordinator.reading.line_history import MAX_MESSAGE_CHARACTERS, Patch
from coordinator.replay.hunk import Hunk

LOG_FORMAT: Final = "format:%x00%H%n%B%x00"
_INDEX = re.compile(rb"index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})")
_HUNK = re.compile(rb"@@ -([0-9]+)(?:,([0-9]+))? \+([0-9]+)(?:,([0-9]+))? @@")
_ESCAPE = re.compile(rb'\\([0-7]{3}|["\\abfnrtv])')
_LETTERS: Final = {
    b'"': b'"', b"\\": b"\\", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v",
}  # fmt: skip

_Blobs = tuple[bytes, bytes]
_Numbers = tuple[int, int, int, int]  # old first, old count, new first, new count


@dataclass(frozen=True, slots=True)
class Entry:
    """One file of a commit: modes, blobs and paths before and after, and git's letter for what happened."""

    old_mode: bytes
    new_mode: bytes
    old_blob: bytes
    new_blob: bytes
    status: str
    path: bytes
    new_path: bytes


@dataclass(slots=True)
class Commit:
    """One commit. A file's hunks are found by its two blobs; one that git calls binary has none."""

    name: str
    message: str
    entries: list[Entry] = field(default_factory=list)
    _hunks: dict[_Blobs, list[_Numbers]] = field(default_factory=dict)
    _blobs: _Blobs | None = None

    def hunks_of(self, entry: Entry) -> tuple[Hunk, ...]:
        """The hunks of a file, in order."""
        return tuple(Hunk(first, n_lines) for first, n_lines, _, _ in self._numbers_of(entry))

    def patch_of(self, entry: Entry) -> Patch:
        """The same as a step of the file's history."""
        return Patch(self.message.strip()[:MAX_MESSAGE_CHARACTERS], self._numbers_of(entry))

    def _numbers_of(self, entry: Entry) -> tuple[_Numbers, ...]:
        return tuple(self._hunks.get((entry.old_blob, entry.new_blob), ()))

    def take(self, line: bytes) -> None:
        """Read one line of what follows the message."""
        if line.startswith(b":"):
            self.entries.append(_entry(line))
        elif line.startswith(b"diff --git "):
            self._blobs = None
        elif line.startswith(b"index "):
            found = _INDEX.match(line)
            if found is not None:
                self._blobs = found[1], found[2]
                self._hunks[self._blobs] = []  # the same two blobs under another path have the same hunks
        elif self._blobs is not None and line.startswith(b"@@ "):
            found = _HUNK.match(line)
            if found is not None:
                numbers = int(found[1]), int(found[2] or b"1"), int(found[3]), int(found[4] or b"1")
                self._hunks[self._blobs].append(numbers)


def commits_of(stream: IO[bytes]) -> Iterator[Commit]:
    """The commits of a log in `LOG_FORMAT`, in its order."""
    commit: Commit | None = None
    for line in stream:
        if not line.startswith(b"\0"):
            if commit is not None:
                commit.take(line)
            continue
        if commit is not None:
            yield commit
        commit = Commit(line[1:].strip().decode("ascii"), _message(stream))
    if commit is not None:
        yield commit


def _message(stream: IO[bytes]) -> str:
    lines = []
    for line in stream:
        text, end, _ = line.partition(b"\0")
        lines.append(text)
        if end:
            break
    return b"".join(lines).decode("utf-8", "replace")


def _entry(line: bytes) -> Entry:
    facts, *paths = line.rstrip(b"\n").split(b"\t")
    old_mode, new_mode, old_blob, new_blob, status = facts.removeprefix(b":").split(b" ")
    return Entry(
        old_mode, new_mode, old_blob, new_blob, status[:1].decode("ascii"), _unquoted(paths[0]), _unquoted(paths[-1])
    )


def _unquoted(path: bytes) -> bytes:
    """A path as it is: git puts one with unusual bytes in quotes, as C does."""
    if not path.startswith(b'"'):
        return path
    return _ESCAPE.sub(_letter, path[1:-1])


def _letter(found: re.Match[bytes]) -> bytes:
    escaped: bytes = found[1]
    return _LETTERS.get(escaped) or bytes([int(escaped, 8)])
