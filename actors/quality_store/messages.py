"""What can be asked of the quality store, and what it answers.

Paths are canonical and relative to the root of their claim space. Commands change something and are numbered; queries
(`PeekMode` and all that begin with `Get`) change nothing, not even what has lapsed.
"""

from __future__ import annotations

from typing import NamedTuple

from actors.quality_store.account import AccountRow
from actors.quality_store.answer_message import (
    Advice,
    AnswerCounted,
    AnswerCounts,
    AnswerQuality,
    AnswersReset,
    AskAdvice,
    GetAnswerQuality,
    RecordAnswer,
    ResetAnswers,
)
from actors.quality_store.edit_count import EditRow
from actors.quality_store.escalation import Escalation
from actors.quality_store.evidence import Evidence
from actors.quality_store.ledger_record import LedgerRecord
from actors.quality_store.row import (
    LedgerRow,
    LedgerSheet,
    OutcomeRow,
    PairRow,
    PenaltyRow,
    RateRow,
    ReadRow,
    SourceRow,
)
from actors.runtime.layer_switch import SCHEMA as SWITCH_SCHEMA
from actors.runtime.outbox import OutboxCount
from actors.runtime.wire import Schema


class RecordOutcome(NamedTuple):
    """An edit has ended.

    `mode` is the mode of this agent's last whole-file view of the path, "" if it never had one, and `arms` the layers
    that were held out for that view. `outcome` is "success" or "failure"; `cause` one of those in `cause.py`.
    `n_tokens` were paid for a failed call and its answer; 0 for a success.
    """

    space: str
    path: str
    mode: str
    outcome: str
    cause: str
    n_tokens: int = 0
    arms: tuple[str, ...] = ()


class Recorded(NamedTuple):
    """What the outcome meant: `signal` is "success", "failure" or "" (counted, no signal).

    `escalated`: the path's next automatic read will be `full`. `risky`: its (extension, mode) pair is, as of now.
    """

    signal: str
    escalated: bool
    risky: bool


class ResolveMode(NamedTuple):
    """Ask in which mode to read `path`, where `auto` would use `candidate`."""

    space: str
    path: str
    candidate: str


class PeekMode(NamedTuple):
    """Ask the same for display: nothing is consumed or counted."""

    space: str
    path: str
    candidate: str


class Resolved(NamedTuple):
    """The mode to read in, never lossier than the candidate, and why it differs.

    `source` is "edit_fail_escalation", "bounce", "path_memory", "edit_quality_penalty", or "" where the candidate's own
    source stands. `consumed` is the escalation that this answer used up; it goes back if the caller gave up before it
    heard. `is_held_out`: the file is in today's holdout of the layer "edit_penalty", so the penalty is skipped.
    `is_at_stake`: the penalty concerns this read, held out or not.
    """

    mode: str
    source: str
    consumed: Escalation | None = None
    is_held_out: bool = False
    is_at_stake: bool = False


class RecordRead(NamedTuple):
    """A file was shown: `n_tokens` of its `n_total_tokens`.

    `mode` is what was served. `source` says who chose it: "explicit" or "" if the agent named it, else the rule's name;
    for a `full` that was served because another mode did not pay, any name but "explicit", "" and "expected_cost".
    `is_unchanged`: the agent's last view of the file had the same content and mode, or it is an empty diff. `arms` are
    the learned layers that were held out for this view. `is_changed`: that last view had other content, so that looking
    again says nothing of it. `layers` are those that had a say in it or were held out where they would have had one:
    only for these does the view count in the layer's trial.
    """

    space: str
    path: str
    mode: str
    source: str
    n_tokens: int
    n_total_tokens: int
    is_unchanged: bool = False
    arms: tuple[str, ...] = ()
    is_changed: bool = False
    layers: tuple[str, ...] = ()


class ReadCounted(NamedTuple):
    """The row that the read was added to."""

    extension: str
    mode: str


class DropEscalation(NamedTuple):
    """These files were changed from outside: what was learned from a failed edit of them no longer stands."""

    space: str
    paths: tuple[str, ...]


class FollowMove(NamedTuple):
    """A file was moved or renamed: what is pending for it and what its reads have taught go along.

    What `new_path` had pending is void; what its reads have taught stands, where nothing is known of `path`.
    """

    space: str
    path: str
    new_path: str


class Dropped(NamedTuple):
    """So many of the paths had an escalation pending that is void now."""

    n_escalations: int


class GetFailures(NamedTuple):
    """Ask which edits of a space failed lately. Known since the actor's start."""

    space: str


class FailureRow(NamedTuple):
    """One failed edit. `mode` is that of the agent's last view of the path, `cause` one of those in `cause.py`.

    `number` is the row's own; `at_utc_s` counts from the epoch.
    """

    number: int
    agent: str
    path: str
    mode: str
    cause: str
    n_tokens: int
    at_utc_s: float


class Failures(NamedTuple):
    """The last failed edits, the newest first, 64 at most."""

    rows: tuple[FailureRow, ...]


class ForgetOutcomes(NamedTuple):
    """Forget what failed edits and bounces have made `full`: of files with an extension, or with "" all of it."""

    extension: str


class OutcomesGone(NamedTuple):
    """So many pairs, pending escalations, extensions' bounce rates and remembered files are forgotten."""

    n_pairs: int
    n_escalations: int
    n_rates: int
    n_paths: int


class RecordTrial(NamedTuple):
    """Outcomes of the caller's session with a layer that is held out by session, or without it.

    Of `n` outcomes `n_losses` are of the kind that the layer is there to avoid.
    """

    layer: str
    is_held_out: bool
    n: int
    n_losses: int


class TrialNoted(NamedTuple):
    """Whether the session found a place among the units of this day."""

    is_counted: bool


class RecordAccount(NamedTuple):
    """What another domain says of itself, with totals since its store began; `account.py` has the names.

    `source` is the domain and the id of its store, `domain@store_id`. Anybody may tell it: it only repeats.
    """

    source: str
    rows: tuple[AccountRow, ...]


class AccountCounted(NamedTuple):
    """How many of the numbers were news."""

    n_news: int


class GetEvidence(NamedTuple):
    """Ask what the newest `n_days` UTC days of the ledger add up to, today's included."""

    n_days: int


class GetStatistics(NamedTuple):
    """Ask for all counters."""


class GetEditQuality(NamedTuple):
    """Ask for the report's section on edit quality."""


class GetReadQuality(NamedTuple):
    """Ask how reads bounce, by extension and by path."""


class GetLedger(NamedTuple):
    """Ask for the closed days from day `from_day` on (counted from the epoch), oldest first, `max_records` at most."""

    from_day: int
    max_records: int


class GetSavings(NamedTuple):
    """Ask for the ledger's sheets: of the newest `n_days` days, the open one included, and of all months."""

    n_days: int


class Statistics(NamedTuple):
    """All counters at one moment; rows are sorted. What has lapsed is not in it, collected or not.

    `escalations_armed + escalations_returned` is always the sum of those that are pending and those that have ended.
    `ledger` holds the sums since ever by extension, mode and arm: reads, bounces, clean and wasted views, retries.
    `paths_remembered` counts the files of the path memory, `paths_full` those that are shown in full for it; `agents`
    and `extensions` those whose reads are followed. `files_evicted` were forgotten of agents that use many. `edits` are
    all edits by the mode of the view before them; of the open day's trials `trial_units` are kept, and
    `trial_outcomes_left_out` found no place. `layers_off` are switched off.
    """

    pairs: tuple[PairRow, ...]
    pairs_evicted: int
    pairs_decayed: int
    escalations_pending: int
    escalations_armed: int
    escalations_returned: int
    escalations_served: int
    escalations_expired: int
    escalations_evicted: int
    escalations_changed: int
    penalties: tuple[PenaltyRow, ...]
    sources: tuple[SourceRow, ...]
    outcomes: tuple[OutcomeRow, ...]
    reads: tuple[ReadRow, ...]
    pins: int
    pins_evicted: int
    penalties_held_out: tuple[PenaltyRow, ...]
    ledger: tuple[LedgerRow, ...]
    paths_remembered: int
    paths_full: int
    paths_evicted: int
    paths_decayed: int
    extensions: int
    extensions_evicted: int
    agents: int
    agents_evicted: int
    files_evicted: int
    notes: tuple[OutboxCount, ...]
    edits: tuple[EditRow, ...]
    trial_units: int
    trial_outcomes_left_out: int
    answers: AnswerCounts
    layers_off: tuple[str, ...] = ()
    escalations_reset: int = 0


class EditQuality(NamedTuple):
    """The report's section on edit quality; `report.edit_quality_lines` prints it."""

    pairs: tuple[PairRow, ...]
    escalations_served: int
    escalations_pending: int


class ReadQuality(NamedTuple):
    """How reads bounce: by extension, sorted by name, and how many files the path memory holds and shows in full."""

    rates: tuple[RateRow, ...]
    paths_remembered: int
    paths_full: int


class LedgerPage(NamedTuple):
    """Some closed days. `n_closed` were closed in all, `n_kept` are there; `last_digest` is that of the newest.

    `open_day` is the day that is not closed, as it stands now, if there is anything in it; its record says so.
    """

    records: tuple[LedgerRecord, ...]
    n_kept: int
    n_closed: int
    last_digest: bytes
    open_day: LedgerRecord | None = None


class Savings(NamedTuple):
    """The ledger's sheets, oldest first. A month holds its closed days."""

    days: tuple[LedgerSheet, ...]
    months: tuple[LedgerSheet, ...]


SCHEMA = SWITCH_SCHEMA + Schema(
    commands={
        "record_outcome": RecordOutcome,
        "resolve_mode": ResolveMode,
        "peek_mode": PeekMode,
        "record_read": RecordRead,
        "drop_escalation": DropEscalation,
        "follow_move": FollowMove,
        "statistics": GetStatistics,
        "edit_quality": GetEditQuality,
        "read_quality": GetReadQuality,
        "ledger": GetLedger,
        "savings": GetSavings,
        "failures": GetFailures,
        "forget_outcomes": ForgetOutcomes,
        "record_trial": RecordTrial,
        "record_account": RecordAccount,
        "evidence": GetEvidence,
        "record_answer": RecordAnswer,
        "ask_advice": AskAdvice,
        "reset_answers": ResetAnswers,
        "answer_quality": GetAnswerQuality,
    },
    answers={
        "recorded": Recorded,
        "resolved": Resolved,
        "read_counted": ReadCounted,
        "dropped": Dropped,
        "statistics": Statistics,
        "edit_quality": EditQuality,
        "read_quality": ReadQuality,
        "ledger": LedgerPage,
        "savings": Savings,
        "failures": Failures,
        "outcomes_gone": OutcomesGone,
        "trial_noted": TrialNoted,
        "account_counted": AccountCounted,
        "evidence": Evidence,
        "answer_counted": AnswerCounted,
        "advice": Advice,
        "answers_reset": AnswersReset,
        "answer_quality": AnswerQuality,
    },
    queries=(
        "peek_mode",
        "statistics",
        "edit_quality",
        "read_quality",
        "ledger",
        "savings",
        "failures",
        "ask_advice",
        "answer_quality",
        "evidence",
    ),
    anonymous=("record_account",),
    committed=("statistics", "edit_quality", "read_quality", "ledger", "savings", "answer_quality", "evidence"),
)
