"""Two counts by UTC day, of which what is long ago weighs less.

The newest 30 days are kept apart, older ones in one sum. A reader weights a day by 0.98 to the power of its age in
days, and the sum as its newest day.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

DAYS_APART: Final = 30
DAILY_WEIGHT: Final = 0.98


@dataclass(slots=True)
class DailyPair:
    """Both counts by day, and in the rest (as of its newest day). They are whole numbers, so that sums are exact."""

    days: dict[int, list[int]] = field(default_factory=dict)
    rest_day: int = 0
    rest: list[int] = field(default_factory=lambda: [0, 0])

    def count(self, day: int, first: int, second: int) -> None:
        """Count on a day."""
        counts = self.days.get(day) or self._place(day)
        counts[0] += first
        counts[1] += second

    def _place(self, day: int) -> list[int]:
        """Where a day is counted that has no place of its own yet; a new one sends the oldest to the rest."""
        if day <= max(self.days, default=day) - DAYS_APART:
            self.rest_day = max(self.rest_day, day)
            return self.rest
        for old in sorted(old for old in self.days if old <= day - DAYS_APART):
            self.rest_day = max(self.rest_day, old)
            self.rest[0] += self.days[old][0]
            self.rest[1] += self.days[old][1]
            del self.days[old]
        return self.days.setdefault(day, [0, 0])

    def weighted(self, today: int) -> tuple[float, float]:
        """Both counts, each day's weighted by its age."""
        parts = [*self.days.items(), (self.rest_day, self.rest)]
        weights = [DAILY_WEIGHT ** max(0, today - day) for day, _ in parts]
        first = sum(weight * counts[0] for weight, (_, counts) in zip(weights, parts, strict=True))
        second = sum(weight * counts[1] for weight, (_, counts) in zip(weights, parts, strict=True))
        return first, second
