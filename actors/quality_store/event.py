"""What has happened in the quality store, as it is journaled.

Events carry what follows from a decision (risky or not, which row), so replaying them asks no limit.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from actors.quality_store.account import AccountRow
from actors.quality_store.answer_message import StepTaken
from actors.runtime.event_table import EventTable
from actors.runtime.pin import PinEvicted, TokenPinned


class OutcomeRecorded(NamedTuple):
    """An edit ended in a way that says something about (extension, mode).

    `label` is the extension under which `cause` is counted; `risky` is what the pair is from now on.
    """

    extension: str
    mode: str
    label: str
    cause: str
    failed: bool
    risky: bool
    at_utc_s: float


class OutcomeCounted(NamedTuple):
    """An edit ended in a way that carries no signal."""

    label: str
    cause: str


class PairDropped(NamedTuple):
    """A pair was forgotten; `reason` is "decayed" or "evicted"."""

    extension: str
    mode: str
    reason: str


class EscalationArmed(NamedTuple):
    """The path's next automatic read is `full`; arming it again renews its time."""

    space: str
    path: str
    at_utc_s: float


class EscalationEnded(NamedTuple):
    """An escalation is over; `reason` is "served", "expired", "evicted" or "changed"."""

    space: str
    path: str
    reason: str


class EscalationReturned(NamedTuple):
    """An escalation was served to a caller who never heard of it, and is pending again with its old age."""

    space: str
    path: str
    at_utc_s: float


class EscalationMoved(NamedTuple):
    """A file was renamed, and its pending escalation went along with its age."""

    space: str
    path: str
    new_path: str


class MemoryMoved(NamedTuple):
    """A file was renamed, and what the path memory knows of it went along."""

    space: str
    path: str
    new_path: str


class PenaltyServed(NamedTuple):
    """An automatic read of a risky pair was answered with `full`."""

    label: str
    mode: str


class PenaltyHeldOut(NamedTuple):
    """An automatic read of a risky pair got its mode all the same: the file is in the penalty's holdout today."""

    label: str
    mode: str


class EditCounted(NamedTuple):
    """An edit ended by this cause, after a view of this mode, "none" without one; `label` is the file's extension.

    `max_rows` is the limit under which it is placed.
    """

    label: str
    mode: str
    cause: str
    max_rows: int
    at_utc_s: float


class TrialCounted(NamedTuple):
    """Outcomes of a session with a layer, or without it: `n` of them, `n_losses` of which are to be avoided.

    `max_units` is the limit under which the session finds a place among the day's units.
    """

    layer: str
    is_held_out: bool
    unit: str
    n: int
    n_losses: int
    max_units: int
    at_utc_s: float


class AccountTold(NamedTuple):
    """Totals of a source have grown by so much, and other numbers are these now."""

    source: str
    grown: tuple[AccountRow, ...]
    now: tuple[AccountRow, ...]
    at_utc_s: float


class OutcomesForgotten(NamedTuple):
    """Somebody had forgotten what failed edits and bounces say of an extension, or of all for ""."""

    session_id: str
    extension: str
    at_utc_s: float


class SourceDropped(NamedTuple):
    """There were too many sources of accounts; this one was not heard of for longest."""

    source: str


class ReadRecorded(NamedTuple):
    """A file was shown; what stores of before the ledger hold. `source` as in `ViewShown`."""

    label: str
    mode: str
    source: str
    n_tokens: int
    n_total_tokens: int


class ViewShown(NamedTuple):
    """An agent was shown a file, and what that decided about the views that it had before.

    `source` is the row of the automatic mode's source, "" for a mode that the agent named. `is_read`: a whole file that
    was not shown so before; only such a read counts, and only for it the rest can be set. `is_watched`: it is a
    compressed view, or a `full` that may turn out wasted. `layers` had a say in the view, joined by "+"; those of them
    that are in `arm` were held out. `is_bounce`: it bounces the agent's compressed views of the
    file that are watched. `is_retry`: it is the cost of a failed edit. After that the `n_clean` oldest compressed views
    come out clean, and so many of the oldest fulls as `wasted` has items end, each wasted or not. `max_rows` is the
    limit under which it is placed in the ledger, `max_units` that of the units of a layer's trial.
    """

    session_id: str
    space: str
    path: str
    mode: str
    source: str
    arm: str
    n_tokens: int
    n_total_tokens: int
    is_read: bool
    is_watched: bool
    is_bounce: bool
    is_retry: bool
    n_clean: int
    wasted: tuple[bool, ...]
    max_rows: int
    at_utc_s: float
    layers: str
    max_units: int


class EditTried(NamedTuple):
    """An agent set out to edit a file. `signal` is what that says about its last view, which was of `mode` and `arm`.

    `is_success`: the file is as the agent wanted it. `n_tokens` were paid for a failed call and its answer.
    """

    session_id: str
    space: str
    path: str
    mode: str
    arm: str
    signal: str
    is_success: bool
    n_tokens: int
    max_rows: int
    at_utc_s: float
    max_units: int


class EditMissed(NamedTuple):
    """An agent's edit was not made, for a `cause` that says nothing about its views: it changes no state.

    It is kept for whoever asks what happened to the file. `mode` is that of the agent's last view of it.
    """

    session_id: str
    space: str
    path: str
    mode: str
    cause: str
    at_utc_s: float


class FilesForgotten(NamedTuple):
    """An agent has used too many files; the `n_files` that it used least lately are forgotten."""

    session_id: str
    n_files: int


class AgentForgotten(NamedTuple):
    """There were too many agents; this one was not heard of for longest."""

    session_id: str


class PathsForgotten(NamedTuple):
    """The path memory has lost its oldest `n_quiet` files without a bounce and `n_bounced` with one.

    `reason` is "decayed" or "evicted".
    """

    reason: str
    n_quiet: int
    n_bounced: int


class ExtensionForgotten(NamedTuple):
    """There were too many extensions; this one was not read for longest."""

    extension: str


class DayClosed(NamedTuple):
    """A UTC day of the ledger is over; its record is `content`, `LedgerRecord` says what the three are.

    With it go the oldest `n_records_out` records, and the days and months before those kept. `max_rows` is the limit
    under which the day becomes part of its month.
    """

    day: int
    content: bytes
    digest: bytes
    signature: bytes
    first_day_kept: int
    first_month_kept: int
    n_records_out: int
    max_rows: int


class AnswerRecorded(NamedTuple):
    """A question was answered, or given up; the fields up to `steps` are those of `RecordAnswer`.

    `arm` is "holdout" or "". The window of all agents, and that of the agent's, is degrading with this answer or not.
    """

    session_id: str
    quality: float
    first_quality: float
    ending: str
    n_asked: int
    n_failed: int
    steps: tuple[StepTaken, ...]
    arm: str
    is_degrading: bool
    is_agent_degrading: bool
    at_utc_s: float


class WindowDropped(NamedTuple):
    """The window of an agent's answers was forgotten; `reason` is "lapsed" or "evicted"."""

    session_id: str
    reason: str


class AnswersForgotten(NamedTuple):
    """The windows of answers, and what was learned of strategies, were forgotten at somebody's word."""

    at_utc_s: float


EVENTS: Final = EventTable(
    {
        300: TokenPinned,
        301: PinEvicted,
        302: OutcomeRecorded,
        303: OutcomeCounted,
        304: PairDropped,
        305: EscalationArmed,
        306: EscalationEnded,
        307: EscalationReturned,
        308: PenaltyServed,
        309: ReadRecorded,
        312: FilesForgotten,
        313: AgentForgotten,
        314: PathsForgotten,
        315: ExtensionForgotten,
        316: DayClosed,
        317: PenaltyHeldOut,
        318: EscalationMoved,
        319: MemoryMoved,
        330: EditMissed,
        340: ViewShown,
        341: EditTried,
        342: EditCounted,
        343: TrialCounted,
        344: AccountTold,
        345: SourceDropped,
        346: OutcomesForgotten,
        350: AnswerRecorded,
        351: WindowDropped,
        352: AnswersForgotten,
    },
    relaxed=(
        OutcomeCounted,
        PenaltyServed,
        ReadRecorded,
        ViewShown,
        EditTried,
        EditMissed,
        FilesForgotten,
        AgentForgotten,
        PathsForgotten,
        MemoryMoved,
        ExtensionForgotten,
        PenaltyHeldOut,
        EditCounted,
        TrialCounted,
        AccountTold,
        SourceDropped,
    ),
)
VIEW_SHOWN_BEFORE: Final = 310
EDIT_TRIED_BEFORE: Final = 311
"""The codes under which both stood before they said which layers had a say; nothing is known of that for them."""
SUCCESSORS: Final = {
    VIEW_SHOWN_BEFORE: lambda fields: (340, [*fields, "", 0]),
    EDIT_TRIED_BEFORE: lambda fields: (341, [*fields, 0]),
}
