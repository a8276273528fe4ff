"""Virtual time: what happens next, and when. Nothing here reads a clock."""

from __future__ import annotations

import heapq
from collections.abc import Callable


class Agenda:
    """Things to do, in the order of their times; of two at one time, the one that was put down first."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self._n_entries = 0
        self._entries: list[tuple[float, int, Callable[[], None]]] = []

    def at(self, at_s: float, run: Callable[[], None]) -> None:
        """Do it then; at once if that is past."""
        self._n_entries += 1
        heapq.heappush(self._entries, (max(at_s, self.now_s), self._n_entries, run))

    def after(self, delay_s: float, run: Callable[[], None]) -> None:
        """Do it so many seconds from now."""
        self.at(self.now_s + delay_s, run)

    def step(self) -> None:
        """Do what is next. Raises `IndexError` if there is nothing."""
        self.now_s, _, run = heapq.heappop(self._entries)
        run()

    def run_until(self, at_s: float) -> None:
        """Do all that is due until then."""
        while self._entries and self._entries[0][0] <= at_s:
            self.step()
        self.now_s = max(self.now_s, at_s)
