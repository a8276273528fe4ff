"""A layer's treatment against its holdout: the difference, how sure it is, and what it takes to be sure.

The errors are those of units, so the interval holds for outcomes that come in clusters of very different size
(`actors.quality_store.trial`). The holdout is drawn anew for each unit-day by a hash, so units are independent by
design, whatever files, agents and days have in common (Abadie, Athey, Imbens & Wooldridge 2023).

The holdout is small and a few units weigh much in it, so its own spread is mostly chance: the spread of units, relative
to the ratio, is taken from both sides together, and only the ratio is each side's own. Degrees of freedom are Welch's,
with units counted as far as they weigh the same. docs/decisions/0024 has how other intervals fared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt
from statistics import NormalDist
from typing import Final

from actors.quality_store.evidence import ArmRow
from actors.quality_store.trial import COST_SHARE

CONFIDENCE: Final = 0.95
POWER: Final = 0.80
"""So often an effect of the size that matters is found with as many units as a verdict takes at least."""
STATED_POWER: Final = 0.95
"""The same for the sample that is stated as needed. It is more, because both are estimates from units seen so far: with
so many, the effect is found and the verdict given in more than 80 of 100 cases."""
MIN_EFFECT: Final = 0.10
"""The effect that matters, as a share of what happens without the layer."""
MIN_UNITS: Final = 20
"""With fewer units on a side, counted as far as they weigh the same, an interval would be a guess."""
MIN_EVENTS: Final = 20
"""With fewer losses without the layer their ratio is chance; with it, where so many were to be expected there are few
because of the layer."""
NOT_YET_KNOWN: Final = "not_yet_known"
HELPS: Final = "helps"
NO_DIFFERENCE: Final = "no_difference"
HARMS: Final = "harms"
VERDICTS: Final = (NOT_YET_KNOWN, HELPS, NO_DIFFERENCE, HARMS)


@dataclass(frozen=True, slots=True)
class Comparison:
    """One layer by one measure, where less is better.

    `difference` is treatment less holdout, `low` and `high` its 95% interval; None while an interval would be a guess.
    `n_units_needed` units of both sides are sure to give a verdict; it takes so many at least where their spread is not
    known yet.
    """

    layer: str
    measure: str
    treatment: float | None
    holdout: float | None
    n_treatment_units: int
    n_holdout_units: int
    difference: float | None
    low: float | None
    high: float | None
    n_units_needed: int
    verdict: str

    @property
    def n_units(self) -> int:
        """Those of both sides."""
        return self.n_treatment_units + self.n_holdout_units

    @property
    def n_units_missing(self) -> int:
        """How many more it takes for a verdict; 0 with enough."""
        return 0 if self.verdict != NOT_YET_KNOWN else max(1, self.n_units_needed - self.n_units)


def compare(treated: ArmRow, held_out: ArmRow, *, holdout_share: float, min_effect: float = MIN_EFFECT) -> Comparison:
    """Compare two sides of the same layer and measure.

    `holdout_share` is the part of the units, 0 to 1, that is held out; it says what is needed where too few are there.
    """
    difference = low = high = None
    needed = enough = _least(holdout_share, treated, held_out)
    n_units = treated.n_units + held_out.n_units
    if can_tell := _is_enough(treated, held_out):
        errors = _squared_errors(treated, held_out)
        margin = _quantile(errors, treated, held_out) * sqrt(sum(errors))
        difference = _ratio(treated) - _ratio(held_out)
        low, high = difference - margin, difference + margin
        effect = min_effect * _ratio(held_out)
        enough = max(needed, _needed(n_units, sum(errors), effect, POWER))
        needed = max(needed, _needed(n_units, sum(errors), effect, STATED_POWER))
    return Comparison(
        treated.layer,
        treated.measure,
        _ratio(treated) if treated.n else None,
        _ratio(held_out) if held_out.n else None,
        treated.n_units,
        held_out.n_units,
        difference,
        low,
        high,
        needed,
        _verdict(low, high) if can_tell and n_units >= enough else NOT_YET_KNOWN,
    )


def _is_enough(treated: ArmRow, held_out: ArmRow) -> bool:
    """Whether an interval can be built on these sides.

    A layer after which next to nothing is lost counts as one with losses enough where they would have come without it.
    """
    if min(treated.n_effective, held_out.n_effective) < MIN_UNITS:
        return False
    if held_out.measure == COST_SHARE:
        return held_out.y > 0
    return held_out.y >= MIN_EVENTS and max(treated.y, treated.n * _ratio(held_out)) >= MIN_EVENTS


def _ratio(side: ArmRow) -> float:
    return side.y / side.n


def _squared_errors(*sides: ArmRow) -> list[float]:
    """The variance of each side's ratio, from the spread that units of both have relative to it."""
    n_units = sum(side.n_units for side in sides)
    mean_size = sum(side.n for side in sides) / n_units
    spread = sum(side.residual for side in sides) / sum((side.n_units - 1) * _ratio(side) ** 2 for side in sides)
    return [spread * (_ratio(side) / mean_size) ** 2 / side.n_units for side in sides]


def _quantile(errors: Sequence[float], *sides: ArmRow) -> float:
    """Student's t for Welch's degrees of freedom; the series of Fisher & Cornish (Abramowitz & Stegun 26.7.5)."""
    z = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2)
    spread = sum(error**2 / (side.n_effective - 1.0) for error, side in zip(errors, sides, strict=True))
    if spread == 0.0:
        return z
    freedom = sum(errors) ** 2 / spread
    terms = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96, (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + sum(term / freedom**power for power, term in enumerate(terms, start=1))


def _needed(n_units: int, squared_error: float, effect: float, power: float) -> int:
    """Units of both sides, shared as they are now, at which an effect of this size is found.

    The error shrinks with the root of the units; the effect must be as many errors away from nothing as confidence and
    power take together.
    """
    n_errors = NormalDist().inv_cdf(0.5 + CONFIDENCE / 2) + NormalDist().inv_cdf(power)
    return ceil(n_units * squared_error * (n_errors / effect) ** 2)


def _least(holdout_share: float, treated: ArmRow, held_out: ArmRow) -> int:
    """Units of both sides of which there are enough for an interval, if all goes on as it does now; at least.

    The smaller side needs enough that weigh the same, and the holdout enough losses.
    """
    smaller = min(holdout_share, 1.0 - holdout_share)
    n_units, n_effective = treated.n_units + held_out.n_units, treated.n_effective + held_out.n_effective
    unevenness = n_units / n_effective if n_effective else 1.0
    by_units = ceil(MIN_UNITS * unevenness / smaller) if smaller > 0.0 else 2 * MIN_UNITS
    if held_out.measure == COST_SHARE or not held_out.n_units:
        return by_units
    return max(by_units, ceil(n_units * MIN_EVENTS / max(1, held_out.y)))


def _verdict(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return NOT_YET_KNOWN
    if high < 0.0:
        return HELPS
    return HARMS if low > 0.0 else NO_DIFFERENCE
