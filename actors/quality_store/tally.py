"""Counters by two names, bounded in number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from actors.quality_store.path import OTHER

Key = tuple[str, str]


class Tally:
    """Sums that only grow, kept by (first, second), `width` of them in a row.

    When the rows are used up, whatever is new is added to ("other", second); so there are never more rows than asked
    for, and one more for each second name.
    """

    def __init__(self, width: int = 1) -> None:
        self._nothing = (0,) * width
        self._sums: dict[Key, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self._sums)

    def place(self, key: Key, max_rows: int) -> Key:
        """The row that `key` is counted in."""
        return key if key in self._sums or len(self._sums) < max_rows else (OTHER, key[1])

    def add(self, key: Key, *amounts: int) -> None:
        """Add to the sums of a row; one and no more if `amounts` is left out."""
        sums = self._sums.get(key, self._nothing)
        self._sums[key] = tuple([have + more for have, more in zip(sums, amounts or (1,), strict=True)])

    def __getitem__(self, key: Key) -> int:
        """The first sum of a row; 0 if nothing was counted."""
        return self._sums.get(key, self._nothing)[0]

    def rows(self) -> Iterator[list[Any]]:
        """The state, sorted by name."""
        return ([*key, *self._sums[key]] for key in sorted(self._sums))

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        self._sums[row[0], row[1]] = tuple(row[2:])
