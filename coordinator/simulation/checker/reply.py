"""Whoever asks is answered."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from coordinator.simulation.checker.rule import Record, Rule
from coordinator.simulation.history import Arrived, Finished, Replied, Stopped


class Answers(Rule):
    """Each copy of a request that has come to a process is answered, unless the process ends first.

    The answer may be that it has to come again; but no caller waits until its own patience ends.
    """

    name: ClassVar[str] = "whoever asks is answered"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._open: Counter[tuple[str, int, int]] = Counter()
        self._places: dict[tuple[str, int, int], int] = {}

    def saw(self, record: Record) -> None:
        """Count copies that have come against answers."""
        match record:
            case Arrived():
                copy = (record.actor, record.process, record.call)
                self._open[copy] += 1
                self._places[copy] = self.place
            case Replied():
                self._open -= Counter([(record.actor, record.process, record.call)])
            case Stopped():
                gone = (record.actor, record.process)
                self._open = Counter({copy: n for copy, n in self._open.items() if copy[:2] != gone})
            case Finished():
                for copy in sorted(self._open):
                    self.broken(f"call {copy[2]} was never answered by {copy[0]}/{copy[1]}", self._places[copy])
