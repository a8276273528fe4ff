"""Signals of a kind that is always left with the same intensity: the order of strength is the order of deposit.

So they need no sorting: a claim's signal goes to the end of a dict and is as quickly taken out again. Targets on which
several agents have left one, and deposits that come out of order (from a snapshot), are ranked as all other kinds are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from actors.runtime.clock import earlier
from actors.runtime.errors import InvariantBroken
from actors.scent_field.trail import LOG_DEAD, Deposit, KindTrails, dead_rank, intensity_of


class RecentTrails:
    """The same as `KindTrails`, made for deposits of `intensity` in the order of time."""

    def __init__(self, half_life_s: float, intensity: float) -> None:
        self.half_life_s = half_life_s
        self._intensity = intensity
        self._recent: dict[str, Deposit] = {}
        self._last_at_s = float("-inf")
        self._ranked = KindTrails(half_life_s)

    @property
    def n_deposits(self) -> int:
        """How many deposits are kept."""
        return len(self._recent) + self._ranked.n_deposits

    def put(self, target: str, deposit: Deposit) -> None:
        """Set this agent's deposit on the target."""
        before = self._recent.pop(target, None)
        if before is not None and before.agent_id != deposit.agent_id:
            self._ranked.put(target, before)
        if target in self._ranked or deposit.at_s < self._last_at_s or deposit.intensity != self._intensity:
            self._ranked.put(target, deposit)
        else:
            self._recent[target] = deposit
            self._last_at_s = deposit.at_s

    def put_each(self, targets: Sequence[str], deposit: Deposit) -> None:
        """Set this agent's deposit on each of the targets."""
        is_next = deposit.at_s >= self._last_at_s and deposit.intensity == self._intensity
        if is_next and self._recent.keys().isdisjoint(targets) and not len(self._ranked):
            self._recent.update(dict.fromkeys(targets, deposit))
            self._last_at_s = deposit.at_s
        else:
            for target in targets:
                self.put(target, deposit)

    def drop(self, target: str, agent_id: str) -> None:
        """Remove this agent's deposit on the target, if there is one."""
        deposit = self._recent.get(target)
        if deposit is None:
            self._ranked.drop(target, agent_id)
        elif deposit.agent_id == agent_id:
            del self._recent[target]

    def of(self, target: str, now_s: float) -> tuple[Deposit, ...]:
        """The live deposits on the target."""
        deposit = self._recent.get(target)
        if deposit is None:
            return self._ranked.of(target, now_s)
        return (deposit,) if self._is_live(deposit, now_s) else ()

    def _is_live(self, deposit: Deposit, now_s: float) -> bool:
        return deposit.rank(self.half_life_s) >= dead_rank(now_s, self.half_life_s)

    def collect(self, now_s: float) -> int:
        """Remove what has faded below 0.05; returns how many deposits that were."""
        dead = []
        for target, deposit in self._recent.items():
            if self._is_live(deposit, now_s):
                break
            dead.append(target)
        for target in dead:
            del self._recent[target]
        return len(dead) + self._ranked.collect(now_s)

    def strongest(self, now_s: float, limit: int) -> list[tuple[float, str]]:
        """The intensity and target of the strongest trails; of equals those with the first targets.

        Call `collect` before.
        """
        if limit <= 0:
            return []
        newest: list[tuple[float, str]] = []
        for target, deposit in reversed(self._recent.items()):
            if len(newest) >= limit and -deposit.at_s > newest[limit - 1][0]:
                break
            newest.append((-deposit.at_s, target))
        recent = [(self._intensity_now(target, now_s), target) for _, target in sorted(newest)[:limit]]
        both = [*recent, *self._ranked.strongest(now_s, limit)]
        return sorted(both, key=lambda row: (-row[0], row[1]))[:limit]

    def _intensity_now(self, target: str, now_s: float) -> float:
        return intensity_of(self._recent[target].rank(self.half_life_s), now_s, self.half_life_s)

    def next_death_s(self) -> float | None:
        """Field time at which the weakest deposit fades below 0.05."""
        oldest = next(iter(self._recent.values()), None)
        recent_s = None if oldest is None else (oldest.rank(self.half_life_s) - LOG_DEAD) * self.half_life_s
        return earlier(recent_s, self._ranked.next_death_s())

    def trails(self) -> Iterator[tuple[str, tuple[Deposit, ...]]]:
        """All trails by target."""
        recent = ((target, (deposit,)) for target, deposit in self._recent.items())
        return iter(sorted(chain(recent, self._ranked.trails())))

    def __len__(self) -> int:
        return len(self._recent) + len(self._ranked)

    def __contains__(self, target: str) -> bool:
        return target in self._recent or target in self._ranked

    def check_invariants(self) -> None:
        """No target is kept twice, and the order is that of time."""
        self._ranked.check_invariants()
        times = [deposit.at_s for deposit in self._recent.values()]
        if times != sorted(times) or any(deposit.intensity != self._intensity for deposit in self._recent.values()):
            raise InvariantBroken("the newest signals are not in the order of their deposit")
        if any(target in self._ranked for target in self._recent):
            raise InvariantBroken("a target's signals are kept in two places")
