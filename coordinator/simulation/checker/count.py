"""Counters equal what the history says."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from coordinator.simulation.checker.rule import Record, Rule
from coordinator.simulation.history import Arrived, Message, Opened, Replied, Sent


class Counters(Rule):
    """What `statistics` tells was true at a moment between the question and the answer, and is in the store.

    When nothing happens in between, that is: equal.
    """

    name: ClassVar[str] = "counters equal the history"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._before: dict[tuple[int, int], tuple[Counter[str], dict[str, int]]] = {}
        self._asked: set[int] = set()
        self._writer = 0

    def _gauges(self) -> dict[str, int]:
        book = self.book
        return {
            "leases": len(book.leases),
            "waiters": len(book.waiters),
            "sessions": len(book.sessions),
            "spaces": len(book.spaces),
        }

    def saw(self, record: Record) -> None:
        """Remember what was true when a question came."""
        match record:
            case Sent(commands=(["field_statistics"],)):
                self._asked.add(record.call)
            case Arrived(actor="scent_field") if record.call in self._asked:
                self._before.setdefault((record.process, record.call), (Counter(self.book.counters), self._gauges()))
            case Opened(actor="scent_field"):
                self._writer = record.process
            case Replied(actor="scent_field"):
                self._judge(record)

    def _judge(self, replied: Replied) -> None:
        before = self._before.pop((replied.process, replied.call), None)
        for answer in replied.answers:
            if answer[0] == "field_counts" and before is not None and replied.process == self._writer:
                self._compare_counters(answer, before[0])
                if before[0] == self.book.counters:
                    self._compare_gauges(answer, before[1])

    def _compare_counters(self, answer: Message, before: Counter[str]) -> None:
        for name, value in answer[2]:
            low, high = before[name], self.book.counters[name]
            if not low <= value <= high:
                self.broken(
                    f"{name} is told to be {value}; the history says {low}{f' to {high}' if high > low else ''}"
                )

    def _compare_gauges(self, answer: Message, before: dict[str, int]) -> None:
        now = self._gauges()
        for name, value in answer[1]:
            if name in now and value not in (before[name], now[name]):
                self.broken(f"{name} is told to be {value}; the history says {now[name]}")
