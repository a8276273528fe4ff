"""Which fact a later one follows from: the newest fact that is known by a key, such as a lease's number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

MAX_KNOWN: Final = 200_000


class Threads:
    """References of facts by what they are known as; the 200,000 that were used last are remembered."""

    def __init__(self, max_known: int = MAX_KNOWN) -> None:
        self._max_known = max_known
        self._refs: dict[tuple[object, ...], str] = {}

    def know(self, key: tuple[object, ...], ref: str) -> None:
        """From now on the key means this fact."""
        self._refs.pop(key, None)
        self._refs[key] = ref
        if len(self._refs) > self._max_known:
            del self._refs[next(iter(self._refs))]

    def of(self, *key: object) -> tuple[str, ...]:
        """The fact that is known so; nothing if there is none any more."""
        ref = self._refs.get(key)
        return () if ref is None else (ref,)

    def take(self, *key: object) -> tuple[str, ...]:
        """The same, once."""
        found = self.of(*key)
        self._refs.pop(key, None)
        return found

    def of_each(self, keys: Iterable[tuple[object, ...]]) -> tuple[str, ...]:
        """The same for several."""
        return tuple(ref for key in keys for ref in self.of(*key))
