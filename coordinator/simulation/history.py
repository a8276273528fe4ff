"""What happened in a simulated world, record by record, as an omniscient observer sees it.

The checker reads records and nothing else. Commands and answers stand as they crossed the wire, `[verb, *fields]`;
facts as they stand in the journal. `at_s` is virtual time.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

Message: TypeAlias = list[Any]
IMPOSTOR: Final = "impostor"
"""Whose requests name other agents' sessions, with tokens that are not theirs."""


class Sent(NamedTuple):
    """A caller has sent a request; `call` numbers the calls of a world."""

    at_s: float
    who: str
    call: int
    actor: str
    session_id: str
    number: int
    received_through: int
    abandoned: tuple[int, ...]
    commands: tuple[Message, ...]


class Arrived(NamedTuple):
    """A copy of a request is in a process's mailbox."""

    at_s: float
    actor: str
    process: int
    call: int


class Replied(NamedTuple):
    """A process has sent its answers; `field_s` was its field time."""

    at_s: float
    actor: str
    process: int
    field_s: float
    call: int
    answers: tuple[Message, ...]


class Heard(NamedTuple):
    """The caller has the answers."""

    at_s: float
    who: str
    call: int
    answers: tuple[Message, ...]


class GivenUp(NamedTuple):
    """The caller waits no longer."""

    at_s: float
    who: str
    call: int
    why: str


class Committed(NamedTuple):
    """A row, or with `is_tick` the clocks alone, is in the store."""

    at_s: float
    actor: str
    process: int
    epoch: int
    seq: int
    field_s: float
    utc_s: float
    events: tuple[Any, ...]
    is_tick: bool


class Opened(NamedTuple):
    """A process has recovered the state and is the writer; field time goes on from `field_s`."""

    at_s: float
    actor: str
    process: int
    epoch: int
    seq: int
    field_s: float


class Troubled(NamedTuple):
    """A process has stopped serving; `code` is its error's."""

    at_s: float
    actor: str
    process: int
    code: str


class Stalled(NamedTuple):
    """A process will not run for so long, and does not know it."""

    at_s: float
    actor: str
    process: int
    for_s: float


class Stopped(NamedTuple):
    """A process is gone: `killed` or `fenced`."""

    at_s: float
    actor: str
    process: int
    why: str


class Torn(NamedTuple):
    """A row that nobody was told of was written in part when its process died."""

    at_s: float
    actor: str
    seq: int


class Mended(NamedTuple):
    """The operator has cut the store after this row."""

    at_s: float
    actor: str
    seq: int


class Wrote(NamedTuple):
    """An agent wants to write to a resource that compares generations. `is_believed`: it thinks it holds the path."""

    at_s: float
    who: str
    session_id: str
    space: str
    path: str
    generation: int
    is_believed: bool
    is_accepted: bool


class Happened(NamedTuple):
    """Something that only readers care for: a pause, a jump of the wall clock, a full disk."""

    at_s: float
    who: str
    what: str


class Finished(NamedTuple):
    """The faults are over and all that ends by itself has had the time to."""

    at_s: float


Record: TypeAlias = (
    Sent
    | Arrived
    | Replied
    | Heard
    | GivenUp
    | Committed
    | Opened
    | Troubled
    | Stalled
    | Stopped
    | Torn
    | Mended
    | Wrote
    | Happened
    | Finished
)
History: TypeAlias = list[Record]
