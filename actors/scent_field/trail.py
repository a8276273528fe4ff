"""All signals of one kind, in an order that time does not change.

A signal of intensity x deposited at time t is worth x * 2^(-(now - t) / half_life). Within a kind the half-life is
shared, so `log2(x) + t / half_life`, the *rank*, never changes between deposits (forward decay: Cormode et al., ICDE
2009): the strongest and the next to die are found without touching the others. Sums over agents are static too, so
whole targets are ranked by one number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from sortedcontainers import SortedList

from actors.runtime.errors import InvariantBroken

DEAD_BELOW: Final = 0.05
_log2 = math.log2
LOG_DEAD: Final = _log2(DEAD_BELOW)


class Deposit(NamedTuple):
    """One agent's signal: its intensity at the field time it was last left."""

    agent_id: str
    intensity: float
    at_s: float

    def now(self, now_s: float, half_life_s: float) -> float:
        """Its intensity at `now_s`."""
        return float(self.intensity * 2.0 ** ((self.at_s - now_s) / half_life_s))

    def rank(self, half_life_s: float) -> float:
        """What never changes: the logarithm of its intensity at time 0."""
        return _log2(self.intensity) + self.at_s / half_life_s


def dead_rank(now_s: float, half_life_s: float) -> float:
    """Whatever ranks lower has faded below 0.05 by now."""
    return LOG_DEAD + now_s / half_life_s


def intensity_of(rank: float, now_s: float, half_life_s: float) -> float:
    """The intensity of a rank by now."""
    return float(2.0 ** (rank - now_s / half_life_s))


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
        lowest = dead_rank(now_s, self.half_life_s)
        return tuple([one for one in trail.deposits if one.rank(self.half_life_s) >= lowest])

    def collect(self, now_s: float) -> int:
        """Remove what has faded below 0.05; returns how many deposits that were."""
        before = self.n_deposits
        lowest = dead_rank(now_s, self.half_life_s)
        if self._ranked and self._ranked[0].rank < lowest:
            self._remove_below(lowest)
        while self._fading and self._fading[0][0] < lowest:
            trail = self._trails[self._fading[0][1]]
            self._keep(trail, self.of(trail.target, now_s))
        return before - self.n_deposits

    def _remove_below(self, lowest: float) -> None:
        """Remove the weakest trails in one cut: one by one, a long list of them would be a pause."""
        n_dead = self._ranked.bisect_left((lowest, ""))
        dead = self._ranked[:n_dead]
        del self._ranked[:n_dead]
        for trail in dead:
            self._forget(trail)

    def strongest(self, now_s: float, limit: int) -> list[tuple[float, str]]:
        """The intensity and target of the strongest trails; of equals those with the first targets, in any order.

        Call `collect` before.
        """
        trails = list(islice(reversed(self._ranked), limit + 1))
        if len(trails) > limit > 0 and trails[limit - 1].rank == trails[limit].rank:
            tied = trails[limit].rank
            start = self._ranked.bisect_left((tied, ""))
            trails = [trail for trail in trails if trail.rank > tied]
            trails += self._ranked.islice(start, start + limit - len(trails))
        return [(intensity_of(trail.rank, now_s, self.half_life_s), trail.target) for trail in trails[:limit]]

    def next_death_s(self) -> float | None:
        """Field time at which the weakest deposit fades below 0.05."""
        ranks = [self._ranked[0].rank] if self._ranked else []
        if self._fading:
            ranks.append(self._fading[0][0])
        return (min(ranks) - LOG_DEAD) * self.half_life_s if ranks else None

    def trails(self) -> Iterator[tuple[str, tuple[Deposit, ...]]]:
        """All trails by target."""
        for target in sorted(self._trails):
            yield target, self._trails[target].deposits

    def __len__(self) -> int:
        return len(self._trails)

    def __contains__(self, target: str) -> bool:
        return target in self._trails

    def _insert(self, target: str, deposits: tuple[Deposit, ...]) -> None:
        if len(deposits) == 1:
            rank = deposits[0].rank(self.half_life_s)
        else:
            deposits = tuple(sorted(deposits))
            ranks = [one.rank(self.half_life_s) for one in deposits]
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
        self._ranked.remove(trail)
        self._forget(trail)

    def _forget(self, trail: _Trail) -> None:
        del self._trails[trail.target]
        self.n_deposits -= len(trail.deposits)
        if self._counts is not None:
            self._count(self._counts, trail.deposits, -1)
        if len(trail.deposits) > 1:
            self._fading.remove((min([one.rank(self.half_life_s) for one in trail.deposits]), trail.target))

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
