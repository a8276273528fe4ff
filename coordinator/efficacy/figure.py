"""The figures of efficacy, from what the ledger adds up to alone. Pure: the same evidence gives the same figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from actors.quality_store.account import (
    BECAME_LASTING,
    DUPLICATE_SOURCES,
    DUPLICATES_PREVENTED,
    LASTING_HELPFUL,
    PLACEMENTS,
)
from actors.quality_store.cause import FAILURES
from actors.quality_store.edit_count import EditRow
from actors.quality_store.evidence import ArmRow, Evidence, WeekRow, totals_of
from actors.quality_store.ledger_report import MIN_READS
from actors.quality_store.trial import HELD_OUT, MEASURES, TREATED
from actors.runtime.holdout import LAYERS, SHARE
from coordinator.efficacy.interval import MIN_EFFECT, Comparison, compare

POSITIONS: Final = ("begin", "end")
_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Terms:
    """What figures are told in: the share that is held out, the effect that matters, a million tokens' price if any."""

    holdout_share: float = SHARE
    min_effect: float = MIN_EFFECT
    token_price: float | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """Items that wakeups placed at one end, and those of them that had to be asked for all the same."""

    n_hits: int
    n_misses: int

    @property
    def hit_rate(self) -> float | None:
        """Hits as a share of all; None without any."""
        n_all = self.n_hits + self.n_misses
        return self.n_hits / n_all if n_all else None


@dataclass(frozen=True, slots=True)
class Figures:
    """All figures at one moment; None where it is not yet known.

    Bounce rates are shares, 0 to 1. `n_became_lasting` entries of playbooks came to be ten turns old, and of these
    `n_survived` are there and have helped more than they harmed. `duplicates` are by what prevented them. `price` is
    that of the net tokens, in the currency of the price that was set.
    """

    evidence: Evidence
    bounce_rate: float | None
    bounce_rate_before: float | None
    failures: tuple[EditRow, ...]
    placed: Mapping[str, Placed]
    n_became_lasting: int
    n_survived: int
    duplicates: Mapping[str, int]
    price: float | None
    comparisons: tuple[Comparison, ...]

    @property
    def survival(self) -> float | None:
        """The share of lasting entries that survived."""
        return self.n_survived / self.n_became_lasting if self.n_became_lasting else None

    @property
    def hit_rate(self) -> float | None:
        """The hit rate at both ends together."""
        hits, misses = (sum(getattr(one, name) for one in self.placed.values()) for name in ("n_hits", "n_misses"))
        return Placed(hits, misses).hit_rate

    def verdict_of(self, layer: str) -> Comparison:
        """The comparison that a layer is judged by."""
        return next(one for one in self.comparisons if (one.layer, one.measure) == (layer, MEASURES[layer][0]))


def figures_of(evidence: Evidence, terms: Terms) -> Figures:
    """All figures."""
    numbers = totals_of(evidence.account)
    price = None if terms.token_price is None else evidence.n_net_tokens / _MILLION * terms.token_price
    return Figures(
        evidence,
        _rate(evidence.this_week),
        _rate(evidence.week_before),
        tuple(row for row in evidence.edits if row.cause in FAILURES),
        {
            end: Placed(*(numbers.get((PLACEMENTS, f"{end}_{what}"), 0) for what in ("hit", "miss")))
            for end in POSITIONS
        },
        numbers.get((BECAME_LASTING, ""), 0),
        numbers.get((LASTING_HELPFUL, ""), 0),
        {source: numbers.get((DUPLICATES_PREVENTED, source), 0) for source in DUPLICATE_SOURCES},
        price,
        tuple(_comparison(evidence, layer, measure, terms) for layer in LAYERS for measure in MEASURES[layer]),
    )


def _rate(week: WeekRow) -> float | None:
    """Bounces as a share of compressed reads; None where there are too few to tell."""
    return week.n_bounces / week.n_reads if week.n_reads >= MIN_READS else None


def _comparison(evidence: Evidence, layer: str, measure: str, terms: Terms) -> Comparison:
    sides = (_arm(evidence, layer, measure, side) for side in (TREATED, HELD_OUT))
    return compare(*sides, holdout_share=terms.holdout_share, min_effect=terms.min_effect)


def _arm(evidence: Evidence, layer: str, measure: str, side: str) -> ArmRow:
    """One side; an empty one if nothing was counted."""
    key = (layer, measure, side)
    return next((arm for arm in evidence.arms if arm[:3] == key), ArmRow(*key, 0, 0, 0, 0.0, 0.0))
