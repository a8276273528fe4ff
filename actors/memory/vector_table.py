"""Vectors of facts by slot: one signed byte a number to compare by, and one bit a number to choose by first.

Bits are a random-hyperplane sketch with the axes as planes (Charikar 2002): vectors that point the same way share most
of them. So only the nearest by bits are compared by cosine, and a hundred thousand take two milliseconds.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from actors.memory.column import Column
from actors.memory.limit import MAX_DIMS
from actors.runtime.errors import Misuse

N_COMPARED: Final = 400
NOTHING: Final = b""
"""The row of a text that a model knows nothing of: it is kept, so that nobody asks again, and never found."""
_BLANK: Final = -1.0
_LARGEST: Final = 127.0
_WORD_BITS: Final = 64


def quantised(vector: npt.NDArray[np.float32]) -> bytes:
    """A vector as one signed byte a number; its direction is kept to a hundredth, its length is not."""
    largest = float(np.abs(vector).max(initial=0.0))
    scaled = vector * (_LARGEST / largest) if largest else np.zeros_like(vector)
    return np.rint(scaled).astype(np.int8).tobytes()


def check_row(row: bytes, n_dims: int) -> None:
    """Raise `Misuse` unless the row has `n_dims` numbers, not all of them zero."""
    if not 0 < n_dims <= MAX_DIMS or len(row) != n_dims:
        raise Misuse(
            f"a vector of {len(row)} bytes has not {n_dims} numbers, or more than {MAX_DIMS}: give one byte each"
        )
    if not any(row):
        raise Misuse("a vector of zeros points nowhere: leave it out")


class VectorTable:
    """Vectors of one model."""

    def __init__(self, n_dims: int) -> None:
        self.n_dims = n_dims
        self._n_words = -(-n_dims // _WORD_BITS)
        self._rows = Column(np.int8, width=n_dims)
        self._bits = Column(np.uint64, width=self._n_words)
        self._lengths = Column(np.float32)
        self.n_rows = 0

    def put(self, slot: int, row: bytes) -> None:
        """Give a slot its vector."""
        self.n_rows += not self.has(slot)
        if row == NOTHING:
            self._lengths[slot] = _BLANK
            return
        vector = np.frombuffer(row, dtype=np.int8)
        self._rows[slot] = vector
        self._bits[slot] = self._sketch(vector)
        self._lengths[slot] = np.linalg.norm(vector.astype(np.float32))

    def drop(self, slot: int) -> None:
        """Take a slot's vector away, if it has one."""
        if self.has(slot):
            self.n_rows -= 1
            self._lengths.clear(slot)

    def has(self, slot: int) -> bool:
        """Whether the slot has a vector, or is known to have none."""
        return slot < len(self._lengths.values) and bool(self._lengths.values[slot])

    def lengths(self, slots: npt.NDArray[np.uint32]) -> npt.NDArray[np.float32]:
        """The vectors' lengths: above 0, or 0 for a slot without one, below 0 for one that is known to have none."""
        found = np.zeros(len(slots), dtype=np.float32)
        known = slots < len(self._lengths.values)
        found[known] = self._lengths.values[slots[known]]
        return found

    def row(self, slot: int) -> bytes:
        """The row that was put for a slot."""
        return bytes(self._rows.values[slot].tobytes()) if self._lengths.values[slot] > 0 else NOTHING

    def _sketch(self, vector: npt.NDArray[np.int8]) -> npt.NDArray[Any]:
        padded = np.zeros(self._n_words * _WORD_BITS, dtype=np.uint8)
        padded[: self.n_dims] = vector > 0
        return np.packbits(padded).view(np.uint64)

    def nearest(
        self, query: bytes, slots: npt.NDArray[np.uint32], ids: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.float32]]:
        """Of slots that have vectors those nearest by bits, `N_COMPARED` at most, and their cosines to the query."""
        vector = np.frombuffer(query, dtype=np.int8)
        if len(slots) > N_COMPARED:
            differing = np.bitwise_count(self._bits.values[slots] ^ self._sketch(vector)).sum(axis=1, dtype=np.int64)
            ranks = (differing << 40) - ids
            slots = slots[np.argpartition(ranks, N_COMPARED)[:N_COMPARED]]
        wanted = vector.astype(np.float32)
        products = self._rows.values[slots].astype(np.float32) @ wanted
        return slots, products / (self._lengths.values[slots] * np.linalg.norm(wanted))
