"""Vectors that one model has computed before, by text; least recently used out."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from hashlib import blake2b
from typing import Final

import numpy as np
import numpy.typing as npt

KEY_BYTES: Final = 16
LONGEST_KEY: Final = 64

Key = str | bytes


def keys_of(texts: Sequence[str]) -> list[Key]:
    """What texts are kept under: short ones, as most lines are, under themselves, others under a hash of 16 bytes."""
    return [text if len(text) <= LONGEST_KEY else _digest(text) for text in texts]


def _digest(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=KEY_BYTES).digest()


class VectorCache:
    """At most `max_vectors` rows of `n_dims` float32; 0 keeps nothing.

    The rows lie in one array that the system backs as they are written, so that an empty cache costs next to nothing.
    """

    def __init__(self, max_vectors: int, n_dims: int) -> None:
        self._rows = np.empty((max_vectors, n_dims), dtype=np.float32)
        self._slots: OrderedDict[Key, int] = OrderedDict()

    def __len__(self) -> int:
        return len(self._slots)

    def find(self, keys: Sequence[Key]) -> tuple[npt.NDArray[np.float32], list[int]]:
        """A new array [len(keys), n_dims], and the indices of the keys whose rows in it are not known yet."""
        found = np.empty((len(keys), self._rows.shape[1]), dtype=np.float32)
        slots = [self._slots.get(key, -1) for key in keys]
        known = [index for index, slot in enumerate(slots) if slot >= 0]
        for index in known:
            self._slots.move_to_end(keys[index])
        if known:
            found[known] = self._rows[[slots[index] for index in known]]
        return found, [index for index, slot in enumerate(slots) if slot < 0]

    def put(self, keys: Sequence[Key], rows: npt.NDArray[np.float32]) -> None:
        """Keep the rows [len(keys), n_dims]; of more than fit, the last."""
        n_most = len(self._rows)
        if n_most == 0:
            return
        last = {key: index for index, key in enumerate(keys[-n_most:], start=max(0, len(keys) - n_most))}
        slots = self._slots_for(last)
        self._rows[slots] = rows if len(last) == len(rows) else rows[list(last.values())]

    def _slots_for(self, keys: Collection[Key]) -> list[int]:
        """A slot for each of these distinct keys, which are the most recently used from now on."""
        slots, n_most = self._slots, len(self._rows)
        free = [slots.pop(key) for key in keys if key in slots]
        first_unused = len(slots) + len(free)
        free += range(first_unused, min(n_most, first_unused + len(keys) - len(free)))
        while len(free) < len(keys):
            free.append(slots.popitem(last=False)[1])
        slots.update(zip(keys, free, strict=True))
        return free
