"""What came of a learned layer's treatment and its holdout: sums over units, from which a ratio and its error follow.

A unit is what the holdout is drawn by on one UTC day, a file, a session or a question, and has many outcomes that are
alike: agents look at the same file again, and a hard file is hard for all. So the error of a ratio is that of units,
not of outcomes (the delta method for ratio metrics, Deng et al. 2018, which is the linearised cluster-robust variance
of Liang & Zeger 1986). The sums of squares and products are enough for it, and they can be added over days; nobody has
to keep units.

Only what the layer had a say in is counted, in both arms by the same rule (a triggered analysis, Deng & Hu 2015): a
view of a kind of which nothing was learned is the same with and without the layer, and says nothing about it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from hashlib import blake2b
from typing import Any, Final, NamedTuple

from actors.runtime.holdout import (
    BEGIN_SHARE,
    EDIT_PENALTY,
    ENTROPY_DELTA,
    EXPECTED_COST,
    FEEDBACK_STRATEGY,
    LESSONS,
    UNIT_RANKING,
)

LOSS_RATE: Final = "loss_rate"
"""Bounces and failed edits for each view."""
COST_SHARE: Final = "cost_share"
"""Tokens of views, and of what they made necessary, for each token of the files that they show."""
MISS_RATE: Final = "miss_rate"
"""Items asked for again, for each item that a wakeup placed."""
FAILURE_RATE: Final = "failure_rate"
"""Edits that missed, for each edit of a file that there was a lesson about."""
UNMET_RATE: Final = "unmet_rate"
"""Questions whose answer did not reach the threshold, for each that could have gone by what was learned."""
MEASURES: Final[Mapping[str, tuple[str, ...]]] = {
    ENTROPY_DELTA: (COST_SHARE, LOSS_RATE),
    EXPECTED_COST: (COST_SHARE, LOSS_RATE),
    EDIT_PENALTY: (LOSS_RATE, COST_SHARE),
    UNIT_RANKING: (LOSS_RATE, COST_SHARE),
    BEGIN_SHARE: (MISS_RATE,),
    LESSONS: (FAILURE_RATE,),
    FEEDBACK_STRATEGY: (UNMET_RATE,),
}
"""What a layer is measured by, less being better; the first is what it is there for, and judged by."""
TREATED: Final = "treatment"
HELD_OUT: Final = "holdout"
SIDES: Final = (TREATED, HELD_OUT)
MAX_UNIT_COUNT: Final = 10**7
"""A unit counts for no more, so that one absurd file cannot drown all others (winsorised) and sums fit 64 bits."""

Key = tuple[str, str, str]
"""Layer, measure and side."""


class Moments(NamedTuple):
    """Sums over units: how many, of n, of y, of n², of n y and of y². The ratio is y / n."""

    n_units: int = 0
    n: int = 0
    y: int = 0
    nn: int = 0
    ny: int = 0
    yy: int = 0

    def __add__(self, other: Any) -> Moments:
        """The sums over both sets of units."""
        return Moments._make([one + two for one, two in zip(self, other, strict=True)])

    @property
    def ratio(self) -> float | None:
        """The mean over outcomes; None without any."""
        return self.y / self.n if self.n else None

    @property
    def n_effective(self) -> float:
        """How many units of one size would tell as much (Kish 1965): few, if few have most of the outcomes."""
        return self.n * self.n / self.nn if self.nn else 0.0

    @property
    def residual(self) -> float:
        """The sum over units of (y - ratio n)²; 0.0 without any outcome."""
        if not self.n:
            return 0.0
        # In whole numbers, where nothing is lost: times n².
        squares = self.yy * self.n * self.n - 2 * self.ny * self.y * self.n + self.nn * self.y * self.y
        return max(0, squares) / (self.n * self.n)


def moments_of(n: int, y: int) -> Moments:
    """Those of one unit."""
    n, y = min(n, MAX_UNIT_COUNT), min(y, MAX_UNIT_COUNT)
    return Moments(1, n, y, n * n, n * y, y * y)


class Counts(NamedTuple):
    """What one unit adds: views and losses, and the tokens of their files and what all that cost.

    For a layer of sessions or questions it is outcomes and those to be avoided; it has no tokens.
    """

    n: int = 0
    n_losses: int = 0
    n_file_tokens: int = 0
    n_cost_tokens: int = 0

    def __add__(self, other: Any) -> Counts:
        """Both together."""
        return Counts._make([one + two for one, two in zip(self, other, strict=True)])

    def pair(self, measure: str) -> tuple[int, int]:
        """N and y of a measure."""
        return (self.n_file_tokens, self.n_cost_tokens) if measure == COST_SHARE else (self.n, self.n_losses)


class TrialRow(NamedTuple):
    """The sums over the units of one side of a layer, for one of its measures."""

    layer: str
    measure: str
    side: str
    n_units: int
    n: int
    y: int
    nn: int
    ny: int
    yy: int

    @property
    def key(self) -> Key:
        """Whose sums they are."""
        return self.layer, self.measure, self.side

    @property
    def moments(self) -> Moments:
        """The sums."""
        return Moments._make(self[3:])


def unit_digest(unit: str) -> bytes:
    """A unit's name as it is kept: eight bytes, from which no path can be told."""
    return blake2b(unit.encode("utf-8", "surrogatepass"), digest_size=8).digest()


class Trials:
    """The sums of one day, kept up to date with every outcome, and the units of that day as long as it is open."""

    def __init__(self) -> None:
        self._units: dict[tuple[str, str, bytes], Counts] = {}
        self._moments: dict[Key, Moments] = {}
        self.n_left_out = 0

    @property
    def n_units(self) -> int:
        """How many units are kept, counted once for each layer and side."""
        return len(self._units)

    def add(self, layer: str, side: str, unit: str, counts: Counts, max_units: int) -> None:
        """Add to a unit. Of too many units in a day those that come late are left out, and how often is counted."""
        key = (layer, side, unit_digest(unit))
        before = self._units.get(key)
        if before is None and len(self._units) >= max_units:
            self.n_left_out += 1
            return
        after = counts if before is None else before + counts
        self._units[key] = after
        for measure in MEASURES[layer]:
            place = (layer, measure, side)
            without = Moments() if before is None else moments_of(*before.pair(measure))
            added = [new - old for new, old in zip(moments_of(*after.pair(measure)), without, strict=True)]
            self._moments[place] = self._moments.get(place, Moments()) + added

    def close(self) -> None:
        """The day is over: its sums stay, its units are forgotten."""
        self._units = {}

    def trial_rows(self) -> tuple[TrialRow, ...]:
        """The sums, sorted by name."""
        return tuple(TrialRow(*key, *moments) for key, moments in sorted(self._moments.items()))

    def rows(self) -> Iterator[list[Any]]:
        """The state: sums, then units in the order of their first outcome, then what was left out."""
        for row in self.trial_rows():
            yield ["sums", *row]
        for key, counts in self._units.items():
            yield ["unit", *key, *counts]
        if self.n_left_out:
            yield ["left_out", self.n_left_out]

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        kind, *fields = row
        if kind == "sums":
            trial = TrialRow._make(fields)
            self._moments[trial.key] = trial.moments
        elif kind == "unit":
            self._units[fields[0], fields[1], fields[2]] = Counts._make(fields[3:])
        else:
            self.n_left_out = fields[0]
