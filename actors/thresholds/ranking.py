"""What makes a piece of a file worth showing to whoever is about to edit it: the weights of a linear score.

The defaults were fitted to real commits (docs/reading.md says to which). What is learned is a shift of each weight, by
extension, within bounds; it fades by 2% a UTC day, worked out on reading, as a delta does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from math import fsum
from types import MappingProxyType
from typing import Final, NamedTuple

from actors.runtime.errors import Misuse
from actors.thresholds.contribution import MAX_AGE_DAYS, MAX_WEIGHT, kept

MAX_SHIFT: Final = 1.0
_DECIMALS: Final = 3
MAX_RANKINGS: Final = 16
"""Extensions of one origin that have shifts of their own."""
DEFAULT_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "words": 1.5,
        "first_line": 0.8,
        "name": 0.8,
        "meaning": 0.5,
        "near": 1.5,
        "recency": 2.1,
        "similar": 0.9,
        "imports": 1.0,
        "end": 1.4,
        "size": -1.6,
    }
)
"""By the name of the signal, as `coordinator.reading.unit_signal` works it out. `size` is negative: of two pieces that
are as likely to be needed the shorter one leaves room for others."""
SIGNALS: Final = tuple(DEFAULT_WEIGHTS)
LEARNED: Final = tuple(name for name in SIGNALS if name != "size")
"""The signals whose weights are learned; that of `size` weighs a piece against its room, of which no edit tells."""


class Ranking(NamedTuple):
    """What one origin has learned for one extension: shifts in the order of `LEARNED`, as on UTC day `day`.

    `samples` are the hunks that it was learned from. Of two rankings of one (origin, extension) that of the higher
    revision stands.
    """

    revision: int
    shifts: tuple[float, ...]
    day: int
    samples: int

    @property
    def rank(self) -> tuple[int, str]:
        """Orders rankings: by revision, ties by the hash of what they hold."""
        return self.revision, sha256(repr(tuple(self)).encode()).hexdigest()


class EffectiveRanking(NamedTuple):
    """The shifts as readers see them today, from the hunks of so many origins."""

    shifts: tuple[float, ...]
    n_hunks: int
    n_origins: int


def forgotten(revision: int, day: int) -> Ranking:
    """A ranking that says nothing and stands over all before it."""
    return Ranking(revision, (0.0,) * len(LEARNED), day, 0)


def clamped_shifts(shifts: Iterable[float]) -> tuple[float, ...]:
    """The shifts within bounds, with the digits that are kept of them."""
    return tuple(round(max(-MAX_SHIFT, min(MAX_SHIFT, shift)), _DECIMALS) + 0.0 for shift in shifts)


def effective_ranking(rankings: Iterable[Ranking], today: int) -> EffectiveRanking | None:
    """The sample-weighted mean over origins, each with 200 samples at most; None without evidence."""
    counted = [one for one in rankings if one.samples and today - one.day <= MAX_AGE_DAYS]
    weights = [min(one.samples, MAX_WEIGHT) for one in counted]
    if not counted:
        return None
    columns = zip(*(one.shifts for one in counted), strict=True)
    faded = [weight * kept(today - one.day) for weight, one in zip(weights, counted, strict=True)]
    means = (fsum(w * shift for w, shift in zip(faded, column, strict=True)) / sum(weights) for column in columns)
    return EffectiveRanking(clamped_shifts(means), sum(one.samples for one in counted), len(counted))


def shifted_weights(shifts: Iterable[float]) -> dict[str, float]:
    """The default weights with shifts in the order of `LEARNED`. Raises `Misuse` for another number of them."""
    shifts = tuple(shifts)
    if len(shifts) != len(LEARNED):
        raise Misuse(f"{len(shifts)} shifts are none for {', '.join(LEARNED)}: fetch the policy again")
    return {**DEFAULT_WEIGHTS, **{name: DEFAULT_WEIGHTS[name] + s for name, s in zip(LEARNED, shifts, strict=True)}}
