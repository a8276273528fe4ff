"""What can be asked of the quality store, and what it answers.

Paths are canonical and relative to the root of their claim space. Commands change something and are numbered; queries
(`PeekMode`, `GetStatistics`, `GetEditQuality`) change nothing, not even what has lapsed.
"""

from __future__ import annotations

from typing import NamedTuple

from actors.quality_store.escalation import Escalation
from actors.runtime.wire import Schema


class RecordOutcome(NamedTuple):
    """An edit has ended.

    `mode` is the mode of this agent's last whole-file view of the path, "" if it never had one. `outcome` is "success"
    or "failure"; `cause` one of those in `cause.py`.
    """

    space: str
    path: str
    mode: str
    outcome: str
    cause: str


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

    `source` is "edit_fail_escalation", "edit_quality_penalty", or "" where the candidate's own source stands.
    `consumed` is the escalation that this answer used up; it goes back if the caller gave up before it heard.
    """

    mode: str
    source: str
    consumed: Escalation | None = None


class RecordRead(NamedTuple):
    """A file was shown: `n_tokens` of its `n_total_tokens`.

    `source` says who chose an automatic mode; "" for a mode that the agent named.
    """

    space: str
    path: str
    mode: str
    source: str
    n_tokens: int
    n_total_tokens: int


class ReadCounted(NamedTuple):
    """The row that the read was added to."""

    extension: str
    mode: str


class DropEscalation(NamedTuple):
    """These files were changed from outside: what was learned from a failed edit of them no longer stands."""

    space: str
    paths: tuple[str, ...]


class Dropped(NamedTuple):
    """So many of the paths had an escalation pending."""

    n_escalations: int


class GetStatistics(NamedTuple):
    """Ask for all counters."""


class GetEditQuality(NamedTuple):
    """Ask for the report's section on edit quality."""


class PairRow(NamedTuple):
    """What is known of one (extension, mode). `fail_rate` is a share, 0 to 1."""

    extension: str
    mode: str
    n_fails: int
    n_successes: int
    fail_rate: float
    risky: bool


class OutcomeRow(NamedTuple):
    """So many edits of files of this extension ended by this cause, with signal or without."""

    extension: str
    cause: str
    n: int


class PenaltyRow(NamedTuple):
    """So many automatic reads that would have used this mode were answered with `full`."""

    extension: str
    mode: str
    n: int


class SourceRow(NamedTuple):
    """So many automatic reads got their mode from this source."""

    source: str
    n: int


class ReadRow(NamedTuple):
    """Reads of one (extension, mode) and what they showed of the files' tokens, before bounces and retries."""

    extension: str
    mode: str
    n_reads: int
    n_tokens: int
    n_total_tokens: int

    @property
    def n_saved_tokens(self) -> int:
        """Tokens that were not sent; negative where the view was longer than the file."""
        return self.n_total_tokens - self.n_tokens


class Statistics(NamedTuple):
    """All counters at one moment; rows are sorted. What has lapsed is not in it, collected or not.

    `escalations_armed + escalations_returned` is always the sum of those that are pending and those that have ended.
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


class EditQuality(NamedTuple):
    """The report's section on edit quality; `report.edit_quality_lines` prints it."""

    pairs: tuple[PairRow, ...]
    escalations_served: int
    escalations_pending: int


SCHEMA = Schema(
    commands={
        "record_outcome": RecordOutcome,
        "resolve_mode": ResolveMode,
        "peek_mode": PeekMode,
        "record_read": RecordRead,
        "drop_escalation": DropEscalation,
        "statistics": GetStatistics,
        "edit_quality": GetEditQuality,
    },
    answers={
        "recorded": Recorded,
        "resolved": Resolved,
        "read_counted": ReadCounted,
        "dropped": Dropped,
        "statistics": Statistics,
        "edit_quality": EditQuality,
    },
    queries=("peek_mode", "statistics", "edit_quality"),
    committed=("statistics", "edit_quality"),
)
