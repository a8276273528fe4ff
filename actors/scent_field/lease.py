"""Leases: who holds which targets (Gray & Cheriton, SOSP 1989).

A lease blocks others while it lives. One that ended by a missed deadline keeps blocking through its lock delay. The
book finds the leases that a request would conflict with, and those that a session owns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from actors.runtime.errors import InvariantBroken
from actors.scent_field.overlap import OverlapIndex
from actors.scent_field.target import Target, is_inside, parse_target

MAX_REFUSED: Final = 1_024


@dataclass(slots=True, eq=False)
class Lease:
    """One claim. `blocked_until_s` is set once it has ended and its lock delay runs.

    `fades` says that no heartbeat keeps it: it ends when its CLAIMED signal falls below 0.3. `refused` remembers which
    (session, target) were refused because of it, so that prevented duplicate work counts once; of the 1,024 that it
    holds at most, further ones do not count at all. `renewed` says that its holder has asked for it again. A shared
    lease is `overtaken` once a newer generation was granted on what it covers: nobody joins it any more.
    """

    lease_id: int
    session_id: str
    targets: tuple[str, ...]
    shared: bool
    generation: int
    fades: bool
    granted_at_s: float
    progress_at_s: float
    intent: str
    blocked_until_s: float | None = None
    renewed: bool = False
    refused: set[tuple[str, str]] | None = None
    overtaken: bool = False

    @property
    def is_live(self) -> bool:
        """Whether it has not ended."""
        return self.blocked_until_s is None

    def keeps_out(self, lineage: tuple[str, ...], shared: bool) -> bool:
        """Whether this session (itself first, then its ancestors) may not have what this lease covers.

        A session is never kept out by itself or by its ancestors, and shared requests not by shared leases.
        """
        return self.session_id not in lineage and not (shared and self.shared)

    def includes(self, target: Target) -> bool:
        """Whether one of its targets surely covers all of this one."""
        return any(is_inside(target, parse_target(text)) for text in self.targets)

    def has_counted(self, refusal: tuple[str, str]) -> bool:
        """Whether this (session, target) is no news: it was refused before, or there is no more room to remember it."""
        return self.refused is not None and (refusal in self.refused or len(self.refused) >= MAX_REFUSED)


@dataclass(slots=True)
class LeaseBook:
    """The leases of one claim space, live ones and those in lock delay."""

    leases: dict[int, Lease] = field(default_factory=dict)
    index: OverlapIndex[Lease] = field(default_factory=OverlapIndex)
    own: dict[str, dict[int, Lease]] = field(default_factory=dict)
    n_live: int = 0
    n_shared: int = 0

    def add(self, lease: Lease) -> None:
        """Take up a lease."""
        lease_id = lease.lease_id
        self.leases[lease_id] = lease
        for target in lease.targets:
            self.index.add(parse_target(target), lease_id, lease)
        if lease.is_live:
            self._own(lease)

    def add_each(self, leases: Sequence[Lease], paths: Sequence[str]) -> None:
        """Take up one session's new leases, each on one of these plain files, with numbers that count on."""
        first = leases[0].lease_id
        numbered = dict(zip(range(first, first + len(leases)), leases, strict=True))
        self.leases.update(numbered)
        self.index.add_each(paths, first, leases)
        self.own.setdefault(leases[0].session_id, {}).update(numbered)
        self.n_live += len(leases)

    def overtake(self, newer: Lease) -> None:
        """Note on the live shared leases that this one overlaps that their generation is not the newest any more."""
        for text in newer.targets:
            for lease in self.covering(parse_target(text)):
                lease.overtaken |= lease.shared and lease.generation < newer.generation

    def end(self, lease: Lease, blocked_until_s: float) -> None:
        """The lease is over but blocks until then."""
        self._disown(lease)
        lease.blocked_until_s = blocked_until_s

    def remove(self, lease: Lease) -> None:
        """The lease blocks nobody any more."""
        if lease.is_live:
            self._disown(lease)
        for target in lease.targets:
            self.index.remove(parse_target(target), lease.lease_id)
        del self.leases[lease.lease_id]

    def shrink(self, lease: Lease, released: tuple[str, ...]) -> None:
        """Give back some targets of a live lease."""
        for target in released:
            self.index.remove(parse_target(target), lease.lease_id)
        lease.targets = tuple(target for target in lease.targets if target not in released)

    def move(self, lease: Lease, session_id: str) -> None:
        """Hand a live lease to another session."""
        self._disown(lease)
        lease.session_id = session_id
        self._own(lease)

    @contextmanager
    def as_if_moved(self, leases: Sequence[Lease], session_id: str) -> Iterator[None]:
        """Look ahead: inside, what is blocked and covered is so as if this session had these leases already."""
        holders = [lease.session_id for lease in leases]
        for lease in leases:
            lease.session_id = session_id
        try:
            yield
        finally:
            for lease, holder in zip(leases, holders, strict=True):
                lease.session_id = holder

    def blocking(self, target: Target, lineage: tuple[str, ...], shared: bool) -> list[Lease]:
        """Leases on overlapping targets that keep this request out, oldest first, lock delays included."""
        found = self.index.overlapping(target)
        if not found:
            return found
        return [lease for lease in _each_once(found) if lease.keeps_out(lineage, shared)]

    def covering(self, target: Target) -> list[Lease]:
        """Live leases on overlapping targets, oldest first."""
        return [lease for lease in _each_once(self.index.overlapping(target)) if lease.blocked_until_s is None]

    def on(self, target: Target) -> list[Lease]:
        """Leases on exactly this target, oldest first, lock delays included."""
        return self.index.on(target)

    def sharers(self, target: Target) -> list[Lease]:
        """The live shared leases on overlapping targets, oldest first."""
        return [lease for lease in self.covering(target) if lease.shared] if self.n_shared else []

    def same(self, session_id: str, targets: tuple[Target, ...], shared: bool) -> Lease | None:
        """The session's live lease of exactly these targets and this mode."""
        for lease in self.index.on(targets[0]):
            is_own = lease.session_id == session_id and lease.is_live
            if is_own and lease.shared == shared and lease.targets == tuple([target.text for target in targets]):
                return lease
        return None

    def covers_own(self, session_id: str, target: Target) -> bool:
        """Whether the session holds an exclusive lease whose targets cover all of this file."""
        return any(
            lease.is_live and lease.session_id == session_id and not lease.shared
            for lease in self.index.overlapping(target)
        )

    def owned(self, session_id: str) -> list[Lease]:
        """The session's live leases, oldest first."""
        return [lease for _, lease in sorted(self.own.get(session_id, {}).items())]

    def owned_on(self, session_id: str, target: str) -> list[Lease]:
        """The session's live leases on exactly this target, oldest first."""
        on = self.index.on(parse_target(target))
        return [lease for lease in on if lease.session_id == session_id and lease.is_live]

    def _own(self, lease: Lease) -> None:
        self.n_live += 1
        self.n_shared += lease.shared
        self.own.setdefault(lease.session_id, {})[lease.lease_id] = lease

    def _disown(self, lease: Lease) -> None:
        self.n_live -= 1
        self.n_shared -= lease.shared
        own = self.own[lease.session_id]
        del own[lease.lease_id]
        if not own:
            del self.own[lease.session_id]

    def snapshot(self) -> Iterator[list[Any]]:
        """One row a lease."""
        for lease in self.leases.values():
            yield [
                lease.lease_id,
                lease.session_id,
                list(lease.targets),
                lease.shared,
                lease.generation,
                lease.fades,
                lease.granted_at_s,
                lease.progress_at_s,
                lease.intent,
                lease.blocked_until_s,
                lease.renewed,
                sorted(lease.refused or ()),
            ]

    def restore(self, row: list[Any]) -> Lease:
        """Take one `snapshot` row."""
        *fields, refused = row
        lease = Lease(*fields)
        lease.targets = tuple(lease.targets)
        lease.refused = {(asker, target) for asker, target in refused} or None
        self.add(lease)
        return lease

    def check_invariants(self) -> None:
        """Rebuild the indices and compare."""
        twin = LeaseBook()
        for row in self.snapshot():
            twin.restore(row)
        if self.n_live != sum(1 for lease in self.leases.values() if lease.is_live):
            raise InvariantBroken(f"{self.n_live} live leases are counted, others are there")
        if self.n_shared != twin.n_shared:
            raise InvariantBroken(f"{self.n_shared} live shared leases are counted, {twin.n_shared} are there")
        if {one: sorted(ids) for one, ids in twin.own.items()} != {one: sorted(ids) for one, ids in self.own.items()}:
            raise InvariantBroken("the index of leases by session does not follow from the leases")
        if len(twin.index) != len(self.index) or twin.index.n_folders != self.index.n_folders:
            raise InvariantBroken("the index of leases by target does not follow from the leases")
        for lease in self.leases.values():
            for text in lease.targets:
                if not any(found is lease for found in self.index.overlapping(parse_target(text))):
                    raise InvariantBroken(f"lease {lease.lease_id} is not found on its own target {text!r}")


def _each_once(leases: list[Lease]) -> list[Lease]:
    """A lease on several overlapping targets comes in a row, as the index sorts by its number."""
    if len(leases) < 2:
        return leases
    return [lease for at, lease in enumerate(leases) if at == 0 or lease is not leases[at - 1]]
