"""What stands behind each cost: outcomes that were seen, and beside them what replays say."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from actors.thresholds.cost import BUCKETS, CostKey, Outcomes
from actors.thresholds.cost_book import CostBook
from actors.thresholds.replay_book import ReplayBook, plus


class Evidence(NamedTuple):
    """Both together; `n_replayed` is what replays count of `seen.n`."""

    key: CostKey
    seen: Outcomes
    n_replayed: float


def cost_evidence(costs: CostBook, replays: ReplayBook, today: int) -> Iterator[Evidence]:
    """The evidence of each kind of view, sorted."""
    seen, replayed = dict(costs.outcomes(today)), replays.outcomes(today)
    for key in sorted({*seen, *replayed}, key=lambda key: (key.extension, key.mode, BUCKETS.index(key.bucket))):
        more = replayed.get(key, Outcomes())
        yield Evidence(key, plus(seen.get(key, Outcomes()), more), more.n)
