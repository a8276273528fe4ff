"""A resource outside of the house that fences: it compares generations and knows nothing else (Kleppmann 2016)."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Write(NamedTuple):
    """What came of a write: when it was decided, whether the writer believed in its claim then, who wrote last."""

    at_s: float
    is_believed: bool
    is_accepted: bool
    newest_generation: int
    newest_holder: str


class FencedFolder:
    """For each path a file with the newest generation that has written to it, and whose that was."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def write(self, path: str, generation: int, session_id: str, believes: Callable[[], bool]) -> Write:
        """Write with a generation; it is refused when a newer one has written before.

        `believes` is asked when it is this writer's turn: after the moment that the answer gives as `at_s`.
        """
        with self._alone(path) as descriptor:
            at_s = time.time()
            is_believed = believes()
            newest_generation, newest_holder = _content(descriptor)
            is_accepted = generation >= newest_generation
            if is_accepted:
                _replace(descriptor, generation, session_id)
        return Write(at_s, is_believed, is_accepted, newest_generation, newest_holder)

    @contextmanager
    def _alone(self, path: str) -> Iterator[int]:
        """One writer of a path at a time; the system lets go for one that is killed."""
        file = self._folder / path.replace("/", "%")
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield descriptor
        finally:
            os.close(descriptor)


def _content(descriptor: int) -> tuple[int, str]:
    raw = os.pread(descriptor, 4_096, 0).rstrip()
    if not raw:
        return 0, ""
    generation, session_id = json.loads(raw)
    return generation, session_id


def _replace(descriptor: int, generation: int, session_id: str) -> None:
    """One write of one length: a writer that is killed leaves the old content or the new."""
    os.pwrite(descriptor, json.dumps([generation, session_id]).encode().ljust(512), 0)
