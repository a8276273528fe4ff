"""What a rule of the checker is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple, TypeAlias

from coordinator.simulation.checker.book import Book
from coordinator.simulation.history import Committed, Record
from coordinator.simulation.universe import any_meet

__all__ = ["Book", "Committed", "Find", "Finding", "Record", "Rule", "any_meet"]


class Finding(NamedTuple):
    """A broken promise: the rule's name, when, what, and the places in the history that show it."""

    rule: str
    at_s: float
    message: str
    places: tuple[int, ...]


Find: TypeAlias = Callable[[Finding], None]


class Rule:
    """One promise. Sees the scent field's facts before and after the book takes them, and all records.

    `place` is where in the history the record stands that is read; `row` has the scent field's facts.
    """

    row: Committed

    name: ClassVar[str] = ""

    def __init__(self, book: Book, find: Find) -> None:
        self.book = book
        self._find = find
        self.place = 0
        self.at_s = 0.0

    def broken(self, message: str, *places: int) -> None:
        """Report; the place that is being read is added."""
        shown = tuple(sorted({*(one for one in places if one >= 0), self.place}))
        self._find(Finding(self.name, self.at_s, message, shown))

    def fact(self, event: Any) -> None:
        """A committed fact of the scent field, before the book takes it."""

    def settled(self) -> None:
        """All facts of `row` are in the book."""

    def saw(self, record: Record) -> None:
        """Any record, in order; a row of the scent field after `settled`."""
