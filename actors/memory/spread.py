"""A map in many small dicts: one that grows past half a million keys would stall its owner while it moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Generic, TypeVar
from zlib import crc32

Value = TypeVar("Value")
_N_PARTS: Final = 256


class Spread(Generic[Value]):
    """Values by text. Which part a key is in is the same on every machine."""

    def __init__(self) -> None:
        self._parts: list[dict[str, Value]] = [{} for _ in range(_N_PARTS)]

    def __len__(self) -> int:
        return sum(map(len, self._parts))

    def __iter__(self) -> Iterator[str]:
        return (key for part in self._parts for key in part)

    def part_of(self, key: str) -> dict[str, Value]:
        """The small dict that the key belongs in."""
        return self._parts[crc32(key.encode("utf-8", "surrogatepass")) % _N_PARTS]

    def get(self, key: str) -> Value | None:
        """The value; None if there is none."""
        return self.part_of(key).get(key)
