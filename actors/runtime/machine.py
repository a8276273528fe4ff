"""The contract between the shell and a domain's state machine.

    command + now  ->  machine  ->  events (journaled), answer (sent after the commit)

A machine is synchronous and deterministic. It reads no clock, no environment and no random source; ids and times come
in as arguments. All its state follows from its events: `evolve` is the only mutator, and replaying the journal through
`evolve` gives the same state, whatever the settings are by then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple, Protocol

from actors.runtime.event_table import EventTable
from actors.runtime.outbox import Outbox
from actors.runtime.wire import Schema


class Now(NamedTuple):
    """One moment, on both clocks.

    `field_s` counts the actor's uptime in seconds and stands still while it is down; leases and signals use it.
    `utc_s` is guarded wall time, seconds since the epoch, never backwards; learning uses it.
    """

    field_s: float
    utc_s: float


class Caller(NamedTuple):
    """An authenticated session, `name#incarnation`. Empty for calls that need none (register, queries)."""

    session_id: str


NOBODY: Final = Caller("")


class Ticket(NamedTuple):
    """What a command gets that has to wait: its answer comes out of `take_settled` later."""

    number: int


class Machine(Protocol):
    """What the kernel asks of a domain.

    A domain that tells others what has happened has an `outbox: Outbox` too; the shell delivers what it holds.
    """

    schema: Schema
    events: EventTable

    def admit(self, session_id: str, token: str, now: Now) -> Caller:
        """Authenticate a mutating call. Raises `UnknownAgent` and changes nothing if the token is not the session's."""

    def perform(self, caller: Caller, command: Any, now: Now) -> Any:
        """Carry out one command; returns its answer (a message of the schema) or a `Ticket`.

        Raises `Misuse` for what is illegal; a command that is refused changes nothing.
        """

    def withdraw(self, ticket: Ticket, now: Now) -> None:
        """The caller of a waiting command gave up: it leaves the queue at once."""

    def undo(self, caller: Caller, answer: Any, now: Now) -> None:
        """The caller of a finished command gave up before it heard the answer: take back what it was granted."""

    def expire(self, now: Now) -> None:
        """Record all that ends by itself up to `now`."""

    def next_deadline_s(self) -> float | None:
        """Field time of the next thing that ends by itself; None while nothing can."""

    def take_events(self) -> list[Any]:
        """The events recorded since the last call, in order, already applied."""

    def take_settled(self, now: Now) -> list[tuple[Ticket, Any]]:
        """Waiting commands that have their answer now."""

    def take_departed(self) -> list[str]:
        """Sessions that have ended since the last call: their request memory can go."""

    def evolve(self, event: Any) -> None:
        """Apply one fact; the only mutator."""

    def snapshot(self) -> Iterator[list[Any]]:
        """The whole state as msgpack-able parts, each small enough to pack without a pause."""

    def restore(self, parts: Iterable[list[Any]]) -> None:
        """Fill an empty machine from `snapshot` parts."""

    def wake(self, now: Now) -> None:
        """Called once after recovery: give every session a full TTL. Writes nothing."""

    def check_invariants(self) -> None:
        """Re-derive every index and compare; raises `InvariantBroken`. For tests and `doctor`."""


def outbox_of(machine: Machine) -> Outbox | None:
    """The machine's outbox; None for a machine that tells nobody anything."""
    outbox: Outbox | None = getattr(machine, "outbox", None)
    return outbox
