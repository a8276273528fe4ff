"""How good an answer is, in four dimensions, each from 0 to 1, and what they weigh."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from math import isfinite
from types import MappingProxyType
from typing import Any, Final

from actors.runtime.errors import Misuse


class Dimension(StrEnum):
    """One side of an answer's quality."""

    RELEVANCE = "relevance"
    COMPLETENESS = "completeness"
    COHERENCE = "coherence"
    ACCURACY = "accuracy"


WEIGHTS: Final = MappingProxyType(
    {
        Dimension.RELEVANCE: 0.30,
        Dimension.COMPLETENESS: 0.30,
        Dimension.COHERENCE: 0.20,
        Dimension.ACCURACY: 0.20,
    }
)
DIGITS: Final = 9
"""Sums are rounded to so many digits, so that a quality of 0.6 is 0.6 and meets a threshold of 0.6."""


@dataclass(frozen=True, slots=True)
class Quality:
    """What the scorers said of one answer. Raises `Misuse` for a value that is no number from 0 to 1."""

    relevance: float
    completeness: float
    coherence: float
    accuracy: float

    def __post_init__(self) -> None:
        for dimension in Dimension:
            value: Any = getattr(self, dimension)
            if isinstance(value, bool) or not isinstance(value, int | float) or not isfinite(value):
                raise Misuse(f"{dimension} is {value!r}: a scorer gives a number from 0 to 1")
            if not 0.0 <= value <= 1.0:
                raise Misuse(f"{dimension} is {value!r}: a scorer keeps to 0 to 1")

    def __getitem__(self, dimension: Dimension) -> float:
        """The value of one dimension."""
        value: float = getattr(self, dimension)
        return value

    @property
    def overall(self) -> float:
        """Q = 0.30 R + 0.30 C + 0.20 H + 0.20 A."""
        return round(sum(weight * self[dimension] for dimension, weight in WEIGHTS.items()), DIGITS)


NOTHING: Final = Quality(0.0, 0.0, 0.0, 0.0)
"""The quality of no answer at all, whatever a scorer would make of an empty text."""
