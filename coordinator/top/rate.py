"""How often things happen, from counts that only grow: per minute over a window, and bars of the last looks."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

WINDOW_S: Final = 60.0
MAX_LOOKS: Final = 240
SHOWN: Final[Mapping[str, str]] = {
    "claims_granted": "granted",
    "claims_rejected": "refused",
    "duplicate_work_prevented": "duplicates prevented",
    "claims_expired": "expired",
    "signals_deposited": "signals",
    "reads": "reads",
    "bounces": "read again",
    "edits": "edits",
    "edits_failed": "edits failed",
}
"""The counts that are shown, and what they are called."""


class Rates:
    """The counts of the last looks, 240 at most. A count that has fallen belongs to a new store: all begins anew."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, Mapping[str, int]]] = deque(maxlen=MAX_LOOKS)

    def __len__(self) -> int:
        return len(self._looks)

    def add(self, at_s: float, counters: Mapping[str, int]) -> None:
        """Take the counts of a look at a monotonic time."""
        if self._looks:
            before = self._looks[-1][1]
            if any(counters.get(name, value) < value for name, value in before.items()):
                self._looks.clear()
        self._looks.append((at_s, dict(counters)))

    def per_minute(self, name: str) -> float | None:
        """The rate over the last minute, or over as long as there are looks; None before there are two."""
        known = [(at_s, counters[name]) for at_s, counters in self._looks if name in counters]
        if len(known) < 2:
            return None
        last_s, last = known[-1]
        first_s, first = next((at_s, value) for at_s, value in known if at_s >= last_s - WINDOW_S)
        if first_s == last_s:
            first_s, first = known[-2]
        return (last - first) / (last_s - first_s) * 60.0 if last_s > first_s else None

    def steps(self, name: str, n_most: int) -> list[float]:
        """What came between one look and the next, per minute, newest last."""
        known = [(at_s, counters[name]) for at_s, counters in self._looks if name in counters][-(n_most + 1) :]
        pairs = pairwise(known)
        return [
            (value - before) / (at_s - before_s) * 60.0
            for (before_s, before), (at_s, value) in pairs
            if at_s > before_s
        ]

    def total(self, name: str) -> int | None:
        """The count at the last look."""
        return self._looks[-1][1].get(name) if self._looks else None
