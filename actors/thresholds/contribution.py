"""What one origin has learned about one extension, and how the contributions of all origins make one delta.

A delta is added to the entropy, in bits, that a line must have to be kept; so a positive one compresses more. It fades
by 2% a UTC day. The fading is worked out on reading and never written, or reading would make news.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from math import fsum
from typing import Final, NamedTuple, Protocol, TypeVar

from actors.runtime.outbox import BOUNCE, CLEAN_COMPRESSED, EDIT_FAILURE, WASTED_FULL
from actors.thresholds.limit import KEEP_A_DAY, MAX_DELTA, MAX_SAMPLES

STEP: Final = 0.02
WEIGHTS: Final = {BOUNCE: -3.0, EDIT_FAILURE: -6.0, CLEAN_COMPRESSED: 0.5, WASTED_FULL: 2.0}
"""How much each topic moves a delta, in steps. A topic that is not here says nothing about compression."""
MAX_WEIGHT: Final = 200
"""Samples of one origin that count: one busy machine must not outvote a team."""
MAX_AGE_DAYS: Final = 365
"""Where a delta is down to 0.06% of itself. Left in, an origin that is long gone would pull the others' to zero."""
_DECIMALS: Final = 9


class Contribution(NamedTuple):
    """A `delta` as it was on UTC day `day`, from `samples` signals.

    `revision` counts the changes of its origin; of two contributions to one (origin, extension) the higher one stands.
    """

    revision: int
    delta: float
    day: int
    samples: int

    def delta_on(self, day: int) -> float:
        """What is left of the delta on a later day; days before `day` see it whole."""
        return self.delta * kept(day - self.day)

    def moved(self, step: float, day: int, revision: int) -> Contribution:
        """The contribution with one more signal: brought to the day by decay, then moved, then clamped."""
        today = max(day, self.day)
        delta = rounded(clamped(self.delta_on(today) + step))
        return Contribution(revision, delta, today, min(self.samples + 1, MAX_SAMPLES))

    @property
    def rank(self) -> tuple[int, str]:
        """Orders contributions: by revision, ties by the hash of what they hold."""
        return self.revision, sha256(repr(tuple(self)).encode()).hexdigest()


class HasRank(Protocol):
    """Something of which the one with the highest `rank` stands."""

    @property
    def rank(self) -> tuple[int, str]:
        """By revision, ties by the hash of what it holds."""


Ranked = TypeVar("Ranked", bound=HasRank)
NOTHING: Final = Contribution(0, 0.0, 0, 0)


class Effective(NamedTuple):
    """A delta as readers see it today, from `n_samples` signals of all origins."""

    delta: float
    n_samples: int


NO_EVIDENCE: Final = Effective(0.0, 0)


def kept(n_days: int) -> float:
    """The share that so many days leave of a delta or of a weight."""
    return float(KEEP_A_DAY ** max(0, n_days))


def clamped(delta: float) -> float:
    """The delta, or the limit that it passes."""
    return max(-MAX_DELTA, min(MAX_DELTA, delta))


def rounded(delta: float) -> float:
    """The delta as it is kept: the same digits whatever a platform's last bit, and never a minus zero."""
    return round(delta, _DECIMALS) + 0.0


def newer(one: Ranked, other: Ranked) -> Ranked:
    """The one that stands; the same whichever comes first."""
    return max(one, other, key=lambda contribution: contribution.rank)


def counts(contribution: Contribution, today: int) -> bool:
    """Whether there is evidence in it, and not too old."""
    return contribution.samples > 0 and today - contribution.day <= MAX_AGE_DAYS


def effective(contributions: Iterable[Contribution], today: int) -> Effective:
    """The sample-weighted mean over origins, each with 200 samples at most, clamped last."""
    counted = [one for one in contributions if counts(one, today)]
    weight = sum(min(one.samples, MAX_WEIGHT) for one in counted)
    if not weight:
        return NO_EVIDENCE
    total = fsum(min(one.samples, MAX_WEIGHT) * one.delta_on(today) for one in counted)
    return Effective(clamped(total / weight), sum(one.samples for one in counted))
