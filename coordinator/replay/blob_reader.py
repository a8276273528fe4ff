"""File contents out of a repository, through one `git cat-file --batch` for all of them."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

from actors.runtime.errors import Unavailable
from coordinator.git_command import GitCommand


class BlobReader:
    """Asks a running `cat-file` for one blob after the other."""

    def __init__(self, asked: IO[bytes], answered: IO[bytes]) -> None:
        self._asked = asked
        self._answered = answered

    def read(self, blob: bytes) -> bytes | None:
        """The content of a blob by its name; None for one that is not here, as in a partial clone.

        Raises `Unavailable` when git has ended.
        """
        try:
            self._asked.write(blob + b"\n")
            self._asked.flush()
        except BrokenPipeError:
            raise _ended() from None
        header = self._answered.readline().split()
        if not header:
            raise _ended()
        if len(header) != 3 or header[1] != b"blob":
            return None
        n_bytes = int(header[2])
        content = self._answered.read(n_bytes + 1)
        if len(content) != n_bytes + 1:
            raise _ended()
        return content[:-1]


@contextmanager
def reading_blobs(git: GitCommand) -> Iterator[BlobReader]:
    """A reader whose process ends on leaving."""
    with git.running("cat-file", "--batch", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin is not None  # both are pipes
        assert process.stdout is not None
        yield BlobReader(process.stdin, process.stdout)


def _ended() -> Unavailable:
    return Unavailable("git cat-file ended while it was asked for a file: look with git fsck, then replay again")
