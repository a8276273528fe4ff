"""One writer, nothing lost from the store, clocks that never run back, and damage that is noticed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from coordinator.simulation.checker.rule import Committed, Record, Rule
from coordinator.simulation.checker.terms import EPSILON_S
from coordinator.simulation.history import Mended, Opened, Stalled, Stopped, Torn, Troubled

MAX_JUMP_S = 86_400.0
MAX_STEP_S = 2.0


@dataclass(slots=True)
class Shelf:
    """What is known of one actor's store and of its writer. `lag_s` is what the writer's field time may not count."""

    epoch: int = 0
    seq: int = 0
    writer: int = 0
    place: int = -1
    field_s: float = 0.0
    utc_s: float = 0.0
    at_s: float = 0.0
    opened_s: float = 0.0
    opened_field_s: float = 0.0
    lag_s: float = 0.0
    torn: int | None = None
    troubled_s: float | None = None
    writers: set[int] = field(default_factory=set)


class OneWriter(Rule):
    """Rows follow each other without a gap, by the writer that opened the store last; none is ever lost again.

    Field time runs no faster than the time in which the writer served, and wall time as committed never runs back.
    """

    name: ClassVar[str] = "one writer, one past"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._shelves: dict[str, Shelf] = {}

    def saw(self, record: Record) -> None:
        """All that concerns a store."""
        match record:
            case Committed():
                self._committed(self._shelf(record.actor), record)
            case Opened():
                self._opened(self._shelf(record.actor), record)
            case Torn():
                self._shelf(record.actor).torn = record.seq
            case Mended():
                self._mended(self._shelf(record.actor), record)
            case Troubled():
                self._troubled(self._shelf(record.actor), record)
            case Stalled():
                self._stalled(self._shelf(record.actor), record)
            case Stopped(why="fenced", process=process, actor=actor) if process == self._shelf(actor).writer:
                self.broken(f"the writer of {actor} was fenced off")

    def _shelf(self, actor: str) -> Shelf:
        return self._shelves.setdefault(actor, Shelf())

    def _committed(self, shelf: Shelf, row: Committed) -> None:
        if row.epoch != shelf.epoch or row.process != shelf.writer:
            self.broken(f"a writer of epoch {row.epoch} committed after epoch {shelf.epoch} had begun", shelf.place)
        expected = shelf.seq + (0 if row.is_tick else 1)
        if row.seq != expected:
            self.broken(f"row {row.seq} was committed where {expected} is next", shelf.place)
        self._check_clocks(shelf, row)
        shelf.seq, shelf.field_s, shelf.utc_s, shelf.at_s = row.seq, row.field_s, row.utc_s, row.at_s

    def _check_clocks(self, shelf: Shelf, row: Committed) -> None:
        if row.field_s < shelf.field_s or row.utc_s < shelf.utc_s:
            self.broken(f"time ran back: field {row.field_s - shelf.field_s:g} s, utc {row.utc_s - shelf.utc_s:g} s")
        served_s = row.at_s - shelf.opened_s - shelf.lag_s
        if row.field_s > shelf.opened_field_s + max(0.0, served_s) + MAX_STEP_S * (shelf.lag_s > 0.0) + EPSILON_S:
            self.broken(
                f"field time went on by {row.field_s - shelf.opened_field_s:.3f} s in {served_s:.3f} s of service",
                shelf.place,
            )
        if shelf.at_s >= shelf.opened_s and shelf.utc_s:
            elapsed_s = row.at_s - shelf.at_s
            if row.utc_s - shelf.utc_s > elapsed_s + MAX_JUMP_S + EPSILON_S:
                self.broken(f"a jump of the wall clock by {row.utc_s - shelf.utc_s:.0f} s was believed")

    def _opened(self, shelf: Shelf, opened: Opened) -> None:
        if opened.process < shelf.writer and opened.process in shelf.writers:
            self.broken(f"process {opened.process} took the store back from {shelf.writer}, its successor", shelf.place)
        if opened.epoch <= shelf.epoch:
            self.broken(f"epoch {opened.epoch} was opened after {shelf.epoch}", shelf.place)
        if shelf.torn is not None:
            self.broken(f"row {shelf.torn} is torn, and the store was opened as if it were not", shelf.place)
        elif opened.seq != shelf.seq:
            self.broken(f"row {shelf.seq} was committed, but the store was opened at row {opened.seq}", shelf.place)
        if opened.process != shelf.writer:
            shelf.lag_s, shelf.opened_s, shelf.opened_field_s = 0.0, opened.at_s, opened.field_s
            if opened.field_s < shelf.field_s - EPSILON_S:
                self.broken(
                    f"field time {shelf.field_s:.3f} was committed, but a start goes on from {opened.field_s:.3f}"
                )
        elif shelf.troubled_s is not None:
            shelf.lag_s += opened.at_s - shelf.troubled_s
        shelf.troubled_s = None
        shelf.writers.add(opened.process)
        shelf.epoch, shelf.writer, shelf.place = opened.epoch, opened.process, self.place

    def _stalled(self, shelf: Shelf, stalled: Stalled) -> None:
        """A stand-still counts as one step; what passes in trouble does not count anyway."""
        if stalled.process == shelf.writer and shelf.troubled_s is None:
            shelf.lag_s += max(0.0, stalled.for_s - MAX_STEP_S)

    def _mended(self, shelf: Shelf, mended: Mended) -> None:
        shelf.torn = None
        shelf.epoch += 1  # a cut raises it, so that a writer that is at work is fenced off
        if mended.seq != shelf.seq:
            self.broken(f"the operator cut after row {mended.seq}, but {shelf.seq} was the last one that was told of")

    def _troubled(self, shelf: Shelf, troubled: Troubled) -> None:
        if shelf.troubled_s is None and troubled.process == shelf.writer:
            shelf.troubled_s = self.at_s
        if troubled.code == "corrupt" and shelf.torn is None:
            self.broken(f"{troubled.actor} refuses its store, in which nothing was damaged")
        if troubled.code == "invariant_broken":
            self.broken(f"a bug stopped {troubled.actor}")
