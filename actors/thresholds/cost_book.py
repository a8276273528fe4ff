"""The outcomes of views by what was read, how, and how large it was. They stay on this machine: no bundle has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from actors.runtime.errors import InvariantBroken
from actors.runtime.outbox import BOUNCE, EDIT_FAILURE, Note
from actors.runtime.tally import Tally
from actors.thresholds.cost import BUCKETS, MAX_COUNT, MAX_TOKENS, PRIORS, CostKey, Outcomes, outcomes_of, size_bucket
from actors.thresholds.daily_count import NO_COUNTS, NO_REST, DailyCounts
from actors.thresholds.event import CostEvicted, CostRecorded, CostRolled
from actors.thresholds.limit import N_DAYS

LOSSES: Final = frozenset((BOUNCE, EDIT_FAILURE))


class CostBook:
    """Daily outcomes by (extension, mode, bucket), those that were added to last at the end."""

    def __init__(self, max_rows: int, totals: Tally, record: Callable[[Any], None]) -> None:
        self._max_rows = max_rows
        self._totals = totals
        self._record = record
        self._counts: dict[CostKey, DailyCounts] = {}

    def __len__(self) -> int:
        return len(self._counts)

    def learn(self, note: Note, extension: str, today: int) -> str:
        """Count the outcome of a view; returns why it cannot be counted, or ""."""
        if note.mode not in PRIORS:
            return "mode"
        if note.n_total_tokens == 0 or not _are_counts(note.n_tokens, note.n_total_tokens, note.n_extra_tokens):
            return "numbers"
        key = CostKey(extension, note.mode, size_bucket(note.n_total_tokens))
        sizes = (note.n_tokens, note.n_total_tokens, note.n_extra_tokens)
        self._record(CostRecorded(*key, today, int(note.topic in LOSSES), *sizes))
        through = self._counts[key].due_through(today)
        if through != NO_REST:
            self._record(CostRolled(*key, through))
        while len(self._counts) > self._max_rows:
            self._record(CostEvicted(*next(iter(self._counts))))
        return ""

    def outcomes(self, today: int) -> Iterator[tuple[CostKey, Outcomes]]:
        """What was seen of each kind of view and still counts, sorted."""
        by_size = sorted(self._counts, key=lambda key: (key.extension, key.mode, BUCKETS.index(key.bucket)))
        return ((key, outcomes_of(self._counts[key], today)) for key in by_size)

    def n_of(self, extension: str) -> int:
        """How many costs there are of an extension; of all for ""."""
        return sum(1 for key in self._counts if extension in ("", key.extension))

    # Facts

    def cost_recorded(self, fact: CostRecorded) -> None:
        """Apply an outcome."""
        key = CostKey(*fact[:3])
        counts = self._counts.pop(key, NO_COUNTS)  # so that it goes to the end: the order is that of the last outcomes
        self._counts[key] = counts.added(fact.day, (1, *fact[4:]), max_count=MAX_COUNT)
        self._totals.add("outcome")

    def cost_rolled(self, fact: CostRolled) -> None:
        """Apply that days went into the rest."""
        key = CostKey(*fact[:3])
        self._counts[key] = self._counts[key].rolled(fact.through)

    def cost_evicted(self, fact: CostEvicted) -> None:
        """Apply the end of a cost."""
        self._totals.add("evicted", "cost")
        del self._counts[CostKey(*fact)]

    def forget(self, extension: str) -> None:
        """Forget the costs of an extension; all for ""."""
        self._counts = {key: counts for key, counts in self._counts.items() if extension not in ("", key.extension)}

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order."""
        for key, counts in self._counts.items():
            yield [
                *key,
                counts.through,
                list(counts.rest),
                [[day, list(row)] for day, row in sorted(counts.days.items())],
            ]

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        extension, mode, bucket, through, rest, days = row
        counts = DailyCounts(through, tuple(rest), {day: tuple(counts) for day, counts in days})
        self._counts[CostKey(extension, mode, bucket)] = counts

    def check_invariants(self) -> None:
        """No more losses than outcomes, no more days than are kept, none of them in the rest."""
        for key, counts in self._counts.items():
            if len(counts.days) > N_DAYS or any(day <= counts.through for day in counts.days):
                raise InvariantBroken(f"the days of the cost {key} do not fit: {counts}")
            for n, n_losses, *_ in counts.days.values():
                if n_losses > n:
                    raise InvariantBroken(f"the cost {key} has {n_losses} losses in {n} outcomes of one day")


def _are_counts(*numbers: int) -> bool:
    return all(0 <= number <= MAX_TOKENS for number in numbers)
