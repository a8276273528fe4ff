"""Counters by name, for the statistics. The names are ours, so there are only so many."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple


class Count(NamedTuple):
    """A counter by its name."""

    name: str
    n: int


class Tally:
    """Sums that only grow, by (kind, name)."""

    def __init__(self) -> None:
        self._sums: dict[tuple[str, str], int] = {}

    def __getitem__(self, key: tuple[str, str]) -> int:
        """The sum so far."""
        return self._sums.get(key, 0)

    def add(self, kind: str, name: str = "", n: int = 1) -> None:
        """Add to a sum."""
        self._sums[kind, name] = self[kind, name] + n

    def counts(self, kind: str) -> tuple[Count, ...]:
        """The sums of one kind, by name."""
        return tuple(Count(name, n) for (found, name), n in sorted(self._sums.items()) if found == kind)

    def rows(self) -> Iterator[list[Any]]:
        """The state, sorted."""
        return ([*key, n] for key, n in sorted(self._sums.items()))

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        self._sums[row[0], row[1]] = row[2]
