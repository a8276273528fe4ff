"""Many seeds, over all processors."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from coordinator.processor import n_processors
from coordinator.simulation.disk import DiskRoom
from coordinator.simulation.verdict import Verdict, Violation, judge_seed

_CHUNK: Final = 10
Told = Callable[[int, int], None]
"""Hears how many seeds are done, and how many of them break a promise."""


@dataclass(slots=True)
class Campaign:
    """What came of many seeds. `violations` has the first of each seed that breaks a promise, by seed."""

    n_seeds: int
    n_steps: int
    n_records: int = 0
    violations: list[Violation] = field(default_factory=list)

    @property
    def n_violations(self) -> int:
        """How many seeds break a promise."""
        return len(self.violations)

    def take(self, verdict: Verdict) -> None:
        """Add a seed's verdict."""
        self.n_records += verdict.n_records
        self.violations += verdict.violations[:1]

    def document(self) -> dict[str, Any]:
        """The campaign for programs."""
        first = min(self.violations, key=lambda one: one.seed, default=None)
        return {
            "seeds": self.n_seeds,
            "steps": self.n_steps,
            "violations": self.n_violations,
            "first_violation": None if first is None else first.document(),
        }


def explore(
    seeds: Sequence[int],
    *,
    n_steps: int,
    n_agents: int,
    n_workers: int | None = None,
    told: Told = lambda _done, _broken: None,
) -> Campaign:
    """Run these seeds and judge them, in `n_workers` processes (default: one for each processor)."""
    campaign = Campaign(len(seeds), n_steps)
    for n_done, verdict in enumerate(_verdicts(seeds, n_steps, n_agents, n_workers or n_processors()), 1):
        campaign.take(verdict)
        told(n_done, campaign.n_violations)
    campaign.violations.sort(key=lambda one: one.seed)
    return campaign


def _verdicts(seeds: Sequence[int], n_steps: int, n_agents: int, n_workers: int) -> Iterator[Verdict]:
    if n_workers == 1 or len(seeds) <= _CHUNK:
        yield from _judge_one_by_one(seeds, n_steps, n_agents)
        return
    # Spawned, not forked: a child must not inherit threads or connections of whoever calls this.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(n_workers, mp_context=context) as pool:
        chunks = [pool.submit(judge_seeds, part, n_steps, n_agents) for part in _chunks(seeds)]
        try:
            for done in as_completed(chunks):
                yield from done.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _chunks(seeds: Sequence[int]) -> Iterator[list[int]]:
    remaining = iter(seeds)
    while part := list(islice(remaining, _CHUNK)):
        yield part


def _judge_one_by_one(seeds: Sequence[int], n_steps: int, n_agents: int) -> Iterator[Verdict]:
    with DiskRoom() as room:
        for seed in seeds:
            yield judge_seed(seed, n_steps=n_steps, n_agents=n_agents, room=room)


def judge_seeds(seeds: Sequence[int], n_steps: int, n_agents: int) -> list[Verdict]:
    """The verdicts on these seeds, in this process."""
    return list(_judge_one_by_one(seeds, n_steps, n_agents))
