"""Numbers of facts by slot, in arrays that grow by doubling, and the choice of the best of them."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

_FIRST: Final = 1_024
_ID_BITS: Final = 40
_STEPS: Final = 1_000
"""Scores are told apart to a thousandth; what is closer is a tie, and the newer fact comes first."""


class Column:
    """One number or one row of numbers for each slot."""

    def __init__(self, dtype: Any, fill: float = 0, width: int = 0) -> None:
        self._fill = fill
        shape = (_FIRST, width) if width else (_FIRST,)
        self.values: npt.NDArray[Any] = np.full(shape, fill, dtype=dtype)

    def __setitem__(self, slot: int, value: Any) -> None:
        n_slots = len(self.values)
        if slot >= n_slots:
            more = np.full((max(n_slots, slot + 1 - n_slots), *self.values.shape[1:]), self._fill, self.values.dtype)
            self.values = np.concatenate([self.values, more])
        self.values[slot] = value

    def clear(self, slot: int) -> None:
        """Back to what an unused slot has."""
        self.values[slot] = self._fill


def best(
    slots: npt.NDArray[np.uint32], scores: npt.NDArray[Any], ids: npt.NDArray[np.int64], n_wanted: int
) -> npt.NDArray[np.int64]:
    """The places in `slots` of the best scores, best first; of equal ones the higher id first."""
    ranks = (np.rint(scores * _STEPS).astype(np.int64) << _ID_BITS) | ids
    n_wanted = min(n_wanted, len(slots))
    if not n_wanted:
        return np.empty(0, dtype=np.int64)
    chosen = np.argpartition(ranks, len(ranks) - n_wanted)[len(ranks) - n_wanted :]
    return chosen[np.argsort(-ranks[chosen])]
