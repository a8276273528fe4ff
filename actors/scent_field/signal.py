"""Signals that decay: what agents leave on targets for others to smell (stigmergy, Theraulaz & Bonabeau 1999).

A signal of intensity x deposited at time t is worth x * 2^(-(now - t) / half_life). Signals of one kind share their
half-life, so `log2(x) + t / half_life` never changes between deposits (forward decay: Cormode et al., ICDE 2009): the
order within a kind is static, and the strongest rows and the next to die are found without touching the others. Sums
over agents are static too, so whole targets are ranked by one number.

Collecting what has faded writes nothing: two stores are equal when they are equal after collection at the same time.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import StrEnum
from itertools import islice
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from sortedcontainers import SortedList

from actors.runtime.errors import InvariantBroken


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
DEAD_BELOW: Final = 0.05
_CLAIMED: Final = SignalKind.CLAIMED
_log2 = math.log2
_LOG_DEAD: Final = _log2(DEAD_BELOW)


class Deposit(NamedTuple):
    """One agent's signal: its intensity at the field time it was last left."""

    agent_id: str
    intensity: float
    at_s: float

    def now(self, now_s: float, half_life_s: float) -> float:
        """Its intensity at `now_s`."""
        return float(self.intensity * 2.0 ** ((self.at_s - now_s) / half_life_s))


class SignalRow(NamedTuple):
    """One (kind, target) as `sync` shows it: the agents' intensities added up, strongest agent first."""

    kind: SignalKind
    target: str
    intensity: float
    deposits: tuple[Deposit, ...]


class _Trail(NamedTuple):
    """All deposits of one kind on one target; sorts by static rank, then by target."""

    rank: float
    target: str
    deposits: tuple[Deposit, ...]


class KindTrails:
    """The trails of one kind, in the order of their strength at any time.

    `counts` is where the deposits of each agent are counted; None counts nobody's.
    """

    def __init__(self, half_life_s: float, counts: dict[str, int] | None = None) -> None:
        self.half_life_s = half_life_s
        self._counts = counts
        self._trails: dict[str, _Trail] = {}
        self._ranked: SortedList[_Trail] = SortedList()
        self._fading: SortedList[tuple[float, str]] = SortedList()
        self.n_deposits = 0

    def put(self, target: str, deposit: Deposit) -> None:
        """Set this agent's deposit on the target."""
        trail = self._trails.get(target)
        if trail is None:
            self._insert(target, (deposit,))
            return
        self._remove(trail)
        others = [other for other in trail.deposits if other.agent_id != deposit.agent_id]
        self._insert(target, (*others, deposit))

    def drop(self, target: str, agent_id: str) -> None:
        """Remove this agent's deposit on the target, if there is one."""
        trail = self._trails.get(target)
        if trail is not None:
            self._keep(trail, tuple([one for one in trail.deposits if one.agent_id != agent_id]))

    def of(self, target: str, now_s: float) -> tuple[Deposit, ...]:
        """The live deposits on the target."""
        trail = self._trails.get(target)
        if trail is None:
            return ()
        dead_rank = self._dead_rank(now_s)
        return tuple([one for one in trail.deposits if self._static_rank(one) >= dead_rank])

    def collect(self, now_s: float) -> int:
        """Remove what has faded below 0.05; returns how many deposits that were."""
        before = self.n_deposits
        dead_rank = self._dead_rank(now_s)
        while self._ranked and self._ranked[0].rank < dead_rank:
            self._remove(self._ranked[0])
        while self._fading and self._fading[0][0] < dead_rank:
            trail = self._trails[self._fading[0][1]]
            self._keep(trail, self.of(trail.target, now_s))
        return before - self.n_deposits

    def strongest(self, now_s: float, limit: int) -> list[tuple[float, str]]:
        """The intensity and target of the strongest trails; of equals those with the first targets.

        Call `collect` before.
        """
        trails = list(islice(reversed(self._ranked), limit + 1))
        if len(trails) > limit > 0 and trails[limit - 1].rank == trails[limit].rank:
            tied = trails[limit].rank
            start = self._ranked.bisect_left((tied, ""))
            trails = [trail for trail in trails if trail.rank > tied]
            trails += self._ranked.islice(start, start + limit - len(trails))
        passed = now_s / self.half_life_s
        return [(float(2.0 ** (trail.rank - passed)), trail.target) for trail in trails[:limit]]

    def next_death_s(self) -> float | None:
        """Field time at which the weakest deposit fades below 0.05."""
        ranks = [self._ranked[0].rank] if self._ranked else []
        if self._fading:
            ranks.append(self._fading[0][0])
        return (min(ranks) - _LOG_DEAD) * self.half_life_s if ranks else None

    def trails(self) -> Iterator[tuple[str, tuple[Deposit, ...]]]:
        """All trails by target."""
        for target in sorted(self._trails):
            yield target, self._trails[target].deposits

    def __len__(self) -> int:
        return len(self._trails)

    def _static_rank(self, deposit: Deposit) -> float:
        return _log2(deposit.intensity) + deposit.at_s / self.half_life_s

    def _dead_rank(self, now_s: float) -> float:
        return _LOG_DEAD + now_s / self.half_life_s

    def _insert(self, target: str, deposits: tuple[Deposit, ...]) -> None:
        if len(deposits) == 1:
            deposit = deposits[0]
            rank = _log2(deposit.intensity) + deposit.at_s / self.half_life_s
        else:
            deposits = tuple(sorted(deposits))
            ranks = [self._static_rank(one) for one in deposits]
            highest = max(ranks)
            rank = highest + _log2(math.fsum([2.0 ** (one - highest) for one in ranks]))
            self._fading.add((min(ranks), target))
        trail = _Trail(rank, target, deposits)
        self._trails[target] = trail
        self._ranked.add(trail)
        self.n_deposits += len(deposits)
        if self._counts is not None:
            self._count(self._counts, deposits, 1)

    def _remove(self, trail: _Trail) -> None:
        del self._trails[trail.target]
        self._ranked.remove(trail)
        self.n_deposits -= len(trail.deposits)
        if self._counts is not None:
            self._count(self._counts, trail.deposits, -1)
        if len(trail.deposits) > 1:
            self._fading.remove((min([self._static_rank(one) for one in trail.deposits]), trail.target))

    def _count(self, counts: dict[str, int], deposits: tuple[Deposit, ...], change: int) -> None:
        for one in deposits:
            left = counts.get(one.agent_id, 0) + change
            if left:
                counts[one.agent_id] = left
            else:
                del counts[one.agent_id]

    def _keep(self, trail: _Trail, deposits: tuple[Deposit, ...]) -> None:
        self._remove(trail)
        if deposits:
            self._insert(trail.target, deposits)

    def check_invariants(self) -> None:
        """Rebuild the indices from the deposits and compare."""
        twin = KindTrails(self.half_life_s)
        for target, deposits in self.trails():
            twin._insert(target, deposits)
        if list(twin._ranked) != list(self._ranked) or list(twin._fading) != list(self._fading):
            raise InvariantBroken("the signals' order does not follow from their deposits")
        if twin.n_deposits != self.n_deposits:
            raise InvariantBroken(f"{self.n_deposits} deposits are counted, {twin.n_deposits} are there")


class Signals:
    """All signals of one claim space."""

    def __init__(self, half_lives_s: Mapping[SignalKind, float] = HALF_LIVES_S) -> None:
        self._counts: dict[str, int] = {}
        self._kinds = {
            kind: KindTrails(half_lives_s[kind], None if kind is SignalKind.CLAIMED else self._counts) for kind in KINDS
        }

    @property
    def claimed(self) -> KindTrails:
        """The signals that come with claims."""
        return self._kinds[_CLAIMED]

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
        rows = [self.row(KINDS[order], target, now_s) for _, order, target in sorted(found)[:limit]]
        return [row for row in rows if row is not None]

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
