"""What the book of a scent field has entries for: sessions, claims, and those who wait."""

from __future__ import annotations

from dataclasses import dataclass, replace

from coordinator.simulation.universe import any_meet


@dataclass(slots=True)
class Session:
    """A session that has not ended; `lineage` is itself and its ancestors."""

    session_id: str
    parent: str
    kept_by: str
    ttl_s: float
    at_s: float
    lineage: tuple[str, ...]
    row: int


@dataclass(slots=True, eq=False)
class Lease:
    """One claim; `free_at_s` is set once it has ended. `row` is where it was last changed, `began` where granted.

    `given_back` are targets that it had until then.
    """

    lease_id: int
    space: str
    session_id: str
    targets: tuple[str, ...]
    shared: bool
    generation: int
    fades: bool
    progress_at_s: float
    row: int
    began: int
    renewed: bool = False
    reason: str = ""
    free_at_s: float | None = None
    given_back: tuple[str, ...] = ()

    @property
    def is_live(self) -> bool:
        """Whether it has not ended."""
        return self.free_at_s is None

    def keeps_out(self, lineage: tuple[str, ...], targets: tuple[str, ...], shared: bool) -> bool:
        """Whether this request may not be granted beside it."""
        return self.session_id not in lineage and not (shared and self.shared) and any_meet(self.targets, targets)


@dataclass(slots=True)
class Waiter:
    """A queued request."""

    ticket: int
    space: str
    session_id: str
    targets: tuple[str, ...]
    shared: bool
    any_of: bool
    deadline_s: float
    row: int


def ended_copy(lease: Lease, reason: str, row: int) -> Lease:
    """A copy of a claim as it was when its holder handed it over."""
    return replace(lease, row=row, reason=reason, free_at_s=0.0, given_back=())
