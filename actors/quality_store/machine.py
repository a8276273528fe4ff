"""The quality store's state machine: pins, the edit book, and counts of what was read.

Nothing here needs to be woken: what has lapsed is left out of every answer and collected by the next turn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final, Protocol

from actors.quality_store.edit_book import EditBook
from actors.quality_store.event import (
    EVENTS,
    EscalationArmed,
    EscalationEnded,
    EscalationReturned,
    OutcomeCounted,
    OutcomeRecorded,
    PairDropped,
    PenaltyServed,
    PinEvicted,
    ReadRecorded,
    TokenPinned,
)
from actors.quality_store.limit import Limits
from actors.quality_store.messages import (
    SCHEMA,
    DropEscalation,
    Dropped,
    EditQuality,
    GetEditQuality,
    GetStatistics,
    OutcomeRow,
    PeekMode,
    PenaltyRow,
    ReadCounted,
    ReadRow,
    Recorded,
    RecordOutcome,
    RecordRead,
    Resolved,
    ResolveMode,
    SourceRow,
    Statistics,
)
from actors.quality_store.pin import Pins, token_digest
from actors.quality_store.read_book import ReadBook
from actors.runtime.errors import Corrupt, Misuse
from actors.runtime.machine import Caller, Now, Ticket

_ROWS_A_PART: Final = 500


class Shelf(Protocol):
    """A part of the state that is a sequence of rows."""

    def rows(self) -> Iterator[list[Any]]:
        """The rows, in the order that `load` must see."""

    def load(self, row: list[Any]) -> None:
        """Take back one row."""


class QualityStore:
    """What came of edits and reads, for all sessions and claim spaces; learning by extension is shared over spaces."""

    schema = SCHEMA
    events = EVENTS

    def __init__(self, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self._recorded: list[Any] = []
        self._departed: list[str] = []
        self._pins = Pins()
        self._reads = ReadBook(self._limits, self._record)
        self._edits = EditBook(self._limits, self._record)
        self._shelves: dict[str, Shelf] = {
            "pins": self._pins,
            "pairs": self._edits.pairs,
            "escalations": self._edits.escalations,
            "outcomes": self._edits.outcomes,
            "penalties": self._edits.penalties,
            "totals": self._edits.totals,
            "reads": self._reads.reads,
            "sources": self._reads.sources,
        }
        self._performers: dict[type, Callable[[Any, Now], Any]] = {
            RecordOutcome: self._record_outcome,
            ResolveMode: self._resolve_mode,
            PeekMode: self._peek_mode,
            RecordRead: self._record_read,
            DropEscalation: self._drop_escalation,
            GetStatistics: self._statistics,
            GetEditQuality: self._edit_quality,
        }
        self._appliers: dict[type, Callable[[Any], None]] = {
            TokenPinned: self._token_pinned,
            PinEvicted: self._pin_evicted,
            OutcomeRecorded: self._edits.outcome_recorded,
            OutcomeCounted: self._edits.outcome_counted,
            PairDropped: self._edits.pair_dropped,
            EscalationArmed: self._edits.escalation_armed,
            EscalationEnded: self._edits.escalation_ended,
            EscalationReturned: self._edits.escalation_returned,
            PenaltyServed: self._edits.penalty_served,
            ReadRecorded: self._reads.read_recorded,
        }

    # Commands

    def admit(self, session_id: str, token: str, now: Now) -> Caller:  # noqa: ARG002  # the protocol passes the time
        """Trust a session's first token, and no other after it. Raises `UnknownAgent`."""
        digest = token_digest(session_id, token)
        if session_id in self._pins:
            self._pins.check(session_id, digest)
        else:
            self._record(TokenPinned(session_id, digest))
            self._evict_pins()
        self._pins.touch(session_id)
        return Caller(session_id)

    def _evict_pins(self) -> None:
        while len(self._pins) > self._limits.max_pins:
            evicted = self._pins.first_out()
            self._record(PinEvicted(evicted))
            self._departed.append(evicted)

    def perform(self, caller: Caller, command: Any, now: Now) -> Any:  # noqa: ARG002  # no answer depends on who asks
        """Carry out one command. Raises `Misuse`, and then nothing has changed."""
        performer = self._performers.get(type(command))
        if performer is None:
            raise Misuse(f"the quality store does not know {type(command).__name__}: send one of its schema's commands")
        return performer(command, now)

    def _record_outcome(self, asked: RecordOutcome, now: Now) -> Recorded:
        return self._edits.record_outcome(asked, now.utc_s)

    def _resolve_mode(self, asked: ResolveMode, now: Now) -> Resolved:
        return self._edits.resolve(asked.space, asked.path, asked.candidate, now.utc_s)

    def _peek_mode(self, asked: PeekMode, now: Now) -> Resolved:
        seen = self._edits.peek(asked.space, asked.path, asked.candidate, now.utc_s)
        return seen._replace(consumed=None)

    def _record_read(self, asked: RecordRead, now: Now) -> ReadCounted:  # noqa: ARG002  # reads are not kept by time yet
        return self._reads.record_read(asked)

    def _drop_escalation(self, asked: DropEscalation, now: Now) -> Dropped:
        return self._edits.drop_escalations(asked.space, asked.paths, now.utc_s)

    def _statistics(self, _: GetStatistics, now: Now) -> Statistics:
        edits, utc_s = self._edits, now.utc_s
        return Statistics(
            pairs=edits.pair_rows(utc_s),
            pairs_evicted=edits.n_dropped_pairs("evicted", utc_s),
            pairs_decayed=edits.n_dropped_pairs("decayed", utc_s),
            escalations_pending=edits.n_escalations(utc_s),
            escalations_armed=edits.totals["escalation", "armed"],
            escalations_returned=edits.totals["escalation", "returned"],
            escalations_served=edits.n_ended("served", utc_s),
            escalations_expired=edits.n_ended("expired", utc_s),
            escalations_evicted=edits.n_ended("evicted", utc_s),
            escalations_changed=edits.n_ended("changed", utc_s),
            penalties=tuple(PenaltyRow._make(row) for row in edits.penalties.rows()),
            sources=tuple(SourceRow(source, n) for source, _, n in self._reads.sources.rows()),
            outcomes=tuple(OutcomeRow._make(row) for row in edits.outcomes.rows()),
            reads=tuple(ReadRow._make(row) for row in self._reads.reads.rows()),
            pins=len(self._pins),
            pins_evicted=edits.totals["pin", "evicted"],
        )

    def _edit_quality(self, _: GetEditQuality, now: Now) -> EditQuality:
        edits, utc_s = self._edits, now.utc_s
        return EditQuality(edits.pair_rows(utc_s), edits.n_ended("served", utc_s), edits.n_escalations(utc_s))

    def withdraw(self, ticket: Ticket, now: Now) -> None:
        """Nothing waits here."""

    def undo(self, caller: Caller, answer: Any, now: Now) -> None:  # noqa: ARG002  # the answer says it all
        """Give back the escalation that `answer` used up. Edits and reads have happened and stay recorded."""
        if isinstance(answer, Resolved) and answer.consumed is not None:
            self._edits.give_back(answer.consumed, now.utc_s)

    def expire(self, now: Now) -> None:
        """Collect what has lapsed."""
        self._edits.expire(now.utc_s)

    def next_deadline_s(self) -> float | None:
        """None: answers leave out what has lapsed, so nobody has to be told."""
        return None

    def take_settled(self, now: Now) -> list[tuple[Ticket, Any]]:  # noqa: ARG002  # nothing waits, at no time
        """Nothing waits here."""
        return []

    def take_departed(self) -> list[str]:
        """The sessions whose pins were evicted since the last call."""
        departed, self._departed = self._departed, []
        return departed

    # Facts

    def _record(self, event: Any) -> None:
        self.evolve(event)
        self._recorded.append(event)

    def take_events(self) -> list[Any]:
        """The events since the last call, already applied."""
        events, self._recorded = self._recorded, []
        return events

    def evolve(self, event: Any) -> None:
        """Apply one fact; no limit is asked."""
        self._appliers[type(event)](event)

    def _token_pinned(self, fact: TokenPinned) -> None:
        self._pins.pin(fact.session_id, fact.digest)

    def _pin_evicted(self, fact: PinEvicted) -> None:
        self._edits.totals.add(("pin", "evicted"))
        self._pins.drop(fact.session_id)

    def snapshot(self) -> Iterator[list[Any]]:
        """The state as [shelf, rows], at most 500 rows a part."""
        for name, shelf in self._shelves.items():
            rows = shelf.rows()
            while part := list(islice(rows, _ROWS_A_PART)):
                yield [name, part]

    def restore(self, parts: Iterable[list[Any]]) -> None:
        """Fill an empty store. Raises `Corrupt` for a part that it does not know."""
        for name, rows in parts:
            if name not in self._shelves:
                raise Corrupt(
                    f"the snapshot has a part {name!r} that this version does not know: use the one that wrote it"
                )
            for row in rows:
                self._shelves[name].load(row)

    def wake(self, now: Now) -> None:
        """Nothing here hangs on a session's life."""

    def check_invariants(self) -> None:
        """Raises `InvariantBroken` where two parts of the state contradict each other."""
        self._pins.check_invariants()
        self._edits.check_invariants()
