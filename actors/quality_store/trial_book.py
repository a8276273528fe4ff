"""Trials of layers that are held out by session or question, and what else a day of the ledger says beside its rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from actors.quality_store.edit_count import NO_MODE
from actors.quality_store.event import AccountTold, EditCounted, SourceDropped, TrialCounted
from actors.quality_store.ledger import Ledger
from actors.quality_store.ledger_book import LedgerBook
from actors.quality_store.limit import Limits
from actors.quality_store.messages import RecordOutcome, RecordTrial, TrialNoted
from actors.quality_store.path import extension_of, label_of
from actors.quality_store.trial import HELD_OUT, TREATED, Counts
from actors.runtime.errors import Misuse
from actors.runtime.holdout import BEGIN_SHARE, FEEDBACK_STRATEGY, LESSONS

SESSION_LAYERS: Final = (BEGIN_SHARE, LESSONS)
MAX_OUTCOMES: Final = 10_000


class TrialBook:
    """Decides what counts; `ledger` changes only by what is recorded."""

    def __init__(self, ledger: Ledger, limits: Limits, record: Callable[[Any], None], ledger_book: LedgerBook) -> None:
        self._ledger = ledger
        self._limits = limits
        self._record = record
        self._ledger_book = ledger_book

    def record_trial(self, session_id: str, asked: RecordTrial, utc_s: float) -> TrialNoted:
        """Count what came of a session. Raises `Misuse` for another layer, and for numbers that cannot be."""
        if asked.layer not in SESSION_LAYERS:
            raise Misuse(f"layer {asked.layer[:80]!r} is not one of sessions: give one of {', '.join(SESSION_LAYERS)}")
        if not 0 <= asked.n_losses <= asked.n <= MAX_OUTCOMES or not asked.n:
            raise Misuse(f"{asked.n_losses!r} of {asked.n!r} outcomes cannot be: tell 1 to {MAX_OUTCOMES} at once")
        self._ledger_book.close_before(utc_s)
        before = self._ledger.n_left_out
        self._record(
            TrialCounted(asked.layer, asked.is_held_out, session_id, *asked[2:], self._limits.max_units, utc_s)
        )
        return TrialNoted(self._ledger.n_left_out == before)

    def count_question(self, digest: str, *, is_held_out: bool, is_met: bool, utc_s: float) -> None:
        """Count a question that could have gone by what was learned of strategies, and whether its answer would do."""
        self._ledger_book.close_before(utc_s)
        asked = (FEEDBACK_STRATEGY, is_held_out, digest)
        self._record(TrialCounted(*asked, 1, int(not is_met), self._limits.max_units, utc_s))

    def count_edit(self, asked: RecordOutcome, utc_s: float) -> None:
        """Count the end of an edit that is known to be one."""
        self._ledger_book.close_before(utc_s)
        label = label_of(extension_of(asked.path))
        self._record(EditCounted(label, asked.mode or NO_MODE, asked.cause, self._limits.max_rows, utc_s))

    # Facts

    def trial_counted(self, fact: TrialCounted) -> None:
        """Apply outcomes of a session."""
        trials, side = self._ledger.day_evidence(fact.at_utc_s).trials, HELD_OUT if fact.is_held_out else TREATED
        trials.add(fact.layer, side, fact.unit, Counts(fact.n, fact.n_losses), fact.max_units)

    def edit_counted(self, fact: EditCounted) -> None:
        """Apply the end of an edit."""
        for counts in (self._ledger.day_evidence(fact.at_utc_s).edits, self._ledger.edits):
            counts.add((fact.label, fact.mode, fact.cause), fact.max_rows)

    def account_told(self, fact: AccountTold) -> None:
        """Apply an account."""
        self._ledger.accounts.tell(fact.source, fact.grown)
        day = self._ledger.day_evidence(fact.at_utc_s).account
        day.add(fact.grown)
        day.set(fact.now)

    def source_dropped(self, fact: SourceDropped) -> None:
        """Apply the end of a source."""
        self._ledger.accounts.forget(fact.source)
