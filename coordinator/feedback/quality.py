"""How good an answer is, in four dimensions, each from 0 to 1, and what they weigh."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from actors.runtime.errors import Misuse
from actors.runtime.number import as_number, shown


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
    """What the scorers said of one answer, as floats. Raises `Misuse` for a value that is no number from 0 to 1."""

    relevance: float
    completeness: float
    coherence: float
    accuracy: float

    def __post_init__(self) -> None:
        for dimension in Dimension:
            value = getattr(self, dimension)
            number = as_number(value)
            if number is None:
                raise Misuse(f"{dimension} is {shown(value)}: a scorer gives a number from 0 to 1")
            if not 0.0 <= number <= 1.0:
                raise Misuse(f"{dimension} is {shown(value)}: a scorer keeps to 0 to 1")
            object.__setattr__(self, dimension, number)

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
