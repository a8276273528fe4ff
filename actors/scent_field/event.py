"""The scent field's facts, as they stand in its journal. Codes are for ever; fields carry results, not inputs."""

from __future__ import annotations

from typing import Final, NamedTuple

from actors.runtime.event_table import EventTable


class LeaseGranted(NamedTuple):
    """A session holds targets from now on."""

    lease_id: int
    space: str
    session_id: str
    targets: tuple[str, ...]
    shared: bool
    generation: int
    fades: bool
    at_s: float
    intent: str


class LeasesGranted(NamedTuple):
    """A session holds these plain files from now on, each by an exclusive claim of its own.

    Numbers of leases and generations count on from those of the first.
    """

    lease_id: int
    space: str
    session_id: str
    targets: tuple[str, ...]
    generation: int
    fades: bool
    at_s: float
    intent: str


class LeaseRenewed(NamedTuple):
    """The holder asked for the same claim again."""

    space: str
    lease_id: int
    at_s: float


class LeaseProgressed(NamedTuple):
    """The holder has worked on a target of the claim."""

    space: str
    lease_id: int
    at_s: float


class LeaseShrunk(NamedTuple):
    """The holder gave back some of the targets; the rest stays."""

    space: str
    lease_id: int
    targets: tuple[str, ...]
    at_s: float


class LeaseEnded(NamedTuple):
    """The claim is over. Until `blocked_until_s` (lock delay) nobody else gets its targets."""

    space: str
    lease_id: int
    reason: str
    at_s: float
    blocked_until_s: float


class LockDelayOver(NamedTuple):
    """The targets of an ended claim are free."""

    space: str
    lease_id: int


class LeaseMoved(NamedTuple):
    """The claim was handed over; the new holder has the next generation."""

    space: str
    lease_id: int
    session_id: str
    generation: int
    fades: bool
    at_s: float
    note: str


class WaiterQueued(NamedTuple):
    """A request waits for its turn until `deadline_s`."""

    ticket: int
    space: str
    session_id: str
    targets: tuple[str, ...]
    shared: bool
    any_of: bool
    at_s: float
    deadline_s: float
    intent: str


class WaiterLeft(NamedTuple):
    """A request waits no longer: `granted`, `timeout`, `withdrawn`, or its session has ended."""

    space: str
    ticket: int
    reason: str


class Prevented(NamedTuple):
    """An asked target, and the lease that kept its asker from working on it too."""

    lease_id: int
    target: str


class ClaimRejected(NamedTuple):
    """A claim was answered `Held`; `prevented` are the refusals that count as duplicate work prevented."""

    space: str
    session_id: str
    prevented: tuple[Prevented, ...]


class ChangeRefused(NamedTuple):
    """Changes were refused over the claims of others; `source` (`guard`, `hook`) says on which way they came."""

    space: str
    session_id: str
    source: str
    prevented: tuple[Prevented, ...]


class SignalDeposited(NamedTuple):
    """A signal's intensity after a deposit."""

    space: str
    kind: str
    target: str
    agent_id: str
    intensity: float
    at_s: float


class SignalNoted(NamedTuple):
    """The same for signals that work leaves by the way, which a crash may lose."""

    space: str
    kind: str
    target: str
    agent_id: str
    intensity: float
    at_s: float


class StrictnessSet(NamedTuple):
    """How a space treats edits of claimed files."""

    space: str
    strictness: str


class ReleaseForced(NamedTuple):
    """Somebody took a target away; the audit line."""

    space: str
    at_s: float
    at_utc_s: float
    by: str
    from_session: str
    target: str
    generation: int
    reason: str
    was_alive: bool


EVENTS: Final = EventTable(
    {
        200: LeaseGranted,
        201: LeaseRenewed,
        202: LeaseProgressed,
        203: LeaseShrunk,
        204: LeaseEnded,
        205: LockDelayOver,
        206: LeaseMoved,
        207: LeasesGranted,
        210: WaiterQueued,
        211: WaiterLeft,
        220: ClaimRejected,
        221: ChangeRefused,
        230: SignalDeposited,
        231: SignalNoted,
        240: StrictnessSet,
        241: ReleaseForced,
    },
    relaxed=(LeaseProgressed, ClaimRejected, ChangeRefused, SignalNoted),
)
