"""How often one address may ask: a token bucket each (Turner 1986), for a bounded number of addresses."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

MAX_ADDRESSES: Final = 4_096
BURST_S: Final = 2.0
"""A rested address may ask for so many seconds' requests at once."""


class Pace:
    """Counts requests by address; `now_s` are monotonic seconds."""

    def __init__(self, per_s: float) -> None:
        self._per_s = per_s
        self._most = max(1.0, per_s * BURST_S)
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._left)

    def wait_s(self, address: str, now_s: float) -> float:
        """Count a request: 0 if it may pass, else the seconds until one may; those are not counted."""
        left, at_s = self._left.get(address, (self._most, now_s))
        left = min(self._most, left + (now_s - at_s) * self._per_s)
        passes = left >= 1.0
        self._left[address] = (left - 1.0 if passes else left, now_s)
        self._left.move_to_end(address)
        if len(self._left) > MAX_ADDRESSES:
            self._left.popitem(last=False)  # who has been quiet for longest has rested most
        return 0.0 if passes else (1.0 - left) / self._per_s
