"""The way between agents and actors: messages come late, in another order, twice, or never."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Final

from coordinator.simulation.agenda import Agenda
from coordinator.simulation.plan import Plan

_MEAN_DELAY_S: Final = 0.008
_SLOW_S: Final = (0.3, 5.0)
_STORM_LOSS: Final = 0.5


class Network:
    """Carries messages one way. `storm_until_s`: until then half of all get lost. `cut_off`: whom nothing reaches."""

    def __init__(self, agenda: Agenda, random: Random, plan: Plan) -> None:
        self._agenda = agenda
        self._random = random
        self._plan = plan
        self.is_calm = False
        self.storm_until_s = 0.0
        self.cut_off: dict[str, float] = {}

    def carry(self, who: str, deliver: Callable[[], None]) -> None:
        """Deliver once, or with bad luck twice or never; `who` is the agent at one of the ends."""
        if not self._is_lost(who):
            self._agenda.after(self._delay_s(), deliver)
            if not self.is_calm and self._random.random() < self._plan.repeat_share:
                self._agenda.after(self._delay_s() + self._delay_s(), deliver)

    def carry_surely(self, deliver: Callable[[], None]) -> None:
        """Deliver once, after a short while."""
        self._agenda.after(self._quick_s(), deliver)

    def _is_lost(self, who: str) -> bool:
        if self.is_calm:
            return False
        now_s = self._agenda.now_s
        share = _STORM_LOSS if now_s < self.storm_until_s else self._plan.loss_share
        return now_s < self.cut_off.get(who, 0.0) or self._random.random() < share

    def _delay_s(self) -> float:
        if not self.is_calm and self._random.random() < self._plan.slow_share:
            return self._random.uniform(*_SLOW_S)
        return self._quick_s()

    def _quick_s(self) -> float:
        return self._random.expovariate(1.0 / _MEAN_DELAY_S)
