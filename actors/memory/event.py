"""What has happened to playbooks and facts, as it is journaled.

`owner` of a playbook is a session's id, "" for the project's own. Events carry what follows, so replaying them asks for
no limit.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from actors.runtime.event_table import EventTable
from actors.runtime.pin import PinEvicted, TokenPinned


class EntryAdded(NamedTuple):
    """A playbook has one more entry, under the next number."""

    space: str
    owner: str
    entry_id: int
    kind: str
    content: str
    about: str
    agent: str
    at_utc_s: float


class EntryConfirmed(NamedTuple):
    """The same was found again."""

    space: str
    owner: str
    entry_id: int


class EntryMended(NamedTuple):
    """An entry tells of a failure, and of what mended it."""

    space: str
    owner: str
    entry_id: int


class EntryVoted(NamedTuple):
    """Somebody was helped by an entry, or harmed."""

    space: str
    owner: str
    entry_id: int
    is_helpful: bool


class EntryEvicted(NamedTuple):
    """An entry is gone; `reason` is "harmful", "unconfirmed", "full" or "asked"."""

    space: str
    owner: str
    entry_id: int
    reason: str


class TurnTaken(NamedTuple):
    """A session made a checkpoint: the entries up to `through`, which it was shown, are one turn older."""

    space: str
    owner: str
    session_id: str
    through: int


class EntriesShown(NamedTuple):
    """A session was shown the project's entries up to `through`."""

    space: str
    session_id: str
    through: int


class PlaybookResumed(NamedTuple):
    """A session goes on with what an earlier one had: the same entries, under the same numbers."""

    space: str
    from_owner: str
    to_owner: str


class PlaybookEvicted(NamedTuple):
    """There were too many playbooks; this one was not added to for longest."""

    space: str
    owner: str


class FactRemembered(NamedTuple):
    """There is one more fact. `expires_utc_s` is 0 for one that does not expire."""

    fact_id: int
    space: str
    category: str
    key: str
    value: str
    confidence: float
    agent: str
    at_utc_s: float
    path: str
    expires_utc_s: float


class FactConfirmed(NamedTuple):
    """The same was found again; from now on it has this confidence and expiry."""

    fact_id: int
    confidence: float
    at_utc_s: float
    expires_utc_s: float


class FactForgotten(NamedTuple):
    """A fact is gone; `reason` is "asked", "expired" or "full"."""

    fact_id: int
    reason: str


class IndexBegun(NamedTuple):
    """From now on vectors are those of this model, with `n_dims` numbers each; those of another one are gone."""

    model: str
    n_dims: int


class FactIndexed(NamedTuple):
    """A fact has a vector: one signed byte a number."""

    fact_id: int
    row: bytes


class RecallCounted(NamedTuple):
    """Somebody asked for facts, `how` is "exact", "category", "lexical" or "semantic", and found so many."""

    how: str
    n_found: int


class WakeupCounted(NamedTuple):
    """A session was given facts to begin with: `n_tokens`, where the flat list of them has `n_flat_tokens`."""

    n_facts: int
    n_tokens: int
    n_flat_tokens: int


EVENTS: Final = EventTable(
    {
        500: TokenPinned,
        501: PinEvicted,
        502: EntryAdded,
        503: EntryConfirmed,
        504: EntryVoted,
        505: EntryEvicted,
        506: TurnTaken,
        507: EntriesShown,
        508: PlaybookResumed,
        509: PlaybookEvicted,
        510: EntryMended,
        520: FactRemembered,
        521: FactConfirmed,
        522: FactForgotten,
        523: IndexBegun,
        524: FactIndexed,
        530: RecallCounted,
        531: WakeupCounted,
    },
    relaxed=(
        EntriesShown,
        IndexBegun,
        FactIndexed,
        RecallCounted,
        WakeupCounted,
    ),  # they can be had again, or counted less
)
