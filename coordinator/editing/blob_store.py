"""Versions of files by the SHA-256 of their content, kept for a while: for diffs, and for undo.

A cache, not a record: the total is bounded, what was not used for longest goes first, and a blob that is gone or
damaged is simply not there. Many processes use one folder at once; each file in it appears whole, by a rename.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from pathlib import Path
from typing import Final, NamedTuple

from coordinator.editing.file_error import file_error
from coordinator.reading.source import content_hash

MAX_TOTAL_BYTES: Final = 256 * 1024 * 1024
MAX_BLOB_BYTES: Final = 16 * 1024 * 1024
_N_SLACK_PARTS: Final = 16
_MAX_PUTS_BETWEEN: Final = 256
_TEMPORARY_FOR_S: Final = 3600.0
_TEMPORARY: Final = ".tmp"
_HASH: Final = re.compile(r"[0-9a-f]{64}")


class _Kept(NamedTuple):
    used_at_s: float
    name: str
    n_bytes: int
    path: Path


class BlobStore:
    """Blobs below `folder`, as `ab/cdef...`, readable by the user only.

    This process keeps the total at or below `max_total_bytes`; each further process that writes at the same moment can
    add a sixteenth of that until the next of them collects.
    """

    def __init__(
        self, folder: Path, *, max_total_bytes: int = MAX_TOTAL_BYTES, max_blob_bytes: int = MAX_BLOB_BYTES
    ) -> None:
        self.folder = folder
        self.max_total_bytes = max_total_bytes
        self.max_blob_bytes = min(max_blob_bytes, max_total_bytes - max_total_bytes // _N_SLACK_PARTS)
        self._slack_bytes = max_total_bytes // _N_SLACK_PARTS
        self._n_bytes_since = self._slack_bytes
        self._n_puts_since = 0

    def refusal(self, raw: bytes) -> str | None:
        """Why `put` would not keep `raw`; None if it keeps it."""
        if len(raw) <= self.max_blob_bytes:
            return None
        limit = self.max_blob_bytes
        return f"a version of {len(raw)} bytes is over the limit of {limit} and is not kept: no diff, no undo"

    def put(self, raw: bytes) -> str:
        """Keep `raw` unless `refusal` says why not; returns its SHA-256 either way.

        Raises `DiskFull` or `UnusableFile`; then nothing of it is kept. Not synced to disk: what a power loss damages
        is found by its hash.
        """
        blob_hash = content_hash(raw)
        if self.refusal(raw) is None and not self._touch(blob_hash):
            self._make_room(len(raw))
            self._write(self._path(blob_hash), raw)
        return blob_hash

    def get(self, blob_hash: str) -> bytes | None:
        """The content with this hash, or None if it is not kept (any more). Counts as a use; drops a damaged blob."""
        path = self._path(blob_hash)
        try:
            raw = path.read_bytes()
        except OSError:
            return None
        if content_hash(raw) != blob_hash:
            path.unlink(missing_ok=True)
            return None
        self._touch(blob_hash)
        return raw

    def total_bytes(self) -> int:
        """The size of all blobs together."""
        return sum(kept.n_bytes for kept in self._all())

    def _path(self, blob_hash: str) -> Path:
        if not _HASH.fullmatch(blob_hash):
            # Never a path from outside: a hash comes from logs and callers.
            return self.folder / "no-such-blob"
        return self.folder / blob_hash[:2] / blob_hash[2:]

    def _touch(self, blob_hash: str) -> bool:
        """Count a use; False if the blob is not there."""
        try:
            os.utime(self._path(blob_hash))
        except OSError:
            return False
        return True

    def _write(self, path: Path, raw: bytes) -> None:
        temporary = path.parent / f"{path.name[:8]}.{secrets.token_hex(8)}{_TEMPORARY}"
        try:
            for folder in (self.folder, path.parent):
                folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            temporary.write_bytes(raw)
            temporary.replace(path)
        except OSError as error:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise file_error(error, path) from error

    def _make_room(self, n_bytes: int) -> None:
        """Collect now and then, so that a put does not walk the folder each time."""
        self._n_bytes_since += n_bytes
        self._n_puts_since += 1
        if self._n_bytes_since > self._slack_bytes or self._n_puts_since >= _MAX_PUTS_BETWEEN:
            self._collect(n_bytes)
            self._n_bytes_since, self._n_puts_since = n_bytes, 0

    def _collect(self, n_bytes: int) -> None:
        """Delete the least recently used blobs until `n_bytes` more leave a slack free; ties by name."""
        everything = sorted(self._all())
        max_left = self.max_total_bytes - self._slack_bytes
        n_left = sum(kept.n_bytes for kept in everything)
        for kept in everything:
            if _is_dispensable(kept) or (n_left + n_bytes > max_left and not kept.name.endswith(_TEMPORARY)):
                kept.path.unlink(missing_ok=True)
                n_left -= kept.n_bytes

    def _all(self) -> list[_Kept]:
        found = []
        for path in self.folder.glob("??/*"):
            with contextlib.suppress(OSError):  # deleted by another process meanwhile
                status = path.stat()
                found.append(_Kept(status.st_mtime, path.parent.name + path.name, status.st_size, path))
        return found


def _is_dispensable(kept: _Kept) -> bool:
    """Whether this is a temporary file whose writer is long gone; a young one belongs to somebody."""
    return kept.name.endswith(_TEMPORARY) and kept.used_at_s < time.time() - _TEMPORARY_FOR_S
