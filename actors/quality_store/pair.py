"""How edits fare that were written from one kind of view of one kind of file.

A pair is (extension, mode). It becomes risky on enough failures and stays so until the rate has fallen well below where
it began, so that one lucky edit does not bring back a mode that keeps breaking edits.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from typing import Any, NamedTuple

from actors.quality_store.limit import Limits

Key = tuple[str, str]


class Pair(NamedTuple):
    """The evidence on one (extension, mode).

    `anchored_at` is the UTC second of the last failure, or of the first record while there is none: decay counts from
    it. `number` orders evictions: that of the last failure, or of the last record while there is none.
    """

    n_fails: int
    n_successes: int
    risky: bool
    anchored_at: float
    number: int

    @property
    def fail_rate(self) -> float:
        """The share of failures among the recorded edits, 0 to 1."""
        return fail_rate(self.n_fails, self.n_successes)

    def after(self, failed: bool, risky: bool, at_utc_s: float, number: int) -> Pair:
        """The pair with one more outcome."""
        if failed:
            return Pair(self.n_fails + 1, self.n_successes, risky, at_utc_s, number)
        kept = self.number if self.n_fails else number
        return Pair(self.n_fails, self.n_successes + 1, risky, self.anchored_at, kept)


NO_EVIDENCE = Pair(0, 0, False, 0.0, 0)


def fail_rate(n_fails: int, n_successes: int) -> float:
    """Failures as a share of all; 0.0 while there is nothing."""
    n_all = n_fails + n_successes
    return n_fails / n_all if n_all else 0.0


def is_risky(was_risky: bool, n_fails: int, n_successes: int, limits: Limits) -> bool:
    """The hysteresis: enter at `enter_fail_rate` or above with `min_fails` failures, leave below `exit_fail_rate`."""
    rate = fail_rate(n_fails, n_successes)
    if was_risky:
        return rate >= limits.exit_fail_rate
    return n_fails >= limits.min_fails and rate >= limits.enter_fail_rate


class Pairs:
    """All pairs, the one whose last failure is longest ago first."""

    def __init__(self) -> None:
        self._pairs: dict[Key, Pair] = {}

    def __len__(self) -> int:
        return len(self._pairs)

    def __contains__(self, key: Key) -> bool:
        return key in self._pairs

    def get(self, key: Key, not_before_s: float) -> Pair | None:
        """The pair, unless it is not there or was anchored before `not_before_s`."""
        pair = self._pairs.get(key)
        return pair if pair is not None and pair.anchored_at >= not_before_s else None

    def live(self, not_before_s: float) -> Iterator[tuple[Key, Pair]]:
        """The pairs that have not decayed."""
        return (item for item in self._pairs.items() if item[1].anchored_at >= not_before_s)

    def decayed(self, not_before_s: float) -> list[Key]:
        """The pairs anchored before `not_before_s`; touches no others."""
        return [key for key, _ in takewhile(lambda item: item[1].anchored_at < not_before_s, self._pairs.items())]

    def first_out(self) -> Key:
        """The pair to evict: the longest untouched of those without a failure, else the one with the oldest failure."""
        return min(self._pairs, key=self._rank)

    def _rank(self, key: Key) -> tuple[bool, int]:
        pair = self._pairs[key]
        return pair.n_fails > 0, pair.number

    def record(self, key: Key, failed: bool, risky: bool, at_utc_s: float, number: int) -> None:
        """Add one outcome; `number` grows with each call."""
        pair = self._pairs.get(key) or NO_EVIDENCE._replace(anchored_at=at_utc_s)
        if failed:
            self._pairs.pop(key, None)  # so that it goes to the end: the order is that of the anchors
        self._pairs[key] = pair.after(failed, risky, at_utc_s, number)

    def drop(self, key: Key) -> None:
        """Forget a pair."""
        del self._pairs[key]

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order."""
        return ([*key, *pair] for key, pair in self._pairs.items())

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        self._pairs[row[0], row[1]] = Pair._make(row[2:])
