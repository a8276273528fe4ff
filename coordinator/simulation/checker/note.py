"""What the quality store has to tell the scent field it tells, and each note arrives once and in order."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar

from actors.quality_store.event import EditTried, ViewShown
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


class TroubleTold(Rule):
    """Each edit that missed, and each view that was not enough, puts a note of the agent and the file in its commit."""

    name: ClassVar[str] = "trouble is told"

    def saw(self, record: Record) -> None:
        """What the quality store commits."""
        if not (isinstance(record, Committed) and record.actor == "quality_store"):
            return
        had: Counter[tuple[str, str, str, str]] = Counter()
        told: Counter[tuple[str, str, str, str]] = Counter()
        for event in record.events:
            match event:
                case EditTried(signal="failure"):
                    had[EDIT_FAILURE, event.session_id, event.space, event.path] += 1
                case ViewShown(is_bounce=True):
                    had[BOUNCE, event.session_id, event.space, event.path] += 1
                case NotePut(receiver=receiver, note=note) if receiver == RECEIVER and note.topic in (
                    BOUNCE,
                    EDIT_FAILURE,
                ):
                    told[note.topic, note.session_id, note.space, note.path] += 1
        for trouble in sorted(had.keys() | told.keys()):
            self._compare(trouble, had[trouble], told[trouble])

    def _compare(self, trouble: tuple[str, str, str, str], n_had: int, n_told: int) -> None:
        """An edit is one note; a read may show that several views were not enough."""
        topic, session_id, _space, path = trouble
        is_right = n_told == n_had if topic == EDIT_FAILURE else n_told >= n_had and (n_had > 0 or n_told == 0)
        if not is_right:
            self.broken(f"{session_id} had trouble ({topic}) with {path} {n_had} times, and {n_told} notes tell of it")
