"""The smallest piece of a file that has a name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

UnitKind = Literal["function", "class", "section", "imports", "run", "block"]
LineRange = tuple[int, int]

DEFINITIONS: Final[frozenset[UnitKind]] = frozenset({"function", "class", "section"})
_RESERVED_NAME = re.compile(r"L\d+-\d+|\+\d+")  # a name of lines; how many more units a marker stands for


@dataclass(frozen=True, slots=True)
class Unit:
    """A definition, a run of statements between definitions, or a block of text.

    All line numbers are 1-based and inclusive. `lines` holds the decorators and the leading comment; a class's also
    hold its methods, which are units of their own, and so do other containers: modules, objects, sections. `signature`
    goes to the last line before the body; `decorated_at` is the line of the first decorator, attribute or annotation,
    or the signature's first. `summary` is the first line of the documentation, in the body or above the definition
    (with the opening quotes' or comment's line where they stand alone).
    """

    name: str
    kind: UnitKind
    lines: LineRange
    signature: LineRange
    decorated_at: int
    summary: LineRange | None = None

    @property
    def is_definition(self) -> bool:
        """Whether the source gave it a name; others are named by their lines."""
        return self.kind in DEFINITIONS


@dataclass(frozen=True, slots=True)
class Outline:
    """The units of one file by first line, a class before its methods.

    `fallback` says, in a few words, why they are not what was asked for; empty if they are.
    """

    units: tuple[Unit, ...]
    fallback: str = ""

    def find(self, name: str) -> Unit | None:
        """The unit called exactly `name`."""
        return next((unit for unit in self.units if unit.name == name), None)

    def owners(self, n_lines: int) -> list[Unit | None]:
        """The innermost unit of each line; index 0 is unused."""
        owners: list[Unit | None] = [None] * (n_lines + 1)
        for unit in self.units:
            first, last = unit.lines
            owners[first : last + 1] = [unit] * (last + 1 - first)
        return owners


def outline_in_order(units: Iterable[Unit], fallback: str = "") -> Outline:
    """The outline of `units`, given in any order."""
    return Outline(tuple(sorted(units, key=lambda unit: (unit.lines[0], -unit.lines[1]))), fallback)


def unit_by_lines(kind: UnitKind, first: int, last: int, summary: LineRange | None = None) -> Unit:
    """A unit that the source gave no name: `L10-42`."""
    return Unit(f"L{first}-{last}", kind, (first, last), (first, first), first, summary)


class NameCounter:
    """Gives repeated names their number: `f`, `f#2`, `f#3`."""

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}
        self._given: set[str] = set()

    def name(self, qualified: str) -> str:
        """`qualified`, with its number from the second time on; never a name that was given, or a reserved one."""
        count = self._counts.get(qualified, 0) + 1
        numbered = qualified if count == 1 else f"{qualified}#{count}"
        while numbered in self._given or _RESERVED_NAME.fullmatch(numbered):
            count += 1
            numbered = f"{qualified}#{count}"
        self._counts[qualified] = count
        self._given.add(numbered)
        return numbered


def line_groups(labels: Sequence[str], is_blank: Sequence[bool]) -> Iterable[tuple[str, int, int]]:
    """Stretches of lines with one label, as (label, first, last), 1-based; blank lines join but never end one."""
    current, first, last = "", 0, 0
    for number, (label, blank) in enumerate(zip(labels, is_blank, strict=True), start=1):
        if blank:
            continue
        if label != current:
            if current:
                yield current, first, last
            current, first = label, number
        last = number
    if current:
        yield current, first, last
