"""The body of a map: markers alone, which tile the file and name its units.

    …a3f1 1-310 L1-24,Parser,.parse,.next,helper
    …a3f1 311-620 Token,.is_open,+4

That is the least that still lets an agent choose what to expand; signatures are a mode of their own.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence, Set
from itertools import accumulate
from typing import Final

from coordinator.reading.marker import format_marker
from coordinator.reading.unit import Outline, Unit
from coordinator.reading.unit_names import SEPARATOR, can_shorten, join_names, short_name

MAX_SHARE: Final = 0.15  # of a file's characters, for names; the largest units have theirs
MIN_CHARACTERS: Final = 1_200  # that names may have anyhow: about 300 tokens
MAX_CHARACTERS: Final = 240  # of the names in one marker
FEW_CHARACTERS: Final = 120  # of names, after which the next class or function begins another marker


class _Group:
    """Units that follow one another under one marker, which stands for the lines from `first` on."""

    def __init__(self, first: int, *, shortens: bool) -> None:
        self.first = first
        self._shortens = shortens
        self.names: list[str] = []  # as they are printed
        self.n_more = 0
        self._n_characters = 0
        self._last = ""

    def takes(self, unit: Unit, *, is_inside: bool) -> bool:
        """Whether there is room for its name; what is inside nothing begins another marker earlier."""
        if not is_inside and self._n_characters > FEW_CHARACTERS:
            return False
        return not self.names or self._n_characters + len(self._printed(unit)) <= MAX_CHARACTERS

    def add(self, unit: Unit) -> None:
        """Name it."""
        name = self._printed(unit)
        self.names.append(name)
        self._n_characters += len(name) + len(SEPARATOR)
        self._last = unit.name

    def _printed(self, unit: Unit) -> str:
        return short_name(unit.name, self._last) if self._shortens else unit.name


def contents(outline: Outline, lines: Sequence[str], tag: str) -> str:
    """The markers of a map."""
    groups = _grouped(outline.units, _with_names(outline.units, lines))
    ends = [*(group.first - 1 for group in groups[1:]), len(lines)]
    return "".join(
        format_marker(tag, group.first, end, join_names(group.names, group.n_more))
        for group, end in zip(groups, ends, strict=True)
    )


def _grouped(units: Sequence[Unit], named: Set[Unit]) -> list[_Group]:
    shortens = can_shorten(unit.name for unit in units)
    groups = [_Group(1, shortens=shortens)]
    last = 0
    for unit in units:
        first = unit.lines[0]
        takes = unit in named and groups[-1].takes(unit, is_inside=first <= last)
        if unit in named and not takes and first > groups[-1].first:
            groups.append(_Group(first, shortens=shortens))
            takes = True
        if takes:
            groups[-1].add(unit)
        else:
            groups[-1].n_more += 1
        last = max(last, unit.lines[1])
    return groups


def _with_names(units: Sequence[Unit], lines: Sequence[str]) -> Set[Unit]:
    """As many of the largest units as there is room for; of equally large ones the first."""
    sizes = list(accumulate(map(len, lines), initial=0))
    room = max(MIN_CHARACTERS, sizes[-1] * MAX_SHARE)
    by_size = sorted(units, key=lambda unit: sizes[unit.lines[0] - 1] - sizes[unit.lines[1]])
    taken = accumulate(len(unit.name) + len(SEPARATOR) for unit in by_size)
    return frozenset(by_size[: bisect_right(list(taken), room)])
