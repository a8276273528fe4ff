"""What the coordinator has counted and learned at one moment, as its public client tells it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from actors.quality_store.messages import EditQuality, ReadQuality, Statistics
from actors.runtime.errors import Unavailable
from actors.thresholds.messages import Learning
from coordinator.client import Coordinator

SETTLE_S: Final = 20.0
"""How long it may take until what came of the last reads has been told to all who learn from it."""
_POLL_S: Final = 0.05
_NO_FAILURES: Final = frozenset(("applied", "already_applied", "create", "deleted", "moved"))
_TEACHES: Final = "not_shown"
"""The failed edits that thresholds learn from: the text is there, and was not in the view."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The answers to all questions, asked when nothing was on its way any more."""

    statistics: Statistics
    learning: Learning
    read_quality: ReadQuality
    edit_quality: EditQuality

    @property
    def counts(self) -> Counter[str]:
        """What only ever grows, by name."""
        rows = self.statistics.ledger
        names = {
            "reads": "n_reads",
            "views": "n_views",
            "bounces": "n_bounces",
            "clean": "n_clean",
            "wasted": "n_wasted",
        }
        counts = Counter({name: sum(getattr(row, field) for row in rows) for name, field in names.items()})
        counts["escalations_armed"] = self.statistics.escalations_armed
        counts["escalations_served"] = self.statistics.escalations_served
        return counts

    @property
    def edits_failed(self) -> Counter[str]:
        """The refused edits by cause."""
        failed: Counter[str] = Counter()
        for row in self.statistics.outcomes:
            if row.cause not in _NO_FAILURES:
                failed[row.cause] += row.n
        return failed

    @property
    def views_by(self) -> Counter[str]:
        """The automatic views by the rule that chose their mode."""
        return Counter({row.source: row.n for row in self.statistics.sources})

    def signals(self, extension: str) -> dict[str, int]:
        """The outcomes that moved this extension's threshold, by kind."""
        rows = [row for row in self.statistics.ledger if row.extension == extension]
        missed = [row.n for row in self.statistics.outcomes if (row.extension, row.cause) == (extension, _TEACHES)]
        return {
            "bounces": sum(row.n_bounces for row in rows),
            "edits_failed": sum(missed),
            "clean": sum(row.n_clean for row in rows),
            "wasted": sum(row.n_wasted for row in rows),
        }

    def to_json(self) -> dict[str, Any]:
        """All that was learned, each with what it was learned from."""
        statistics = self.statistics
        return {
            "thresholds": [
                {**row._asdict(), "evidence": self.signals(row.extension), "min_signals": self.learning.min_signals}
                for row in self.learning.deltas
            ],
            "costs": [{**row.cost._asdict(), "n_outcomes": row.n_outcomes} for row in self.learning.costs],
            "bounce_rates": [row._asdict() for row in self.read_quality.rates],
            "pairs": [row._asdict() for row in self.edit_quality.pairs],
            "paths": {"remembered": statistics.paths_remembered, "full": statistics.paths_full},
            "escalations": {
                "armed": statistics.escalations_armed,
                "served": statistics.escalations_served,
                "pending": statistics.escalations_pending,
            },
        }


def take_evidence(
    coordinator: Coordinator,
    *,
    clock: Callable[[], float] = time.monotonic,
    pause: Callable[[float], None] = time.sleep,
) -> Evidence:
    """Ask when the quality store has told the others all that it knows. Raises `Unavailable` if that takes too long."""
    until_s = clock() + SETTLE_S
    while _is_unsettled(statistics := coordinator.statistics()[1]):
        if clock() > until_s:
            raise Unavailable(
                f"after {SETTLE_S:g} s the quality store has not told all that it counted: "
                "look whether all actors serve, with `scentfield doctor`"
            )
        pause(_POLL_S)
    return Evidence(statistics, coordinator.learning(), coordinator.read_quality(), coordinator.edit_quality())


def _is_unsettled(statistics: Statistics) -> bool:
    """Whether the quality store has something to tell that nobody has heard."""
    return any(count.n_waiting for count in statistics.notes)
