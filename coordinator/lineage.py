"""The processes above a process: who started whom, and since when each runs.

Light: hooks of git and of coding agents ask it, and somebody waits for them. On Linux it reads /proc; elsewhere it asks
psutil, whose loading costs more than all else that a hook does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Final, NamedTuple

MAX_ABOVE: Final = 64


class Process(NamedTuple):
    """A process by its number, its program's name, who started it, and when it was started.

    Two processes that had one number were not started at one time. The time is seconds since the epoch, except on
    Linux: there it is ticks since the machine was, as seconds since the epoch would change whenever the clock is set.
    """

    pid: int
    name: str
    parent_pid: int
    started: int


def process(pid: int) -> Process | None:
    """The process of this number; None where there is none, or its owner hides it."""
    return _of_proc(pid) if sys.platform == "linux" else _of_psutil(pid)


def above(pid: int) -> Iterator[Process]:
    """The processes above one, the nearest first, 64 at most; it ends at one that cannot be seen."""
    one = process(pid)
    for _ in range(MAX_ABOVE):
        parent = process(one.parent_pid) if one is not None and one.parent_pid > 0 else None
        if parent is None or one is None or parent.started > one.started:
            return  # nothing is above it, or what was has ended and its number is another's now
        yield parent
        one = parent


def _of_proc(pid: int) -> Process | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123  # a path object for each is a tenth of what it takes
            said = file.read()
    except OSError:
        return None
    before, _, after = said.rpartition(b")")  # the name may hold anything, also brackets and spaces
    fields = after.split()
    name = before.partition(b"(")[2].decode("utf-8", "surrogateescape")
    return Process(pid, name, int(fields[1]), int(fields[19]))  # proc_pid_stat(5): ppid and starttime


def _of_psutil(pid: int) -> Process | None:
    import psutil  # slow to load

    try:
        found = psutil.Process(pid)
        return Process(pid, found.name(), found.ppid(), int(found.create_time()))
    except psutil.Error:
        return None
