"""Which lines of a file are worth their tokens.

Without query and budget, those with as many bits as the base for the extension and the learned delta ask for. With a
query or a budget, lines are ranked by half their bits and half how much of the query they hold, and the best are kept:
as many tokens as base and delta alone would keep, so that what was learned still acts, or as many as the budget holds.

Blank lines have 0 bits and cost nothing: they are never kept for their own sake and go with the gap that they are in.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from math import isfinite, log2
from typing import TYPE_CHECKING, Final

from actors.runtime.errors import Misuse
from coordinator.reading.entropy import least_bits, weigh
from coordinator.reading.query import Query, overlaps
from coordinator.reading.redundancy import redundant_lines

if TYPE_CHECKING:
    from coordinator.reading.redundancy import VectorsOf

_DECIMALS: Final = 9  # a platform's last bit must not order lines


@dataclass(frozen=True, slots=True)
class LineFilter:
    """What to filter lines by.

    `delta`, in units of `entropy.BITS_A_UNIT`, is what was learned for the extension, 0.0 where nothing was or the
    layer is held out. `budget` is in tokens, of all that is printed. `vectors_of` as in `redundancy.redundant_lines`.
    """

    query: Query | None = None
    budget: int | None = None
    delta: float = 0.0
    vectors_of: VectorsOf | None = None

    def __post_init__(self) -> None:
        if not isfinite(self.delta):
            raise Misuse(f"a delta of {self.delta!r} is no number: give 0.0 where nothing was learned")
        if self.budget is not None and self.budget < 1:
            raise Misuse(f"a budget of {self.budget} tokens holds nothing: give 1 or more")


class Sieve:
    """The lines of one file, weighed. Kept lines are 1-based numbers in order."""

    def __init__(self, lines: Sequence[str], extension: str, line_filter: LineFilter) -> None:
        self._lines = lines
        self._extension = extension
        self._filter = line_filter
        self.min_bits = least_bits(extension, line_filter.delta)
        self.weights = [weigh(line) for line in lines]

    def kept(self) -> list[int]:
        """The lines to show without a budget. A larger delta never keeps more of them."""
        by_bits = [number for number, weight in enumerate(self.weights, start=1) if weight.bits >= self.min_bits]
        if self._filter.query is None:
            return by_bits
        return self.best(self._n_within(self._cost(by_bits)))

    def best(self, n_lines: int) -> list[int]:
        """The `n_lines` with the highest scores; of equal ones the first in the file."""
        return sorted(self._ranked[:n_lines])

    def in_order(self) -> list[int]:
        """All lines but the blank ones, the best first, as places from 0."""
        return [number - 1 for number in self._ranked]

    @property
    def n_ranked(self) -> int:
        """How many lines there are to choose from: all but the blank ones."""
        return len(self._ranked)

    @property
    def holds_query(self) -> bool:
        """Whether any line holds a word of the query."""
        return any(self._overlaps)

    def without_redundant(self, kept: Sequence[int]) -> list[int]:
        """`kept` without the lines that say what one before them says; the same where no vectors are at hand."""
        texts = [self._lines[number - 1].strip() for number in kept]
        redundant = redundant_lines(texts, self._filter.vectors_of, self._extension)
        return [number for place, number in enumerate(kept) if place not in redundant]

    def _cost(self, numbers: Iterable[int]) -> int:
        return sum(self.weights[number - 1].n_tokens for number in numbers)

    def _n_within(self, n_tokens: int) -> int:
        """How many of the best lines cost `n_tokens` or less together; found by bisection."""
        costs = accumulate(self.weights[number - 1].n_tokens for number in self._ranked)
        return bisect_right(list(costs), n_tokens)

    @cached_property
    def _overlaps(self) -> list[float]:
        query = self._filter.query
        return overlaps(self._lines, query) if query else [0.0] * len(self._lines)

    @cached_property
    def _ranked(self) -> list[int]:
        scores = self._scores()
        numbers = (number for number, weight in enumerate(self.weights, start=1) if weight.n_tokens)
        return sorted(numbers, key=lambda number: (-scores[number - 1], number))

    def _scores(self) -> list[float]:
        """Half bits, half query, each 0 to 1. No line can have more bits than log2 of the file's different tokens."""
        n_distinct = len(frozenset().union(*(weight.distinct for weight in self.weights)))
        most_bits = log2(max(2, n_distinct))
        return [
            round(0.5 * weight.bits / most_bits + 0.5 * overlap, _DECIMALS)
            for weight, overlap in zip(self.weights, self._overlaps, strict=True)
        ]
