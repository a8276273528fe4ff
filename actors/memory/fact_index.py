"""What facts are found by: their keys, their terms, their vectors. All of it follows from the facts and their vectors.

Terms and keys are kept for each space apart. A fact has a slot while it lives; slots order nothing that is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import log
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from actors.memory.column import Column, best
from actors.memory.fact import Fact
from actors.memory.limit import MAX_QUERY_TERMS
from actors.memory.spread import Spread
from actors.memory.term_index import Slots, TermIndex
from actors.memory.vector_table import VectorTable
from actors.memory.word import terms
from actors.runtime.errors import Misuse

Ranked = list[tuple[int, float]]
_ALL: Final = "\x01"
_CATEGORY: Final = "\x02"


class FactIndex:
    """Finds facts of one space by number; what has expired at `utc_s` is never found."""

    def __init__(self) -> None:
        self._keys: Spread[tuple[int, ...]] = Spread()
        self._terms = TermIndex()
        self._slots: dict[int, int] = {}
        self._free: list[int] = []
        self._ids = Column(np.int64)
        self._ends = Column(np.float64)
        self._saliences = Column(np.float32)
        self.vectors = VectorTable(1)

    # Keeping it

    def add(self, fact: Fact) -> None:
        """A fact is there."""
        slot = self._free.pop() if self._free else len(self._slots)
        self._slots[fact.fact_id] = slot
        self._ids[slot] = fact.fact_id
        self.refresh(fact)
        self._terms.add(slot, _terms_of(fact))
        key = _place(fact.space, fact.key)
        self._keys.part_of(key)[key] = tuple(sorted((*self.ids_of_key(fact.space, fact.key), fact.fact_id)))

    def refresh(self, fact: Fact) -> None:
        """A fact is as sure, and ends, as it says now."""
        slot = self._slots[fact.fact_id]
        self._ends[slot] = fact.ends_utc_s
        self._saliences[slot] = fact.salience

    def remove(self, fact: Fact) -> None:
        """A fact is gone."""
        slot = self._slots.pop(fact.fact_id)
        self._free.append(slot)
        self._terms.remove(slot, _terms_of(fact))
        self.vectors.drop(slot)
        key = _place(fact.space, fact.key)
        part = self._keys.part_of(key)
        part[key] = tuple(one for one in part[key] if one != fact.fact_id)
        if not part[key]:
            del part[key]

    def begin(self, n_dims: int) -> None:
        """Vectors have so many numbers from now on; there are none yet."""
        self.vectors = VectorTable(n_dims)

    def put_vector(self, fact_id: int, row: bytes) -> None:
        """A fact has a vector."""
        self.vectors.put(self._slots[fact_id], row)

    def vector_rows(self) -> Iterator[tuple[int, bytes]]:
        """The facts that have a vector, by number, and the vectors."""
        for fact_id, slot in sorted(self._slots.items()):
            if self.vectors.has(slot):
                yield fact_id, self.vectors.row(slot)

    # Asking it

    def ids_of_key(self, space: str, key: str) -> tuple[int, ...]:
        """The facts of this key in all categories, expired ones too, the oldest first."""
        return self._keys.get(_place(space, key)) or ()

    def n_facts(self, space: str, utc_s: float) -> int:
        """How many facts a space has."""
        return len(self._live(space, "", utc_s))

    def _live(self, space: str, category: str, utc_s: float) -> Slots:
        found = self._terms.slots(_place(space, _CATEGORY + category if category else _ALL))
        return found[self._ends.values[found] > utc_s]

    def salient(self, space: str, category: str, utc_s: float, n_wanted: int) -> tuple[Ranked, int]:
        """The most salient facts, of one category or all; and how many there are."""
        slots = self._live(space, category, utc_s)
        return self._ranked(slots, self._saliences.values[slots], n_wanted), len(slots)

    def lexical(self, space: str, category: str, text: str, utc_s: float, n_wanted: int) -> tuple[Ranked, int]:
        """The facts that share most with the text, rare terms counting more; and how many share anything.

        The score is the share of the text's weight that the fact has. Raises `Misuse` for a text without a term.
        """
        asked = terms([text])
        if not asked:
            raise Misuse("the text to recall by has no word: give some words of what is looked for")
        n_all = max(1, self._terms.n_slots(_place(space, _ALL)))
        counted = sorted((self._terms.n_slots(_place(space, term)), term) for term in asked)[:MAX_QUERY_TERMS]
        weighted = [(_place(space, term), log(1.0 + n_all / (n or 1))) for n, term in counted]
        scores = self._terms.weigh(weighted, len(self._ids.values))
        slots = self._live(space, category, utc_s)
        slots = slots[scores[slots] > 0.0]
        return self._ranked(slots, scores[slots] / np.float32(sum(weight for _, weight in weighted)), n_wanted), len(
            slots
        )

    def nearest(self, space: str, category: str, query: bytes, utc_s: float, n_wanted: int) -> tuple[Ranked, int]:
        """The facts nearest in meaning to a query's vector; and how many have a vector."""
        slots = self._live(space, category, utc_s)
        slots = slots[self.vectors.lengths(slots) > 0]
        chosen, cosines = self.vectors.nearest(query, slots, self._ids.values[slots])
        return self._ranked(chosen, cosines, n_wanted), len(slots)

    def without_vector(self, space: str, utc_s: float, n_wanted: int) -> tuple[list[int], int]:
        """The oldest facts that have no vector; and how many have none."""
        slots = self._live(space, "", utc_s)
        ids = np.sort(self._ids.values[slots[self.vectors.lengths(slots) == 0]])
        return [int(one) for one in ids[:n_wanted]], len(ids)

    def _ranked(self, slots: Slots, scores: npt.NDArray[Any], n_wanted: int) -> Ranked:
        ids = self._ids.values[slots]
        return [(int(ids[place]), float(scores[place])) for place in best(slots, scores, ids, n_wanted)]

    def account(self) -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
        """Keys and terms with the numbers of their facts, for whoever compares two indices."""
        numbers = {slot: fact_id for fact_id, slot in self._slots.items()}
        by_term = {term: tuple(sorted(numbers[slot] for slot in slots)) for term, slots in self._terms.items()}
        return {key: self._keys.get(key) or () for key in self._keys}, by_term


def _place(space: str, what: str) -> str:
    return f"{space}\0{what}"


def _terms_of(fact: Fact) -> list[str]:
    places = [*terms(fact.texts), _ALL, _CATEGORY + fact.category]
    return [_place(fact.space, one) for one in places]
