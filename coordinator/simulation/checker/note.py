"""What the quality store tells the scent field arrives once each, in order, and nothing is lost on the way."""

from __future__ import annotations

from typing import Any, ClassVar

from actors.runtime.outbox import BOUNCE, EDIT_FAILURE, Note, NotePut, NotesSent
from actors.runtime.received import NotesApplied
from actors.scent_field.event import SignalDeposited, SignalNoted
from coordinator.simulation.checker.rule import Committed, Record, Rule
from coordinator.simulation.history import Finished

RECEIVER = "scent_field"


class Notes(Rule):
    """Each committed note is applied once; none that was not committed is; none counts as sent before."""

    name: ClassVar[str] = "each note is applied once"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._put: list[tuple[Note, int]] = []
        self._applied = 0
        self._expected: list[tuple[str, str, str]] = []

    def fact(self, event: Any) -> None:
        """What the scent field makes of notes: the signals follow the fact that they were applied."""
        if isinstance(event, NotesApplied):
            self._check_done()
            self._apply(event)
        elif isinstance(event, (SignalDeposited, SignalNoted)) and self._expected:
            space, path, agent = self._expected.pop(0)
            if (event.space, event.target, event.agent_id) != (space, path, agent):
                self.broken(f"a note on {path} by {agent} left a signal on {event.target} by {event.agent_id}")

    def settled(self) -> None:
        """All effects stand in the same row."""
        self._check_done()

    def _check_done(self) -> None:
        if self._expected:
            self.broken(f"{len(self._expected)} notes count as applied and left no signal")
        self._expected.clear()

    def _apply(self, event: NotesApplied) -> None:
        if event.number <= self._applied:
            self.broken(f"notes up to {event.number} were applied after {self._applied}")
        if event.number > len(self._put):
            self.broken(f"note {event.number} was applied; {len(self._put)} are committed")
        for note, _place in self._put[self._applied : event.number]:
            if note.topic in (BOUNCE, EDIT_FAILURE):
                self._expected.append((note.space, note.path, note.session_id))
        self._applied = max(self._applied, event.number)

    def saw(self, record: Record) -> None:
        """What the quality store commits."""
        match record:
            case Committed(actor="quality_store"):
                for event in record.events:
                    self._take(event)
            case Finished():
                for note, place in self._put[self._applied :]:
                    self.broken(f"a note ({note.topic} of {note.path}) never arrived", place)

    def _take(self, event: Any) -> None:
        if isinstance(event, NotePut) and event.receiver == RECEIVER:
            self._put.append((event.note, self.place))
        elif isinstance(event, NotesSent) and event.receiver == RECEIVER and event.number > self._applied:
            self.broken(f"notes up to {event.number} count as sent; the receiver has {self._applied}")
