"""Locks that other processes of ours respect, and that end with their process."""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from actors.runtime.errors import Busy

MAX_WAIT_S: Final = 5.0
_PAUSE_S: Final = 0.005
_UNSUPPORTED: Final = frozenset({errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL})


def lock(fd: int, path: Path, *, max_wait_s: float = MAX_WAIT_S) -> None:
    """Lock an open file until its descriptor is closed. `path` is for the message.

    Raises `Busy` where somebody holds it for longer than `max_wait_s`: a stopped process, or a program that locks its
    own files. On file systems without locks this does nothing.
    """
    give_up_at = time.monotonic() + max_wait_s
    while not _try(fd):
        if time.monotonic() >= give_up_at:
            raise Busy(
                f"{str(path)!r} has been locked by another process for {max_wait_s} s: try again, or see who it is"
            )
        time.sleep(_PAUSE_S)


@contextmanager
def locked(path: Path, max_wait_s: float) -> Iterator[None]:
    """Hold the lock of this file, which is made if it is missing. Raises `Busy` after `max_wait_s` seconds."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        lock(descriptor, path, max_wait_s=max_wait_s)
        yield
    finally:
        os.close(descriptor)


def _try(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    return True
