"""Requests that wait, first come first served among those that overlap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from actors.runtime.errors import InvariantBroken
from actors.scent_field.overlap import OverlapIndex
from actors.scent_field.target import Target, parse_target


@dataclass(frozen=True, slots=True, eq=False)
class Waiter:
    """One queued request; its ticket is its place. `any_of` wants the first free target, not all."""

    space: str
    ticket: int
    session_id: str
    targets: tuple[str, ...]
    shared: bool
    any_of: bool
    queued_at_s: float
    deadline_s: float
    intent: str


@dataclass(slots=True)
class WaitLine:
    """The waiters of one claim space."""

    waiters: dict[int, Waiter] = field(default_factory=dict)
    index: OverlapIndex[Waiter] = field(default_factory=OverlapIndex)

    def __len__(self) -> int:
        return len(self.waiters)

    def add(self, waiter: Waiter) -> None:
        """Queue up."""
        self.waiters[waiter.ticket] = waiter
        for target in waiter.targets:
            self.index.add(parse_target(target), waiter.ticket, waiter)

    def remove(self, waiter: Waiter) -> None:
        """Leave the line."""
        for target in waiter.targets:
            self.index.remove(parse_target(target), waiter.ticket)
        del self.waiters[waiter.ticket]

    def ahead(self, target: Target, lineage: tuple[str, ...], shared: bool, before: int | None) -> list[Waiter]:
        """Earlier waiters that need this target too and could not share it, in the order of the line.

        `before` is the asker's own ticket; None for a request that is not queued yet. A waiter that takes any of its
        targets holds no place on each of them.
        """
        if not self.waiters:
            return []
        return [
            waiter
            for waiter in self.interested(target)
            if (before is None or waiter.ticket < before)
            and not waiter.any_of
            and waiter.session_id not in lineage
            and not (shared and waiter.shared)
        ]

    def interested(self, target: Target) -> list[Waiter]:
        """Waiters whose targets overlap this one, each once, in the order of the line."""
        return list({one.ticket: one for one in self.index.overlapping(target)}.values()) if self.waiters else []

    def snapshot(self) -> Iterator[list[Any]]:
        """One row a waiter."""
        for one in self.waiters.values():
            yield [
                one.ticket,
                one.session_id,
                list(one.targets),
                one.shared,
                one.any_of,
                one.queued_at_s,
                one.deadline_s,
                one.intent,
            ]

    def restore(self, space: str, row: list[Any]) -> Waiter:
        """Take one `snapshot` row."""
        ticket, session_id, targets, *rest = row
        waiter = Waiter(space, ticket, session_id, tuple(targets), *rest)
        self.add(waiter)
        return waiter

    def check_invariants(self) -> None:
        """The index finds each waiter on each of its targets, and nobody else."""
        if len(self.index) != sum(len(one.targets) for one in self.waiters.values()):
            raise InvariantBroken("the index of waiters does not follow from the waiters")
        for waiter in self.waiters.values():
            for text in waiter.targets:
                if not any(found is waiter for found in self.index.overlapping(parse_target(text))):
                    raise InvariantBroken(f"waiter {waiter.ticket} is not found on its own target {text!r}")
