"""How edits ended, by the extension of their file, the mode of the agent's last view of it, and the cause."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from actors.quality_store.path import OTHER

NO_MODE: Final = "none"
"""The agent had not seen the file through Scentfield."""

Key = tuple[str, str, str]


class EditRow(NamedTuple):
    """So many edits of files of this extension, from a view of this mode, ended by this cause."""

    extension: str
    mode: str
    cause: str
    n: int


class EditCounts:
    """Sums by (extension, mode, cause); when the rows are used up, new extensions are counted as "other"."""

    def __init__(self) -> None:
        self._sums: dict[Key, int] = {}

    def add(self, key: Key, max_rows: int) -> None:
        """Count one."""
        placed = key if key in self._sums or len(self._sums) < max_rows else (OTHER, *key[1:])
        self._sums[placed] = self._sums.get(placed, 0) + 1

    def edit_rows(self) -> tuple[EditRow, ...]:
        """The sums, sorted by name."""
        return tuple(EditRow(*key, n) for key, n in sorted(self._sums.items()))

    def rows(self) -> Iterator[list[Any]]:
        """The state, sorted by name."""
        return (list(row) for row in self.edit_rows())

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        self._sums[row[0], row[1], row[2]] = row[3]
