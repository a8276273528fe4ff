"""Looks again and again, and finds the way anew when the coordinator has gone and come back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from actors.runtime.errors import ScentfieldError
from coordinator.top.rate import Rates
from coordinator.top.sight import Lookout, Sight

EFFICACY_EVERY_S: Final = 10.0


class Scout:
    """Holds what was seen last. `reach` finds the coordinator, and raises a `ScentfieldError` where there is none.

    `sight` is the last look that saw something, `missing_s` how long ago that was if the newest one saw nothing, and
    `problem` why. One thread at a time may look.
    """

    def __init__(self, reach: Callable[[], Lookout], monotonic: Callable[[], float]) -> None:
        self._reach = reach
        self._monotonic = monotonic
        self._lookout: Lookout | None = None
        self._efficacy_at_s: float | None = None
        self.rates = Rates()
        self.sight: Sight | None = None
        self.problem = ""
        self.efficacy: list[list[str]] = []

    @property
    def missing_s(self) -> float:
        """How long nothing was seen; 0 while something is."""
        if not self.problem or self.sight is None:
            return 0.0
        return max(0.0, self._monotonic() - self.sight.at_s)

    def look(self) -> None:
        """Look once; what does not answer is waited for a few seconds."""
        try:
            if self._lookout is None:
                self._lookout = self._reach()
            self._take(self._lookout.look())
        except ScentfieldError as error:
            self._lose(error.message)

    def _take(self, sight: Sight) -> None:
        if sight.is_blind:
            self._lose(next(iter(sight.problems.values()), "nobody answers"))
            return
        self.sight, self.problem = sight, ""
        if sight.counters:
            self.rates.add(sight.at_s, sight.counters)
        self._look_at_efficacy(sight)

    def _lose(self, problem: str) -> None:
        """Nothing was seen: find the way anew next time, for the coordinator may come back elsewhere."""
        self._lookout, self.problem = None, problem

    def _look_at_efficacy(self, sight: Sight) -> None:
        due_s = self._efficacy_at_s
        if self._lookout is None or (due_s is not None and sight.at_s < due_s):
            return
        self._efficacy_at_s = sight.at_s + EFFICACY_EVERY_S
        try:
            self.efficacy = self._lookout.efficacy(sight.counters or {})
        except ScentfieldError as error:
            self.efficacy = [["It cannot be told now", f"  {error.message}"]]
