"""Processes, told apart by host, process id and start time; an id alone is given again to others."""

from __future__ import annotations

import os
import socket
from typing import Final, NamedTuple

import psutil

_SAME_START_S: Final = 1.0
FOREIGN_S: Final = 3_600.0


class ProcessMark(NamedTuple):
    """Who reserved something, and when (`at_s`, seconds since the epoch)."""

    host: str
    pid: int
    started_at_s: float
    at_s: float

    @classmethod
    def from_plain(cls, host: str, pid: int, started_at_s: float, at_s: float) -> ProcessMark:
        """From a file. Raises `TypeError` or `ValueError` for what is no process."""
        return cls(str(host), int(pid), float(started_at_s), float(at_s))

    def may_run(self, now_s: float) -> bool:
        """Whether that process may still be at work; one of another host counts for an hour."""
        if self.host != socket.gethostname():
            return now_s - self.at_s < FOREIGN_S
        try:
            return abs(psutil.Process(self.pid).create_time() - self.started_at_s) < _SAME_START_S
        except (psutil.Error, OverflowError, ValueError):  # no process, or a number that is none's
            return False


def own_mark(now_s: float) -> ProcessMark:
    """The mark of this process."""
    return ProcessMark(socket.gethostname(), os.getpid(), psutil.Process().create_time(), now_s)
