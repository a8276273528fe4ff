"""What the quality store's journal tells: who read what and edited what, what came of it, and which layers went off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final, Protocol, TypeAlias

from actors.quality_store.event import (
    EditMissed,
    EditTried,
    EscalationArmed,
    EscalationEnded,
    EscalationMoved,
    OutcomeCounted,
    OutcomeRecorded,
    ViewShown,
)
from actors.quality_store.machine import QualityStore
from actors.runtime.layer_switch import LayerSwitched
from actors.runtime.outbox import BOUNCE, EDIT_FAILURE, NotePut
from coordinator.story.fact import Draft
from coordinator.story.switch_teller import off_already, switched
from coordinator.story.thread import Threads

Tell: TypeAlias = Callable[[Any], "Draft | None"]
_FIELD: Final = "scent_field"
_CLAIMED: Final = "claimed"


class Grants(Protocol):
    """Who holds what at the moment that is told; the field's teller is one."""

    def covering(self, space: str, target: str, but: str) -> tuple[str, ...]:
        """References of the grants to others that cover a target."""

    def holders(self, space: str, target: str, but: str) -> tuple[str, ...]:
        """Who these others are."""


class QualityTeller:
    """Tells the events of the quality store's journal; `machine` has applied all that came before.

    `source` is what receivers know the store by. Without `grants` nothing says whose claim an edit ran into.
    """

    letter = "q"

    def __init__(self, machine: QualityStore, threads: Threads, *, source: str, grants: Grants | None) -> None:
        self._machine = machine
        self._outbox = machine.outbox
        self._threads = threads
        self._source = source
        self._grants = grants
        self._cause = ""
        self._is_armed = False
        self._trouble: dict[tuple[str, str, str, str], str] = {}
        self._tell: dict[type, Tell] = {
            ViewShown: self._shown,
            EditTried: self._tried,
            EditMissed: self._missed,
            OutcomeRecorded: self._take_cause,
            OutcomeCounted: self._take_cause,
            EscalationArmed: self._take_armed,
            EscalationEnded: self._escalation_ended,
            EscalationMoved: self._escalation_moved,
            NotePut: self._note_put,
            LayerSwitched: lambda event: switched(event, threads),
        }

    def begin_row(self) -> None:
        """The next events are of another commit."""
        self._cause = ""
        self._is_armed = False
        self._trouble.clear()

    def already(self) -> Iterator[Draft]:
        """What was so before the first row: layers that were off."""
        return off_already(self._machine)

    def tell(self, event: Any) -> Draft | None:
        """What the event says; None for one that is no news to a reader."""
        tell = self._tell.get(type(event))
        return None if tell is None else tell(event)

    def told(self, event: Any, _draft: Draft, ref: str) -> None:
        """The event's fact has this reference: the note that it causes is known by it."""
        if type(event) is EditTried:
            self._trouble[EDIT_FAILURE, event.session_id, event.space, event.path] = ref
        elif type(event) is ViewShown:
            self._trouble[BOUNCE, event.session_id, event.space, event.path] = ref
            self._threads.know(("read", event.session_id, event.space, event.path), ref)

    def _take_cause(self, event: OutcomeRecorded | OutcomeCounted) -> None:
        """The outcome stands before the edit whose it is."""
        self._cause, self._is_armed = event.cause, False

    def _last_read(self, event: Any) -> tuple[str, ...]:
        return self._threads.of("read", event.session_id, event.space, event.path)

    def _shown(self, event: ViewShown) -> Draft:
        """A view; a bounce follows from the compressed view before it, and a served escalation from the failed edit."""
        size = f"{event.n_tokens} of {event.n_total_tokens} tokens"
        why = f" by {event.source}" if event.source else ""
        again = "; the view before was too short" if event.is_bounce else ""
        causes = self._last_read(event) if event.is_bounce else ()
        served = self._threads.take("served", event.space, event.path)
        what = "read again" if event.is_bounce else "read"
        place = (event.path,)
        return Draft(
            what, event.session_id, event.space, place, f"{event.mode}{why}, {size}{again}", (*causes, *served)
        )

    def _tried(self, event: EditTried) -> Draft:
        what = "edited" if event.is_success else "edit failed"
        detail = ", ".join(
            [
                self._cause or event.signal or "silent",
                *([f"after a view in mode {event.mode}"] if event.mode else []),
                *(["so its next automatic read is full"] if self._is_armed else []),
            ]
        )
        told = self._edit(what, event, self._cause, detail)
        return told._replace(known_as=("armed", event.space, event.path)) if self._is_armed else told

    def _missed(self, event: EditMissed) -> Draft:
        return self._edit("fenced" if event.cause == _CLAIMED else "edit failed", event, event.cause, event.cause)

    def _edit(self, what: str, event: EditTried | EditMissed, cause: str, detail: str) -> Draft:
        is_claimed = cause == _CLAIMED and self._grants is not None
        where = (event.space, event.path, event.session_id)
        holders = self._grants.holders(*where) if is_claimed and self._grants else ()
        grants = self._grants.covering(*where) if is_claimed and self._grants else ()
        return Draft(
            what,
            event.session_id,
            event.space,
            (event.path,),
            f"{detail}, held by {', '.join(holders)}" if holders else detail,
            (*self._last_read(event), *grants),
            holders,
        )

    def _take_armed(self, _event: EscalationArmed) -> None:
        """The edit whose it is comes next, and tells it."""
        self._is_armed = True

    def _escalation_ended(self, event: EscalationEnded) -> Draft | None:
        """One that was served is told by the read that it made full."""
        armed = self._threads.of("armed", event.space, event.path)
        if event.reason != "served":
            return Draft("escalation over", "", event.space, (event.path,), event.reason, armed)
        for ref in armed:
            self._threads.know(("served", event.space, event.path), ref)
        return None

    def _escalation_moved(self, event: EscalationMoved) -> Draft:
        armed = self._threads.of("armed", event.space, event.path)
        key = ("armed", event.space, event.new_path)
        targets = (event.path, event.new_path)
        return Draft("escalation moved", "", event.space, targets, "with its file", armed, known_as=key)

    def _note_put(self, event: NotePut) -> None:
        """The field will hear of it: what it makes of the note, known by its number, follows from this fact."""
        if event.receiver != _FIELD:
            return
        note = event.note
        ref = self._trouble.get((note.topic, note.session_id, note.space, note.path))
        if ref is not None:
            known_as = ("note", self._source, self._last_note() + 1)
            self._threads.know(known_as, ref)
            self._threads.know((*known_as, note.session_id, note.path), ref)

    def _last_note(self) -> int:
        return next((one.n_sent + one.n_waiting for one in self._outbox.counts() if one.receiver == _FIELD), 0)
