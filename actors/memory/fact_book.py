"""All facts, of all spaces: kept until they are forgotten, expire, or have to make room.

Two values of one key are both kept, as each may be right; a recall shows the conflict. Where there are too many facts
the space that has most of them gives the one that was not found or confirmed for longest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from sys import intern
from typing import Any, Final

from sortedcontainers import SortedSet

from actors.memory.event import FactConfirmed, FactForgotten, FactIndexed, FactRemembered, IndexBegun
from actors.memory.fact import Fact, FactDraft, Found
from actors.memory.fact_index import FactIndex, Ranked
from actors.memory.limit import MAX_VALUES_OF_KEY, Limits
from actors.memory.reason import ASKED, EXPIRED, FULL
from actors.memory.vector_table import NOTHING, check_row
from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.tally import Tally

MAX_EXPIRED_A_CALL: Final = 200


class FactBook:
    """Facts by number. `record` journals an event and brings it back through the methods below."""

    def __init__(self, limits: Limits, totals: Tally, record: Callable[[Any], None]) -> None:
        self._limits = limits
        self._totals = totals
        self._record = record
        self._last_id = 0
        self._facts: dict[int, Fact] = {}
        self._orders: dict[str, dict[int, None]] = {}
        self._ends = SortedSet()
        self._index = FactIndex()
        self.model = ""

    def __len__(self) -> int:
        return len(self._facts)

    # Commands

    def remember(self, space: str, draft: FactDraft, agent: str, utc_s: float) -> tuple[Fact, bool, tuple[Fact, ...]]:
        """Keep a draft that was checked, or confirm the same; (the fact, whether it is new, other values of its key).

        Raises `Misuse` if its key has too many values already.
        """
        values = self._values(space, draft.category, draft.key, utc_s)
        known = next((fact for fact in values if fact.value == draft.value), None)
        others = tuple(fact for fact in values if fact is not known)
        if known is None and len(others) >= MAX_VALUES_OF_KEY:
            raise Misuse(f"{draft.category}/{draft.key} has {len(others)} values already: forget those that are wrong")
        expires_utc_s = draft.expires_utc_s(utc_s)
        if known is not None:
            confidence = max(known.confidence, draft.confidence)
            self._record(FactConfirmed(known.fact_id, confidence, utc_s, expires_utc_s))
            return self._facts[known.fact_id], False, others
        self._lapse(utc_s)
        self._make_room()
        fact_id = self._last_id + 1
        about = (draft.category, draft.key, draft.value, draft.confidence, agent, utc_s, draft.path)
        self._record(FactRemembered(fact_id, space, *about, expires_utc_s))
        return self._facts[fact_id], True, others

    def _values(self, space: str, category: str, key: str, utc_s: float) -> list[Fact]:
        """The facts of a key that have not expired, the oldest first; of any category for ""."""
        facts = (self._facts[one] for one in self._index.ids_of_key(space, key))
        return [fact for fact in facts if category in ("", fact.category) and fact.ends_utc_s > utc_s]

    def _lapse(self, utc_s: float) -> None:
        """Remove what has expired, the first first; some at a time, since nobody is told of the rest either."""
        for _ in range(MAX_EXPIRED_A_CALL):
            if not self._ends or self._ends[0][0] > utc_s:
                return
            self._record(FactForgotten(self._ends[0][1], EXPIRED))

    def _make_room(self) -> None:
        while len(self._facts) >= self._limits.max_facts:
            fullest = max(self._orders, key=lambda space: (len(self._orders[space]), space))
            self._record(FactForgotten(next(iter(self._orders[fullest])), FULL))

    def confirm(self, space: str, fact_id: int, utc_s: float) -> Fact:
        """Say that a fact still holds; it expires as long after as it did. Raises `Misuse` if there is none."""
        fact = self._found(space, fact_id, utc_s)
        since_s = fact.confirmed_utc_s or fact.at_utc_s
        expires_utc_s = utc_s + fact.expires_utc_s - since_s if fact.expires_utc_s else 0.0
        self._record(FactConfirmed(fact_id, fact.confidence, utc_s, expires_utc_s))
        return self._facts[fact_id]

    def contradicted(
        self, space: str, fact_id: int, value: str, confidence: float, path: str, utc_s: float
    ) -> FactDraft:
        """What is to be remembered beside a fact that somebody found to be otherwise. Raises `Misuse`."""
        fact = self._found(space, fact_id, utc_s)
        if fact.value == value:
            raise Misuse(f"fact {fact_id} says just that: confirm it, or contradict it with another value")
        return FactDraft(fact.category, fact.key, value, confidence, path)

    def forget(self, space: str, fact_ids: Sequence[int], utc_s: float) -> int:
        """Remove facts at somebody's word. Raises `Misuse`, and removes none, for a number that there is not."""
        wanted = sorted(set(fact_ids))
        for fact_id in wanted:
            self._found(space, fact_id, utc_s)
        for fact_id in wanted:
            self._record(FactForgotten(fact_id, ASKED))
        return len(wanted)

    def _found(self, space: str, fact_id: int, utc_s: float) -> Fact:
        fact = self._facts.get(fact_id)
        if fact is None or fact.space != space or fact.ends_utc_s <= utc_s:
            raise Misuse(f"there is no fact {fact_id} in this space: it was forgotten, has expired, or never was")
        return fact

    def index(self, space: str, model: str, vectors: Sequence[tuple[int, bytes]]) -> int:
        """Give facts their vectors; returns how many. Facts that are gone are passed over. Raises `Misuse`."""
        known = [row for _, row in vectors if row != NOTHING]
        n_dims = len(known[0]) if known else self._index.vectors.n_dims
        for row in known:
            check_row(row, n_dims)
        there = [
            (fact_id, row) for fact_id, row in vectors if getattr(self._facts.get(fact_id), "space", None) == space
        ]
        if there and (model, n_dims) != (self.model, self._index.vectors.n_dims):
            self._record(IndexBegun(model, n_dims))
        for fact_id, row in there:
            self._record(FactIndexed(fact_id, row))
        return len(there)

    # Queries

    def by_key(self, space: str, category: str, key: str, utc_s: float, n_wanted: int) -> tuple[list[Found], int]:
        """The facts of a key, the oldest first; of any category for ""."""
        values = self._values(space, category, key, utc_s)
        return self._shown([(fact.fact_id, 1.0) for fact in values[:n_wanted]], utc_s), len(values)

    def salient(self, space: str, category: str, utc_s: float, n_wanted: int) -> tuple[list[Found], int]:
        """The most salient facts, of one category or all; the score is the salience."""
        ranked, n_all = self._index.salient(space, category, utc_s, n_wanted)
        return self._shown(ranked, utc_s), n_all

    def by_text(self, space: str, category: str, text: str, utc_s: float, n_wanted: int) -> tuple[list[Found], int]:
        """The facts that share most with a text. Raises `Misuse` for a text without a word."""
        ranked, n_all = self._index.lexical(space, category, text, utc_s, n_wanted)
        return self._shown(ranked, utc_s), n_all

    def by_vector(
        self, space: str, category: str, model: str, query: bytes, utc_s: float, n_wanted: int
    ) -> tuple[list[Found], int]:
        """The facts nearest in meaning; none without vectors of this model. Raises `Misuse` for no vector."""
        check_row(query, len(query))
        if (model, len(query)) != (self.model, self._index.vectors.n_dims):
            return [], 0
        ranked, n_all = self._index.nearest(space, category, query, utc_s, n_wanted)
        return self._shown(ranked, utc_s), n_all

    def unindexed(self, space: str, model: str, utc_s: float, n_wanted: int) -> tuple[list[Fact], int]:
        """The oldest facts without a vector of this model, and how many have none."""
        if model != self.model:
            ranked, n_all = self._index.salient(space, "", utc_s, n_wanted)
            return [self._facts[fact_id] for fact_id, _ in ranked], n_all
        ids, n_all = self._index.without_vector(space, utc_s, n_wanted)
        return [self._facts[fact_id] for fact_id in ids], n_all

    def _shown(self, ranked: Ranked, utc_s: float) -> list[Found]:
        found = [(self._facts[fact_id], score) for fact_id, score in ranked]
        return [Found(fact, score, self._is_in_conflict(fact, utc_s)) for fact, score in found]

    def _is_in_conflict(self, fact: Fact, utc_s: float) -> bool:
        return len(self._values(fact.space, fact.category, fact.key, utc_s)) > 1

    @property
    def n_indexed(self) -> int:
        """How many facts have a vector."""
        return self._index.vectors.n_rows

    # Facts

    def fact_remembered(self, event: FactRemembered) -> None:
        """Apply a new fact."""
        self._last_id = event.fact_id
        self._put(Fact(*event))
        self._totals.add("fact", "remembered")

    def _put(self, fact: Fact) -> None:
        fact = fact._replace(
            space=intern(fact.space), category=intern(fact.category), agent=intern(fact.agent), path=intern(fact.path)
        )
        self._facts[fact.fact_id] = fact
        self._orders.setdefault(fact.space, {})[fact.fact_id] = None
        if fact.expires_utc_s:
            self._ends.add((fact.expires_utc_s, fact.fact_id))
        self._index.add(fact)

    def fact_confirmed(self, event: FactConfirmed) -> None:
        """Apply a confirmation."""
        before = self._facts[event.fact_id]
        self._ends.discard((before.expires_utc_s, event.fact_id))
        fact = self._facts[event.fact_id] = before._replace(
            confidence=event.confidence,
            confirmed_utc_s=event.at_utc_s,
            expires_utc_s=event.expires_utc_s,
            n_confirmed=before.n_confirmed + 1,
        )
        if fact.expires_utc_s:
            self._ends.add((fact.expires_utc_s, event.fact_id))
        order = self._orders[fact.space]
        del order[event.fact_id]
        order[event.fact_id] = None
        self._index.refresh(fact)
        self._totals.add("fact", "confirmed")

    def fact_forgotten(self, event: FactForgotten) -> None:
        """Apply the end of a fact."""
        fact = self._facts.pop(event.fact_id)
        self._ends.discard((fact.expires_utc_s, event.fact_id))
        order = self._orders[fact.space]
        del order[event.fact_id]
        if not order:
            del self._orders[fact.space]
        self._index.remove(fact)
        self._totals.add("forgotten", event.reason)

    def index_begun(self, event: IndexBegun) -> None:
        """Apply that vectors are those of another model."""
        self.model = event.model
        self._index.begin(event.n_dims)

    def fact_indexed(self, event: FactIndexed) -> None:
        """Apply a vector."""
        self._index.put_vector(event.fact_id, event.row)

    # The state

    def rows(self) -> Iterator[list[Any]]:
        """The state: what was given out, the facts of each space in the order of their use, then their vectors."""
        yield ["last", self._last_id, self.model, self._index.vectors.n_dims]
        for _, order in sorted(self._orders.items()):
            yield from (["fact", *self._facts[fact_id]] for fact_id in order)
        yield from (["vector", *row] for row in self._index.vector_rows())

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`, in their order."""
        match row:
            case ["last", last_id, model, n_dims]:
                self._last_id, self.model = last_id, model
                self._index.begin(n_dims)
            case ["fact", *fields]:
                self._put(Fact._make(fields))
            case ["vector", fact_id, vector]:
                self._index.put_vector(fact_id, vector)

    def check_invariants(self) -> None:
        """Each index is what a new one of the same facts would be."""
        again = FactIndex()
        for fact in self._facts.values():
            again.add(fact)
        kept, anew = self._index.account(), again.account()
        if kept != anew:
            raise InvariantBroken("an index of the facts is not what the facts make it")
        ends = {(fact.expires_utc_s, fact.fact_id) for fact in self._facts.values() if fact.expires_utc_s}
        n_ordered = sum(map(len, self._orders.values()))
        if set(self._ends) != ends or n_ordered != len(self._facts) or len(self._facts) > self._limits.max_facts:
            raise InvariantBroken(f"{len(self._facts)} facts, {n_ordered} in order, {len(self._ends)} that expire")
