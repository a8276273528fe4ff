"""Which edits were made through Scentfield, by whom, and whether one can be taken back.

One log a workspace, appended under a lock, bounded. Undo never overwrites in silence: it is planned only for a file
that still has the content which the edit gave it, and a wrong or missing line of the log cannot change that, because
what is put back is found by its hash. So lines that cannot be read are skipped, and counted.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from types import NoneType
from typing import Final

from actors.runtime.errors import NOT_OURS
from coordinator.editing.file_error import file_error
from coordinator.editing.file_lock import lock

MAX_ENTRIES: Final = 10_000
_MIN_LINE_BYTES: Final = 128


@dataclass(frozen=True, slots=True)
class EditEntry:
    """One edit. Hashes are SHA-256 of the file's bytes, None where there was no file before, or is none after.

    `generation` is that of the claim it was made under; None without one. `at_utc_s` is seconds since the epoch.
    `file_mode` are the permission bits of a deleted file; `from_path` is where a file that was moved came from.
    """

    path: str
    before_hash: str | None
    after_hash: str | None
    agent_id: str
    generation: int | None
    at_utc_s: float
    file_mode: int | None = None
    from_path: str = ""

    @property
    def paths(self) -> tuple[str, ...]:
        """The files that it concerns."""
        return (self.path, self.from_path) if self.from_path else (self.path,)

    def before(self, path: str) -> str | None:
        """The content of one of its `paths` before it."""
        return self.after_hash if path == self.from_path else self.before_hash

    def after(self, path: str) -> str | None:
        """The content of one of its `paths` after it."""
        return None if path == self.from_path else self.after_hash

    def takes_back(self, other: EditEntry) -> bool:
        """Whether it did nothing but undo the other."""
        if self.from_path or other.from_path:
            return self.paths == other.paths[::-1]
        return (self.before_hash, self.after_hash) == (other.after_hash, other.before_hash)


_TEXT: Final = (str, NoneType)
_NUMBER: Final = (int, NoneType)
_KINDS: Final[tuple[type | tuple[type, ...], ...]] = (str, _TEXT, _TEXT, str, _NUMBER, (int, float), _NUMBER, str)
"""What the fields of an entry hold, in their order."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Put back the content with `before_hash`; None: there was no file of this path, so remove or move it back."""

    before_hash: str | None
    entry: EditEntry


@dataclass(frozen=True, slots=True)
class CannotUndo:
    """Nothing can be taken back, and why. `by` made the change that stands in the way; None: somebody outside."""

    message: str
    by: EditEntry | None = None


class EditLog:
    """The log in `folder` (created at the first edit): `edits.jsonl` and its lock."""

    def __init__(self, folder: Path, *, max_entries: int = MAX_ENTRIES) -> None:
        self.folder = folder
        self.max_entries = max_entries
        self._file = folder / "edits.jsonl"
        self._lock_file = folder / "edits.lock"

    def append(self, entry: EditEntry) -> None:
        """Append one edit; whole, or not at all. Raises `DiskFull`, `UnusableFile` or `Busy`.

        The log is cut to the newest `max_entries` whenever it has twice as many. It is not synced to disk: after a
        power loss the last edits may not be undoable.
        """
        line = json.dumps(asdict(entry), sort_keys=True).encode() + b"\n"
        try:
            with self._locked():
                self._append(line)
                self._compact()
        except OSError as error:
            raise file_error(error, self._file) from error

    def last(self, path: str) -> EditEntry | None:
        """The newest edit of `path`, or move to it or away from it."""
        return next(self._newest_first(path), None)

    def who_made(self, path: str, content_hash: str) -> EditEntry | None:
        """The newest edit that gave `path` this content; None: it came from outside, or is too long ago."""
        return next((entry for entry in self._newest_first(path) if entry.after(path) == content_hash), None)

    def who_removed(self, path: str) -> EditEntry | None:
        """The deletion or move by which there is no file of this name any more; None if it was somebody outside."""
        last = self.last(path)
        return last if last is not None and last.after(path) is None else None

    def since(self, path: str, content_hash: str) -> list[EditEntry]:
        """The edits of `path` since it last had this content, newest first; none if no edit on record knows of it."""
        found: list[EditEntry] = []
        for entry in self._newest_first(path):
            if entry.after(path) == content_hash:
                return found
            found.append(entry)
            if entry.before(path) == content_hash:
                return found
        return []

    def plan_undo(self, path: str, current_hash: str | None, *, agent_id: str | None = None) -> Undo | CannotUndo:
        """Take back the newest edit of `path`, or the newest one by `agent_id`, if the file is as that edit left it.

        `current_hash` is that of the file's bytes now, None if there is none. Undoing is an edit like others: record
        it, and undoing again brings the change back.
        """
        entries = list(self._newest_first(path))
        wanted = next((entry for entry in entries if agent_id in (None, entry.agent_id)), None)
        if wanted is None:
            whose = "" if agent_id is None else f" by {agent_id}"
            return CannotUndo(f"no edit of {path!r}{whose} is on record: there is nothing to undo")
        if wanted.after(path) == current_hash:
            return Undo(wanted.before(path), wanted)
        return _overtaken(path, wanted, entries[0], current_hash)

    def was_undo(self, entry: EditEntry) -> bool:
        """Whether this newest edit of its path did nothing but take back the one before it."""
        before = next((one for one in self._newest_first(entry.path) if one != entry), None)
        return before is not None and entry.takes_back(before)

    def n_unreadable(self) -> int:
        """Lines of the log that are damaged; for diagnosis."""
        return sum(_entry(line) is None for line in self._lines())

    def _newest_first(self, path: str) -> Iterator[EditEntry]:
        quoted = json.dumps(path).encode()
        for line in reversed(self._lines()):
            # Looking for the bytes first spares parsing the edits of all other files.
            entry = _entry(line) if quoted in line else None
            if entry is not None and path in entry.paths:
                yield entry

    def _lines(self) -> list[bytes]:
        """The complete lines. A last line without its end is an edit whose writer died: it does not count."""
        try:
            return self._file.read_bytes().split(b"\n")[:-1]
        except OSError:
            return []

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        # The log itself cannot carry the lock: compaction replaces it.
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(self._lock_file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            lock(fd, self._lock_file)
            yield
        finally:
            os.close(fd)

    def _append(self, line: bytes) -> None:
        fd = os.open(self._file, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            n_bytes = _whole_bytes(fd)
            os.ftruncate(fd, n_bytes)
            try:
                _write_all(fd, line, n_bytes)
            except OSError:
                os.ftruncate(fd, n_bytes)
                raise
        finally:
            os.close(fd)

    def _compact(self) -> None:
        if self._file.stat().st_size < 2 * self.max_entries * _MIN_LINE_BYTES:
            return
        lines = self._lines()
        if len(lines) < 2 * self.max_entries:
            return
        shorter = self._file.with_suffix(".tmp")
        try:
            shorter.write_bytes(b"\n".join(lines[-self.max_entries :]) + b"\n")
            shorter.chmod(0o600)
            shorter.replace(self._file)
        except OSError:
            # The entry is recorded; a log that cannot be shortened now is shortened by a later edit.
            with contextlib.suppress(OSError):
                shorter.unlink(missing_ok=True)


def _overtaken(path: str, wanted: EditEntry, newest: EditEntry, current_hash: str | None) -> CannotUndo:
    by = newest if newest.after(path) == current_hash else None
    who = "outside Scentfield" if by is None else f"by {_signed(by)}"
    return CannotUndo(
        f"{path!r} has changed since the edit by {_signed(wanted)}, {who}: undoing it would lose that change; "
        "edit the file instead, or undo the later change first",
        by,
    )


def _signed(entry: EditEntry) -> str:
    return entry.agent_id if entry.generation is None else f"{entry.agent_id} (generation {entry.generation})"


def _entry(line: bytes) -> EditEntry | None:
    try:
        entry = EditEntry(**json.loads(line))
    except NOT_OURS:
        return None
    fields = zip(astuple(entry), _KINDS, strict=True)
    return entry if all(isinstance(value, kinds) for value, kinds in fields) else None


def _whole_bytes(fd: int) -> int:
    """Where the next line begins: after the last complete one."""
    end = os.lseek(fd, 0, os.SEEK_END)
    while end:
        start = max(0, end - 4096)
        at = os.pread(fd, end - start, start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0


def _write_all(fd: int, line: bytes, at: int) -> None:
    rest = memoryview(line)
    while rest:
        n_written = os.pwrite(fd, rest, at)
        rest, at = rest[n_written:], at + n_written
