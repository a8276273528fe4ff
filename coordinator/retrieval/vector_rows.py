"""The vectors of an index in memory: one signed byte a number, compared by cosine, all of them.

They follow the index by what was added; rows of sections that are gone are left, and dropped when they are a quarter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

ROWS_AT_ONCE: Final = 1_024
"""So many are turned to floats at once, in one place that is used again: it stays in the processor's cache."""


class VectorRows:
    """Rows [n, d] of one model by section number, ascending."""

    def __init__(self) -> None:
        self._ids: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)
        self._rows: npt.NDArray[np.int8] = np.empty((0, 0), dtype=np.int8)
        self._lengths: npt.NDArray[np.float32] = np.empty(0, dtype=np.float32)

    def __len__(self) -> int:
        return len(self._ids)

    @property
    def last_id(self) -> int:
        """The highest section number; 0 if there is none."""
        return int(self._ids[-1]) if len(self._ids) else 0

    @property
    def n_numbers(self) -> int:
        """How many numbers a row has; 0 while there are no rows."""
        return int(self._rows.shape[1])

    def extend(self, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Add vectors of sections with higher numbers, in their order."""
        if not vectors:
            return
        ids = np.array([section_id for section_id, _ in vectors], dtype=np.int64)
        rows = np.frombuffer(b"".join(numbers for _, numbers in vectors), dtype=np.int8).reshape(len(vectors), -1)
        self._rows = rows if not len(self) else np.concatenate([self._rows, rows])
        self._ids = np.concatenate([self._ids, ids])
        self._lengths = np.concatenate([self._lengths, _lengths_of(rows)])

    def nearest(self, query: npt.NDArray[np.float32], n_wanted: int) -> list[tuple[int, float]]:
        """The sections nearest to `query`, of unit length, by cosine, the nearest first; of equal ones the older."""
        if not len(self) or query.shape != (self._rows.shape[1],) or not query.any():
            return []
        cosines = self._products(query) / np.where(self._lengths > 0, self._lengths, 1)
        n = min(n_wanted, len(self))
        best = np.argpartition(-cosines, n - 1)[:n]
        order = best[np.lexsort((self._ids[best], -cosines[best]))]
        return [(int(self._ids[place]), float(cosines[place])) for place in order if cosines[place] > 0]

    def _products(self, query: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        """Each row's product with `query`."""
        wanted, products = query.astype(np.float32, copy=False), np.empty(len(self), dtype=np.float32)
        held = np.empty((ROWS_AT_ONCE, self._rows.shape[1]), dtype=np.float32)
        for start in range(0, len(self), ROWS_AT_ONCE):
            part = self._rows[start : start + ROWS_AT_ONCE]
            floats = held[: len(part)]
            np.copyto(floats, part)
            np.dot(floats, wanted, out=products[start : start + len(part)])
        return products


def _lengths_of(rows: npt.NDArray[np.int8]) -> npt.NDArray[np.float32]:
    parts = (rows[start : start + ROWS_AT_ONCE].astype(np.float32) for start in range(0, len(rows), ROWS_AT_ONCE))
    return np.concatenate([np.sqrt(np.einsum("nd,nd->n", part, part)) for part in parts])
