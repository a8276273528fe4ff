"""Signals that decay: what agents leave on targets for others to smell (stigmergy, Theraulaz & Bonabeau 1999).

Collecting what has faded writes nothing: two stores are equal when they are equal after collection at the same time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from actors.runtime.errors import InvariantBroken
from actors.scent_field.recent_trail import RecentTrails
from actors.scent_field.trail import Deposit, KindTrails


class SignalKind(StrEnum):
    """What a signal says about its target."""

    CLAIMED = "CLAIMED"
    HOT = "HOT"
    STUCK = "STUCK"
    DONE = "DONE"
    AVOID = "AVOID"


KINDS: Final = tuple(SignalKind)
HALF_LIVES_S: Final[Mapping[SignalKind, float]] = MappingProxyType(
    {
        SignalKind.CLAIMED: 600.0,
        SignalKind.HOT: 600.0,
        SignalKind.STUCK: 1800.0,
        SignalKind.DONE: 3600.0,
        SignalKind.AVOID: 3600.0,
    }
)
CLAIM_INTENSITY: Final = 2.0
MAX_INTENSITY: Final = 3.0
_CLAIMED: Final = SignalKind.CLAIMED


class SignalRow(NamedTuple):
    """One (kind, target) as `sync` shows it: the agents' intensities added up, strongest agent first."""

    kind: SignalKind
    target: str
    intensity: float
    deposits: tuple[Deposit, ...]


class Signals:
    """All signals of one claim space. `claimed` are those that come with claims."""

    def __init__(self, half_lives_s: Mapping[SignalKind, float] = HALF_LIVES_S) -> None:
        self._counts: dict[str, int] = {}
        self.claimed = RecentTrails(half_lives_s[_CLAIMED], CLAIM_INTENSITY)
        self._kinds: dict[SignalKind, KindTrails | RecentTrails] = {_CLAIMED: self.claimed}
        for kind in KINDS[1:]:
            self._kinds[kind] = KindTrails(half_lives_s[kind], self._counts)

    @property
    def n_deposits(self) -> int:
        """How many deposits are kept, faded ones that were not collected yet included."""
        return sum(trails.n_deposits for trails in self._kinds.values())

    def n_left_by(self, agent_id: str) -> int:
        """How many deposits of this agent are kept; its claims do not count."""
        return self._counts.get(agent_id, 0)

    def carried(self, kind: SignalKind, target: str, agent_id: str, now_s: float) -> float:
        """What is left of this agent's signal; 0 if it is dead."""
        for one in self._kinds[kind].of(target, now_s):
            if one.agent_id == agent_id:
                return one.now(now_s, self._kinds[kind].half_life_s)
        return 0.0

    def superposed(self, kind: SignalKind, target: str, agent_id: str, added: float, now_s: float) -> float:
        """The intensity after a deposit: what is carried plus the new one, capped at 3.0."""
        return min(MAX_INTENSITY, self.carried(kind, target, agent_id, now_s) + added)

    def put(self, kind: SignalKind, target: str, deposit: Deposit) -> None:
        """Set an agent's signal."""
        self._kinds[kind].put(target, deposit)

    def drop(self, kind: SignalKind, target: str, agent_id: str) -> None:
        """Remove an agent's signal."""
        self._kinds[kind].drop(target, agent_id)

    def collect(self, now_s: float) -> int:
        """Remove what has faded; returns how many deposits that were."""
        return sum(trails.collect(now_s) for trails in self._kinds.values())

    def row(self, kind: SignalKind, target: str, now_s: float) -> SignalRow | None:
        """The live signals of one kind on one target, without a full collection."""
        trails = self._kinds[kind]
        deposits = _strongest_first(trails.of(target, now_s), now_s, trails.half_life_s)
        if not deposits:
            return None
        return SignalRow(kind, target, math.fsum(one.intensity for one in deposits), deposits)

    def n_of(self, kind: SignalKind) -> int:
        """How many deposits of a kind are kept."""
        return self._kinds[kind].n_deposits

    @property
    def has_marks(self) -> bool:
        """Whether anything but claims is kept."""
        return bool(self._counts)

    def kinds_present(self, kinds: tuple[SignalKind, ...]) -> tuple[SignalKind, ...]:
        """Those of these kinds of which a deposit is kept."""
        return tuple([kind for kind in kinds if self._kinds[kind].n_deposits])

    def is_kept(self, kinds: tuple[SignalKind, ...], target: str) -> bool:
        """Whether a deposit of one of these kinds is kept on exactly this target."""
        return any(target in self._kinds[kind] for kind in kinds)

    def trails(self, kind: SignalKind) -> Iterator[tuple[str, tuple[Deposit, ...]]]:
        """All deposits of a kind by target, faded ones that were not collected yet included."""
        return self._kinds[kind].trails()

    def strongest(self, now_s: float, limit: int, kinds: tuple[SignalKind, ...] = KINDS) -> list[SignalRow]:
        """The strongest (kind, target) rows; equals by kind, then by target."""
        self.collect(now_s)
        found = [
            (-intensity, order, target)
            for order, kind in enumerate(KINDS)
            if kind in kinds
            for intensity, target in self._kinds[kind].strongest(now_s, limit)
        ]
        return [self._row(KINDS[order], target, -negated, now_s) for negated, order, target in sorted(found)[:limit]]

    def _row(self, kind: SignalKind, target: str, intensity: float, now_s: float) -> SignalRow:
        """A row with the sum that it was ranked by; another way to add up might differ in the last digit."""
        trails = self._kinds[kind]
        deposits = _strongest_first(trails.of(target, now_s), now_s, trails.half_life_s)
        return SignalRow(kind, target, intensity, deposits)

    def n_rows(self) -> int:
        """How many (kind, target) rows are live; call after `strongest` or `collect`."""
        return sum(len(trails) for trails in self._kinds.values())

    def next_death_s(self) -> float | None:
        """Field time at which the next deposit fades."""
        return min((at for trails in self._kinds.values() if (at := trails.next_death_s()) is not None), default=None)

    def totals(self, now_s: float) -> dict[SignalKind, int]:
        """Live deposits by kind."""
        self.collect(now_s)
        return {kind: trails.n_deposits for kind, trails in self._kinds.items()}

    def snapshot(self) -> Iterator[list[Any]]:
        """(kind, target, agent, intensity, at) for each deposit; ranks are rebuilt."""
        for kind, trails in self._kinds.items():
            for target, deposits in trails.trails():
                for one in deposits:
                    yield [str(kind), target, *one]

    def restore(self, kind: str, target: str, agent_id: str, intensity: float, at_s: float) -> None:
        """Take one `snapshot` row."""
        self.put(SignalKind(kind), target, Deposit(agent_id, intensity, at_s))

    def check_invariants(self) -> None:
        """Re-derive the indices of all kinds, and the counts by agent."""
        for trails in self._kinds.values():
            trails.check_invariants()
        left = [one.agent_id for kind in KINDS[1:] for _, deposits in self.trails(kind) for one in deposits]
        if self._counts != Counter(left):
            raise InvariantBroken("the signals counted by agent are not those that are there")


def _strongest_first(deposits: tuple[Deposit, ...], now_s: float, half_life_s: float) -> tuple[Deposit, ...]:
    """Deposits with their intensity at `now_s`, strongest first, equals by agent."""
    current = (Deposit(one.agent_id, one.now(now_s, half_life_s), one.at_s) for one in deposits)
    return tuple(sorted(current, key=lambda one: (-one.intensity, one.agent_id)))
