"""The quality store's state machine: pins, what edits, reads and answers taught, the ledger, notes to other domains.

What has lapsed is left out of every answer and collected by the next turn.
"""

from __future__ import annotations

from typing import Any

from actors.quality_store.answer_book import AnswerBook
from actors.quality_store.cause import FAILURE
from actors.quality_store.edit_book import EditBook
from actors.quality_store.event import (
    EVENTS,
    SUCCESSORS,
    AccountTold,
    AgentForgotten,
    DayClosed,
    EditCounted,
    EditMissed,
    EditTried,
    EscalationArmed,
    EscalationEnded,
    EscalationMoved,
    EscalationReturned,
    ExtensionForgotten,
    FilesForgotten,
    MemoryMoved,
    OutcomeCounted,
    OutcomeRecorded,
    OutcomesForgotten,
    PairDropped,
    PathsForgotten,
    PenaltyHeldOut,
    PenaltyServed,
    ReadRecorded,
    SourceDropped,
    TrialCounted,
    ViewShown,
)
from actors.quality_store.evidence import Evidence
from actors.quality_store.failure_trail import FailureTrail
from actors.quality_store.ledger import Ledger
from actors.quality_store.ledger_book import LedgerBook, Sign
from actors.quality_store.limit import Limits
from actors.quality_store.messages import (
    SCHEMA,
    AccountCounted,
    DropEscalation,
    Dropped,
    EditQuality,
    Failures,
    FollowMove,
    ForgetOutcomes,
    GetEditQuality,
    GetEvidence,
    GetFailures,
    GetLedger,
    GetReadQuality,
    GetSavings,
    GetStatistics,
    LedgerPage,
    OutcomesGone,
    PeekMode,
    ReadCounted,
    ReadQuality,
    RecordAccount,
    Recorded,
    RecordOutcome,
    RecordRead,
    RecordTrial,
    Resolved,
    ResolveMode,
    Savings,
    Statistics,
    TrialNoted,
)
from actors.quality_store.note_book import NoteBook
from actors.quality_store.read_book import ReadBook
from actors.quality_store.read_state import ReadState
from actors.quality_store.resolution import Resolver
from actors.quality_store.statistics import take_statistics
from actors.quality_store.trial_book import TrialBook
from actors.runtime.holdout import EDIT_PENALTY, FEEDBACK_STRATEGY
from actors.runtime.layer_switch import EVENTS as SWITCH_EVENTS
from actors.runtime.layer_switch import LayerSwitched, LayerSwitches
from actors.runtime.machine import Caller, Now
from actors.runtime.outbox import EVENTS as NOTE_EVENTS
from actors.runtime.outbox import NotePut, NotesDropped, NotesSent, Outbox
from actors.runtime.pinned_machine import Applier, Performer, PinnedMachine, Shelf
from actors.runtime.state_format import StateFormat


class QualityStore(PinnedMachine):
    """What came of edits and reads, for all sessions and claim spaces; learning by extension is shared over spaces."""

    schema = SCHEMA
    events = EVENTS + NOTE_EVENTS + SWITCH_EVENTS
    long_rows = frozenset({"answer_windows", "agents", "ledger_chain"})
    state_format = StateFormat(2, {1: lambda parts: parts}, SUCCESSORS)
    """Format 1 had no evidence beside the ledger's rows, and views that did not say which layers had a say in them."""

    def __init__(self, limits: Limits | None = None, *, sign: Sign | None = None) -> None:
        limits = limits or Limits()
        super().__init__("the quality store", limits.max_pins)
        self._state = ReadState(Ledger())
        self.outbox = Outbox(self._record, max_queue=limits.max_notes)
        self._ledger_book = LedgerBook(self._state.ledger, limits, self._record, sign)
        self._reads = ReadBook(self._state, limits, self._record, NoteBook(self.outbox), self._ledger_book)
        self._edits = EditBook(limits, self._record)
        self._failures = FailureTrail()
        self._trials = TrialBook(self._state.ledger, limits, self._record, self._ledger_book)
        self._switches = LayerSwitches((EDIT_PENALTY, FEEDBACK_STRATEGY), self._record)
        self._answers = AnswerBook(limits, self._record, self._trials, self._switches.is_on)
        self._resolver = Resolver(self._edits, self._reads, limits.penalty_holdout, self._switches.is_on)
        self._furnish(shelves=self._make_shelves(), performers=self._make_performers(), appliers=self._make_appliers())

    def _make_shelves(self) -> dict[str, Shelf]:
        edits, state = self._edits, self._state
        return {
            "pairs": edits.pairs,
            "escalations": edits.escalations,
            "outcomes": edits.outcomes,
            "penalties": edits.penalties,
            "totals": edits.totals,
            "reads": state.reads,
            "sources": state.sources,
            "held_out": edits.held_out,
            "agents": state.trails,
            "rates": state.rates,
            "paths": state.paths,
            "evictions": state.evictions,
            "ledger_days": state.ledger.days,
            "ledger_months": state.ledger.months,
            "ledger_totals": state.ledger.totals,
            "ledger_chain": state.ledger.chain,
            "ledger_evidence": state.ledger.evidence,
            "ledger_edits": state.ledger.edits,
            "ledger_accounts": state.ledger.accounts,
            **self._answers.shelves(),
            "layer_switches": self._switches,
            "outbox": self.outbox,
        }

    def _make_performers(self) -> dict[type, Performer]:
        return {
            RecordOutcome: self._record_outcome,
            ResolveMode: self._resolve_mode,
            PeekMode: self._peek_mode,
            RecordRead: self._record_read,
            DropEscalation: self._drop_escalation,
            FollowMove: self._follow_move,
            GetStatistics: self._statistics,
            GetEditQuality: self._edit_quality,
            GetReadQuality: self._read_quality,
            GetLedger: self._ledger_page,
            GetSavings: self._savings,
            GetFailures: self._recent_failures,
            RecordTrial: self._record_trial,
            RecordAccount: self._record_account,
            GetEvidence: self._evidence,
            **self._answers.performers(),
            **self._switches.performers(),
            ForgetOutcomes: self._forget_outcomes,
        }

    def _make_appliers(self) -> dict[type, Applier]:
        edits, state = self._edits, self._state
        return {
            OutcomeRecorded: edits.outcome_recorded,
            OutcomeCounted: edits.outcome_counted,
            PairDropped: edits.pair_dropped,
            EscalationArmed: edits.escalation_armed,
            EscalationEnded: edits.escalation_ended,
            EscalationReturned: edits.escalation_returned,
            EscalationMoved: edits.escalation_moved,
            PenaltyServed: edits.penalty_served,
            PenaltyHeldOut: edits.penalty_held_out,
            ReadRecorded: state.read_recorded,
            ViewShown: state.view_shown,
            EditTried: state.edit_tried,
            EditMissed: _changes_nothing,
            FilesForgotten: state.files_forgotten,
            AgentForgotten: state.agent_forgotten,
            PathsForgotten: state.paths_forgotten,
            MemoryMoved: state.memory_moved,
            ExtensionForgotten: state.extension_forgotten,
            DayClosed: state.ledger.day_closed,
            EditCounted: self._trials.edit_counted,
            TrialCounted: self._trials.trial_counted,
            AccountTold: self._trials.account_told,
            SourceDropped: self._trials.source_dropped,
            **self._answers.appliers(),
            LayerSwitched: self._switches.evolve,
            OutcomesForgotten: self._outcomes_forgotten,
            **dict.fromkeys((NotePut, NotesSent, NotesDropped), self.outbox.evolve),
        }

    # Commands

    def _record_outcome(self, caller: Caller, asked: RecordOutcome, now: Now) -> Recorded:
        self._reads.check_edit(asked)
        recorded = self._edits.record_outcome(asked, now.utc_s)
        self._trials.count_edit(asked, now.utc_s)
        self._reads.record_edit(caller.session_id, asked, recorded.signal, now.utc_s)
        if asked.outcome == FAILURE:
            self._failures.note(caller.session_id, asked, now.utc_s)
        return recorded

    def _resolve_mode(self, _: Caller, asked: ResolveMode, now: Now) -> Resolved:
        return self._resolver.resolve(asked.space, asked.path, asked.candidate, now.utc_s)

    def _peek_mode(self, _: Caller, asked: PeekMode, now: Now) -> Resolved:
        seen = self._resolver.peek(asked.space, asked.path, asked.candidate, now.utc_s)
        return seen._replace(consumed=None)

    def _record_read(self, caller: Caller, asked: RecordRead, now: Now) -> ReadCounted:
        return self._reads.record_read(caller.session_id, asked, now.utc_s)

    def _drop_escalation(self, _: Caller, asked: DropEscalation, now: Now) -> Dropped:
        return self._edits.drop_escalations(asked.space, asked.paths, now.utc_s)

    def _follow_move(self, _: Caller, asked: FollowMove, now: Now) -> Dropped:
        dropped = self._edits.follow_move(asked, now.utc_s)
        self._reads.follow_move(asked, now.utc_s)
        return dropped

    def _statistics(self, _: Caller, __: GetStatistics, now: Now) -> Statistics:
        return take_statistics(
            self._edits, self._reads, self._answers, self._state, self.outbox, len(self._pins), now.utc_s
        )._replace(layers_off=self._switches.off())

    def _edit_quality(self, _: Caller, __: GetEditQuality, now: Now) -> EditQuality:
        edits, utc_s = self._edits, now.utc_s
        return EditQuality(edits.pair_rows(utc_s), edits.n_ended("served", utc_s), edits.n_escalations(utc_s))

    def _read_quality(self, _: Caller, __: GetReadQuality, now: Now) -> ReadQuality:
        reads, utc_s = self._reads, now.utc_s
        return ReadQuality(reads.rate_rows(utc_s), reads.n_paths(utc_s), reads.n_full_paths(utc_s))

    def _ledger_page(self, _: Caller, asked: GetLedger, __: Now) -> LedgerPage:
        return self._ledger_book.page(asked)

    def _savings(self, _: Caller, asked: GetSavings, __: Now) -> Savings:
        return self._ledger_book.savings(asked)

    def _recent_failures(self, _: Caller, asked: GetFailures, __: Now) -> Failures:
        return Failures(self._failures.newest(asked.space))

    def _record_trial(self, caller: Caller, asked: RecordTrial, now: Now) -> TrialNoted:
        return self._trials.record_trial(caller.session_id, asked, now.utc_s)

    def _record_account(self, _: Caller, asked: RecordAccount, now: Now) -> AccountCounted:
        return self._ledger_book.record_account(asked, now.utc_s)

    def _evidence(self, _: Caller, asked: GetEvidence, now: Now) -> Evidence:
        return self._ledger_book.evidence(asked, now.utc_s)

    def _forget_outcomes(self, caller: Caller, asked: ForgetOutcomes, now: Now) -> OutcomesGone:
        extension = asked.extension.removeprefix(".").lower()
        pairs, escalations = self._edits.of_extension(extension)
        rates, files = self._state.of_extension(extension)
        gone = OutcomesGone(len(pairs), len(escalations), len(rates), len(files))
        if any(gone):
            self._record(OutcomesForgotten(caller.session_id, extension, now.utc_s))
        return gone

    def _outcomes_forgotten(self, fact: OutcomesForgotten) -> None:
        self._edits.forget(fact.extension)
        self._state.forget(fact.extension)

    def undo(self, caller: Caller, answer: Any, now: Now) -> None:  # noqa: ARG002  # the answer says it all
        """Give back the escalation that `answer` used up. Edits and reads have happened and stay recorded."""
        if isinstance(answer, Resolved) and answer.consumed is not None:
            self._edits.give_back(answer.consumed, now.utc_s)

    def expire(self, now: Now) -> None:
        """Collect what has lapsed, and close the ledger's day if it is over."""
        self._edits.expire(now.utc_s)
        self._reads.expire(now.utc_s)
        self._answers.expire(now.utc_s)

    def _count_eviction(self) -> None:
        self._edits.totals.add(("pin", "evicted"))

    def check_invariants(self) -> None:
        """Raises `InvariantBroken` where two parts of the state contradict each other."""
        super().check_invariants()
        self._edits.check_invariants()
        self._state.check_invariants()
        self._answers.check_invariants()
        self._switches.check_invariants()
        self.outbox.check_invariants()


def _changes_nothing(_fact: EditMissed) -> None:
    """Apply a fact that is kept for its own sake."""
