"""The two clocks of a state actor, as pure functions of what the shell reads.

*Field time* counts the time in which the actor served. It stands still while the actor is down, paused, stalled, or
without its store, so that an outage of the coordinator ends nobody's lease. *UTC* is wall time that never runs
backwards and does not believe a jump of more than a day forward unless the monotonic clock saw that time pass too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from actors.runtime.machine import Now

MAX_STEP_S: Final = 2.0
MAX_UNCONFIRMED_JUMP_S: Final = 86_400.0


def earlier(one_s: float | None, other_s: float | None) -> float | None:
    """The first of two points in time; None never comes."""
    if one_s is None or other_s is None:
        return other_s if one_s is None else one_s
    return min(one_s, other_s)


@dataclass(slots=True)
class ActorClock:
    """Field time and guarded UTC, advanced once a turn.

    Both start at what the journal recorded last. Nothing that was journaled ever lies in the future.
    `n_refused_jumps` counts jumps of the wall clock, not the turns for which one lasts.
    """

    field_s: float = 0.0
    utc_s: float = 0.0
    n_refused_jumps: int = 0
    _refusing: bool = False
    _monotonic_s: float | None = None

    @property
    def now(self) -> Now:
        """The last reading."""
        return Now(self.field_s, self.utc_s)

    def start_at(self, field_s: float, utc_s: float) -> None:
        """Be no earlier than what the journal recorded."""
        self.field_s = max(self.field_s, field_s)
        self.utc_s = max(self.utc_s, utc_s)

    def advance(self, *, monotonic_s: float, wall_s: float, serving: bool = True) -> Now:
        """Read both clocks; a step of field time is at most 2 s, whatever passed in between, and 0 unless `serving`.

        `monotonic_s` should count while the machine sleeps too, else a sleep of over a day looks like a false jump.
        """
        before_s, self._monotonic_s = self._monotonic_s, monotonic_s
        if before_s is None:
            self.utc_s = max(wall_s, self.utc_s)
            return self.now
        elapsed_s = max(0.0, monotonic_s - before_s)
        if serving:
            self.field_s += min(elapsed_s, MAX_STEP_S)
        self.utc_s = self._guarded(wall_s, self.utc_s + elapsed_s)
        return self.now

    def _guarded(self, wall_s: float, expected_s: float) -> float:
        if wall_s - expected_s <= MAX_UNCONFIRMED_JUMP_S:
            self._refusing = False
            return max(wall_s, self.utc_s)
        self.n_refused_jumps += not self._refusing
        self._refusing = True
        return expected_s
