"""Breaks off what does not come to an end: a loop in the house would otherwise stop the whole campaign without a word.

The only real time in the simulation; it decides nothing but when to give up.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_LEAST_S: Final = 60.0
_A_STEP_S: Final = 0.02


class TooSlow(BaseException):
    """A seed runs for longer than any should; what the house does about exceptions must not stop this one."""


def patience_s(n_steps: int) -> float:
    """How long, in real seconds, a seed may take: some fifty times what it does."""
    return _LEAST_S + _A_STEP_S * n_steps


@contextmanager
def watched(limit_s: float) -> Iterator[None]:
    """Raise `TooSlow` in here after so many real seconds; only where a process can wake its main thread up."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def bark(_number: int, _frame: FrameType | None) -> None:
        raise TooSlow(f"no end after {limit_s:g} s of real time")

    before = signal.signal(signal.SIGALRM, bark)
    timer = signal.setitimer(signal.ITIMER_REAL, limit_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, before)
