"""Locks that other processes of ours respect, and that end with their process."""

from __future__ import annotations

import errno
import fcntl
import time
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


def _try(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
    return True
