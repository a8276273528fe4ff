"""What has happened in the quality store, as it is journaled.

Events carry what follows from a decision (risky or not, which row), so replaying them asks no limit.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from actors.runtime.event_table import EventTable


class TokenPinned(NamedTuple):
    """A session was seen for the first time."""

    session_id: str
    digest: bytes


class PinEvicted(NamedTuple):
    """There were too many sessions; this one was not used for longest."""

    session_id: str


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


class PenaltyServed(NamedTuple):
    """An automatic read of a risky pair was answered with `full`."""

    label: str
    mode: str


class ReadRecorded(NamedTuple):
    """A file was shown. `source` is the row of the automatic mode's source, "" for a mode that the agent named."""

    label: str
    mode: str
    source: str
    n_tokens: int
    n_total_tokens: int


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
    },
    relaxed=(OutcomeCounted, PenaltyServed, ReadRecorded),
)
