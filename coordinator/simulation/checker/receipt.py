"""A client says that it has received what it has heard, and nothing else."""

from __future__ import annotations

from typing import Any, ClassVar, Final

from coordinator.simulation.checker.rule import Record, Rule
from coordinator.simulation.history import IMPOSTOR, Heard, Message, Sent

UNREAD: Final = ("unavailable", "corrupt", "invariant_broken")
"""Errors of an actor that has not looked at a request; a process before it may have carried it out all the same."""


class Receipts(Rule):
    """What counts as received was answered, or its giving up was told and heard.

    Of anything else nobody knows whether it took effect; if it did, nothing would undo it any more.
    """

    name: ClassVar[str] = "what counts as received was heard"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._sent: dict[int, Sent] = {}
        self._open: dict[tuple[str, str], dict[int, int]] = {}

    def saw(self, record: Record) -> None:
        """Requests, and what was heard of them."""
        match record:
            case Sent(who=who, session_id=session_id) if session_id and who != IMPOSTOR:
                self._sent[record.call] = record
                self._take(record, self._open.setdefault((record.actor, session_id), {}))
            case Heard() if record.call in self._sent and not was_turned_away(record.answers):
                sent = self._sent[record.call]
                unheard = self._open[sent.actor, sent.session_id]
                for number in (sent.number, *sent.abandoned):
                    unheard.pop(number, None)

    def _take(self, sent: Sent, unheard: dict[int, int]) -> None:
        for number in [number for number in unheard if number <= sent.received_through]:
            self.broken(
                f"{sent.session_id} counts its request {number} as received, of which it has heard nothing for certain",
                unheard.pop(number),
            )
        if sent.number:
            unheard.setdefault(sent.number, self.place)


def was_turned_away(answers: tuple[Message, ...]) -> bool:
    """Whether these answers say that a request may not have been read."""
    return all(one[0] == "busy" or (one[0] == "failed" and one[1] in UNREAD) for one in answers)
