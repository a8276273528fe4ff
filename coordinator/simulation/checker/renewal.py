"""What its holder has asked for again is not undone, nor given back by whoever had it for a moment."""

from __future__ import annotations

from typing import Any, ClassVar

from actors.runtime.request_memory import Abandoned, Answered, AnsweredIdly, Parked
from actors.scent_field.event import LeaseEnded
from coordinator.simulation.checker.entry import Lease
from coordinator.simulation.checker.rule import Record, Rule
from coordinator.simulation.history import Message, Sent


class RenewalsStay(Rule):
    """A claim that was granted again is ended by a release, and not by the giving up of its first request.

    What a request ended stands in the row just before the fact that it was answered or given up.
    """

    name: ClassVar[str] = "what was asked for again stays"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._commands: dict[tuple[str, int], tuple[Message, ...]] = {}
        self._ended: list[Lease] = []

    def saw(self, record: Record) -> None:
        """Questions."""
        if isinstance(record, Sent) and record.actor == "scent_field" and record.number:
            self._commands[record.session_id, record.number] = record.commands

    def fact(self, event: Any) -> None:
        """Ends of claims, and what they came from."""
        match event:
            case LeaseEnded(reason="released") if event.lease_id in self.book.leases:
                self._ended.append(self.book.leases[event.lease_id])
            case Abandoned():
                self._check(f"request {event.number} of {event.session_id} was given up")
            case Answered():
                commands = self._commands.get((event.session_id, event.number), ())
                if any(command[0] == "give_back" for command in commands):
                    self._check(f"{event.session_id} gave back what it had for a moment")
                self._ended.clear()
            case AnsweredIdly() | Parked():
                self._ended.clear()

    def _check(self, how: str) -> None:
        for lease in self._ended:
            if lease.renewed:
                self.broken(f"{how}, and with it ended {', '.join(lease.targets)}, claimed again since", lease.row)
        self._ended.clear()

    def settled(self) -> None:
        """What ended last had another cause."""
        self._ended.clear()
