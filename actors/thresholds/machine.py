"""The thresholds' state machine: pins, what was received, what origins have learned, and costs.

Nothing here needs to be woken: what fades is worked out whenever it is asked for, from the UTC day.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any, Final, Protocol

from actors.runtime.errors import Corrupt, Misuse
from actors.runtime.holdout import utc_day
from actors.runtime.machine import Caller, Now, Ticket
from actors.runtime.outbox import EDIT_FAILURE, TOPICS, Deliver, Delivered, Note
from actors.runtime.pin import PinEvicted, Pins, TokenPinned
from actors.runtime.received import NotesApplied, Received, SourceForgotten
from actors.thresholds.bundle import bundle_text
from actors.thresholds.change import delta_changes, known, share_changes
from actors.thresholds.contribution import WEIGHTS
from actors.thresholds.cost_book import CostBook
from actors.thresholds.event import (
    EVENTS,
    BundleImported,
    CostEvicted,
    CostRecorded,
    CostRolled,
    DeltaMoved,
    ExtensionEvicted,
    LearningReset,
    NoteIgnored,
    OriginEvicted,
    OriginMerged,
    PlacementRecorded,
    PlacementRolled,
)
from actors.thresholds.limit import Limits
from actors.thresholds.messages import (
    SCHEMA,
    Bundle,
    ExportBundle,
    Forgotten,
    GetLearning,
    GetPolicy,
    GetStatistics,
    ImportBundle,
    Imported,
    Learning,
    PlacementCounted,
    Policy,
    RecordPlacement,
    ResetLearning,
    Statistics,
)
from actors.thresholds.name import check_extension, check_origin, extension_of
from actors.thresholds.origin import effective_deltas, observations
from actors.thresholds.origin_book import OriginBook
from actors.thresholds.placement import NOTHING_OBSERVED
from actors.thresholds.policy import delta_rows, learning, policy, share_rows
from actors.thresholds.tally import Tally

_ROWS_A_PART: Final = 500
_FULL: Final = "full"


class Shelf(Protocol):
    """A part of the state that is a sequence of rows."""

    def rows(self) -> Iterator[list[Any]]:
        """The rows, in the order that `load` must see."""

    def load(self, row: list[Any]) -> None:
        """Take back one row."""


class Thresholds:
    """What was learned of extensions, client profiles and costs, on this machine and elsewhere.

    `origin` is the id under which this machine learns (`name.check_origin`). It is no part of the state.
    """

    schema = SCHEMA
    events = EVENTS

    def __init__(self, origin: str, limits: Limits | None = None) -> None:
        check_origin(origin)
        self._limits = limits or Limits()
        self._recorded: list[Any] = []
        self._departed: list[str] = []
        self._totals = Tally()
        self._pins = Pins(self._limits.max_pins, self._record)
        self._received = Received(self._record)
        self._book = OriginBook(origin, self._totals, self._record)
        self._costs = CostBook(self._limits.max_cost_rows, self._totals, self._record)
        self._shelves: dict[str, Shelf] = {
            "pins": self._pins,
            "received": self._received,
            "origins": self._book,
            "costs": self._costs,
            "totals": self._totals,
        }
        self._performers: dict[type, Callable[[Caller, Any, Now], Any]] = {
            Deliver: self._deliver,
            RecordPlacement: self._record_placement,
            GetPolicy: self._policy,
            GetLearning: self._learning,
            GetStatistics: self._statistics,
            ExportBundle: self._export_bundle,
            ImportBundle: self._import_bundle,
            ResetLearning: self._reset_learning,
        }
        self._appliers: dict[type, Callable[[Any], None]] = {
            TokenPinned: self._pins.evolve,
            PinEvicted: self._pin_evicted,
            NotesApplied: self._received.evolve,
            SourceForgotten: self._received.evolve,
            DeltaMoved: self._book.delta_moved,
            ExtensionEvicted: self._book.extension_evicted,
            PlacementRecorded: self._book.placement_recorded,
            PlacementRolled: self._book.placement_rolled,
            CostRecorded: self._costs.cost_recorded,
            CostRolled: self._costs.cost_rolled,
            CostEvicted: self._costs.cost_evicted,
            NoteIgnored: self._note_ignored,
            OriginMerged: self._book.origin_merged,
            OriginEvicted: self._book.origin_evicted,
            BundleImported: self._book.bundle_imported,
            LearningReset: self._learning_reset,
        }

    # Commands

    def admit(self, session_id: str, token: str, now: Now) -> Caller:  # noqa: ARG002  # the protocol passes the time
        """Trust a session's first token, and no other after it. Raises `UnknownAgent`."""
        self._departed += self._pins.admit(session_id, token)
        return Caller(session_id)

    def perform(self, caller: Caller, command: Any, now: Now) -> Any:
        """Carry out one command. Raises `Misuse`, and then nothing has changed."""
        performer = self._performers.get(type(command))
        if performer is None:
            raise Misuse(f"the thresholds do not know {type(command).__name__}: send one of their schema's commands")
        return performer(caller, command, now)

    def _deliver(self, _: Caller, asked: Deliver, now: Now) -> Delivered:
        for note in self._received.new_notes(asked):
            self._learn(note, utc_day(now.utc_s))
        return self._received.answer(asked)

    def _learn(self, note: Note, today: int) -> None:
        """Learn from a note, whatever it holds: nothing may be raised here, or the note would be lost.

        It counts on the day of its arrival. A failed edit after a `full` view says nothing about compression.
        """
        extension = extension_of(note.extension)
        if not extension or note.topic not in TOPICS:
            self._record(NoteIgnored("topic" if extension else "extension"))
            return
        if note.topic in WEIGHTS and not (note.topic == EDIT_FAILURE and note.mode == _FULL):
            self._book.learn(note.topic, extension, today)
        reason = self._costs.learn(note, extension, today)
        if reason:
            self._record(NoteIgnored(reason))

    def _record_placement(self, _: Caller, asked: RecordPlacement, now: Now) -> PlacementCounted:
        today = utc_day(now.utc_s)
        profile = self._book.record_placement(asked, today)
        seen = observations(self._book.origins, today).get(profile, NOTHING_OBSERVED)
        return PlacementCounted(profile, seen.share(self._limits.min_observations))

    def _import_bundle(self, caller: Caller, asked: ImportBundle, now: Now) -> Imported:
        today = utc_day(now.utc_s)
        before = known(self._book.origins, today)
        n_changed, n_left_out = self._book.import_bundle(asked.text, caller.session_id, today, now.utc_s)
        after = known(self._book.origins, today)
        shares = share_changes(before, after, self._limits.min_observations)
        return Imported(delta_changes(before, after), shares, n_changed, n_left_out)

    def _reset_learning(self, caller: Caller, asked: ResetLearning, now: Now) -> Forgotten:
        extension = check_extension(asked.extension) if asked.extension else ""
        n_profiles = 0 if extension else self._book.n_profiles()
        forgotten = Forgotten(self._book.n_contributions(extension), n_profiles, self._costs.n_of(extension))
        if any(forgotten):
            self._book.reset(extension, caller.session_id, utc_day(now.utc_s), now.utc_s)
        return forgotten

    # Queries

    def _policy(self, _: Caller, __: GetPolicy, now: Now) -> Policy:
        return policy(self._book.origins, self._costs, self._limits, utc_day(now.utc_s))

    def _learning(self, _: Caller, __: GetLearning, now: Now) -> Learning:
        return learning(self._book.origins, self._costs, self._limits, utc_day(now.utc_s))

    def _export_bundle(self, _: Caller, __: ExportBundle, ___: Now) -> Bundle:
        return Bundle(bundle_text(self._book.origins))

    def _statistics(self, _: Caller, __: GetStatistics, now: Now) -> Statistics:
        totals, origins, today = self._totals, self._book.origins, utc_day(now.utc_s)
        return Statistics(
            signals=totals.counts("signal"),
            ignored=totals.counts("ignored"),
            evicted=totals.counts("evicted"),
            deltas=delta_rows(origins, self._limits, today),
            begin_shares=share_rows(origins, self._limits, today),
            n_origins=len(origins),
            n_extensions=len(effective_deltas(origins, today)),
            n_profiles=self._book.n_profiles(),
            n_costs=len(self._costs),
            n_outcomes=totals["outcome", ""],
            n_placements=totals["placement", ""],
            n_imports=totals["import", ""],
            n_resets=totals["reset", ""],
            n_pins=len(self._pins),
        )

    def withdraw(self, ticket: Ticket, now: Now) -> None:
        """Nothing waits here."""

    def undo(self, caller: Caller, answer: Any, now: Now) -> None:
        """What was observed has happened, and an import or a reset can be asked for again: all of it stays."""

    def expire(self, now: Now) -> None:
        """Nothing ends by itself: what has faded is left out of the answers."""

    def next_deadline_s(self) -> float | None:
        """None: answers go by the day on which they are asked for."""
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

    def _pin_evicted(self, fact: PinEvicted) -> None:
        self._totals.add("evicted", "pin")
        self._pins.evolve(fact)

    def _note_ignored(self, fact: NoteIgnored) -> None:
        self._totals.add("ignored", fact.reason)

    def _learning_reset(self, fact: LearningReset) -> None:
        self._book.learning_reset(fact)
        self._costs.forget(fact.extension)

    def snapshot(self) -> Iterator[list[Any]]:
        """The state as [shelf, rows], at most 500 rows a part."""
        for name, shelf in self._shelves.items():
            rows = shelf.rows()
            while part := list(islice(rows, _ROWS_A_PART)):
                yield [name, part]

    def restore(self, parts: Iterable[list[Any]]) -> None:
        """Fill an empty machine. Raises `Corrupt` for a part that it does not know."""
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
        """Raises `InvariantBroken` where a bound is passed or two parts of the state contradict each other."""
        self._received.check_invariants()
        self._book.check_invariants()
        self._costs.check_invariants()
