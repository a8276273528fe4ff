"""What each plan achieved against each weakness, and which is best tried first.

A gain below 0 counts as 0: the best answer is returned, so a round that makes it worse has achieved nothing. Gains are
kept by UTC day as whole millionths, and weigh less with age, as bounces do (`daily_pair.py`).

The table is the anchor. An estimate is counted up from ten imaginary outcomes, of 0.05 each for the table's plan and 0
for all others; another is tried first only with ten real ones behind it, as they weigh today, and a higher estimate.
Without fresh evidence all of it fades, and the table stands again.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from actors.quality_store.answer_message import AdviceRow, StrategyRow
from actors.quality_store.daily_pair import DailyPair
from actors.quality_store.strategy import PLANS, TABLE, WEAKNESSES

PRIOR_OUTCOMES: Final = 10.0
PRIOR_GAIN: Final = 0.05
MIN_OUTCOMES: Final = 10.0
MILLION: Final = 1_000_000
_DIGITS: Final = 4

Key = tuple[str, str]


class _Gains(DailyPair):
    """Outcomes of one plan against one weakness: how many, and their gains in millionths."""

    __slots__ = ()

    @property
    def n(self) -> int:
        return self.rest[0] + sum(counts[0] for counts in self.days.values())


_NONE: Final = _Gains()


class StrategyGains:
    """All of them: as many as there are weaknesses and plans, and no more."""

    def __init__(self) -> None:
        self._gains: dict[Key, _Gains] = {}

    def __len__(self) -> int:
        return len(self._gains)

    def add(self, weakness: str, plan: str, gain: float, day: int) -> None:
        """Count one outcome."""
        self._gains.setdefault((weakness, plan), _Gains()).count(day, 1, round(max(0.0, gain) * MILLION))

    def clear(self) -> None:
        """Forget all of it."""
        self._gains = {}

    def advice(self, today: int) -> tuple[AdviceRow, ...]:
        """Where another plan than the table's is tried first, in the order of the table."""
        first = ((weakness, self._first(weakness, today)) for weakness in WEAKNESSES)
        return tuple(AdviceRow(weakness, plan) for weakness, plan in first if plan != TABLE[weakness])

    def _first(self, weakness: str, today: int) -> str:
        """The plan with the highest estimate among those that may be first; the table's, where they are equal."""
        best, best_estimate = TABLE[weakness], self._estimate(weakness, TABLE[weakness], today)
        for plan in PLANS:
            weight, _ = self._weighted(weakness, plan, today)
            estimate = self._estimate(weakness, plan, today)
            if weight >= MIN_OUTCOMES and estimate > best_estimate:
                best, best_estimate = plan, estimate
        return best

    def _weighted(self, weakness: str, plan: str, today: int) -> tuple[float, float]:
        """How many outcomes that is today, and the sum of their gains (1.0 is a whole quality)."""
        weight, gain = self._gains.get((weakness, plan), _NONE).weighted(today)
        return weight, gain / MILLION

    def _estimate(self, weakness: str, plan: str, today: int) -> float:
        """Rounded, so that the choice does not hang on the last bit."""
        weight, gain = self._weighted(weakness, plan, today)
        prior = PRIOR_GAIN if plan == TABLE[weakness] else 0.0
        return round((PRIOR_OUTCOMES * prior + gain) / (PRIOR_OUTCOMES + weight), _DIGITS)

    def strategy_rows(self, today: int) -> tuple[StrategyRow, ...]:
        """Those with evidence, in the order of the table and the chain."""
        return tuple(
            self._row(weakness, plan, today)
            for weakness in WEAKNESSES
            for plan in PLANS
            if (weakness, plan) in self._gains
        )

    def _row(self, weakness: str, plan: str, today: int) -> StrategyRow:
        weight, gain = self._weighted(weakness, plan, today)
        return StrategyRow(
            weakness,
            plan,
            self._gains[weakness, plan].n,
            round(weight, _DIGITS),
            round(gain / weight, _DIGITS) if weight else 0.0,
            self._estimate(weakness, plan, today),
            plan == TABLE[weakness],
            plan == self._first(weakness, today),
        )

    def rows(self) -> Iterator[list[Any]]:
        """The state, sorted."""
        for key, gains in sorted(self._gains.items()):
            yield [*key, gains.rest_day, *gains.rest, [[day, *gains.days[day]] for day in sorted(gains.days)]]

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        weakness, plan, rest_day, n, gain, days = row
        self._gains[weakness, plan] = _Gains({day: [one, more] for day, one, more in days}, rest_day, [n, gain])
