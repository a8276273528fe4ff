"""An inverted index: for each term the slots of the facts that have it, as sorted arrays of four bytes a slot.

Slots are numbers from 0 that facts are given here and now: they are used again, and no answer may hang on them.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from actors.memory.spread import Spread

Slots = npt.NDArray[np.uint32]
_NONE: Final = np.empty(0, dtype=np.uint32)


class TermIndex:
    """Postings by term."""

    def __init__(self) -> None:
        self._postings: Spread[array[int]] = Spread()

    def __len__(self) -> int:
        return len(self._postings)

    def add(self, slot: int, terms: Iterable[str]) -> None:
        """A slot has these terms."""
        for term in terms:
            part = self._postings.part_of(term)
            slots = part.get(term)
            if slots is None:
                part[term] = array("I", (slot,))
            elif slot > slots[-1]:
                slots.append(slot)
            else:
                slots.insert(bisect_left(slots, slot), slot)

    def remove(self, slot: int, terms: Iterable[str]) -> None:
        """A slot that has these terms is given up."""
        for term in terms:
            part = self._postings.part_of(term)
            slots = part[term]
            del slots[bisect_left(slots, slot)]
            if not slots:
                del part[term]

    def n_slots(self, term: str) -> int:
        """How many slots have the term."""
        slots = self._postings.get(term)
        return 0 if slots is None else len(slots)

    def slots(self, term: str) -> Slots:
        """The slots that have the term, ascending; a copy."""
        slots = self._postings.get(term)
        return _NONE if slots is None else np.array(slots, dtype=np.uint32)

    def weigh(self, weighted: Sequence[tuple[str, float]], n_slots: int) -> npt.NDArray[np.float32]:
        """For each of `n_slots` slots the sum of the weights of the terms that it has, added up in the order given."""
        scores = np.zeros(n_slots, dtype=np.float32)
        for term, weight in weighted:
            scores[self.slots(term)] += np.float32(weight)
        return scores

    def items(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """All terms with their slots, for whoever compares two indices."""
        for term in self._postings:
            yield term, tuple(self._postings.get(term) or ())
