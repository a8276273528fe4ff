"""What a replay teaches: how views of each kind fared, as counts, and which history they are from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256

from actors.quality_store.path import OTHER
from actors.thresholds.cost import PRIORS, CostKey, Outcomes
from actors.thresholds.event import ReplayRow
from actors.thresholds.replay_book import MAX_ROWS, plus
from coordinator.replay.choice import key_of, outcome_of
from coordinator.replay.trial import Trial

_ID_DIGITS = 32


def history_id(names: Iterable[str]) -> str:
    """An id that says nothing, from what names a history."""
    return sha256("\n".join(names).encode()).hexdigest()[:_ID_DIGITS]


def replay_rows(trials: Sequence[Trial], kind: str) -> tuple[ReplayRow, ...]:
    """The outcomes of every mode that is learned for, by kind of view; of too many kinds the most frequent.

    Files without an extension of their own teach nothing.
    """
    sums: dict[CostKey, Outcomes] = {}
    for trial in trials:
        for mode, shown in trial.by_kind[kind].items():
            if mode in PRIORS and trial.extension != OTHER:
                key = key_of(trial, mode)
                sums[key] = plus(sums.get(key, Outcomes()), outcome_of(trial, shown))
    kept = sorted(sums, key=lambda key: (-sums[key].n, key))[:MAX_ROWS]
    return tuple(ReplayRow(*key, *map(int, sums[key])) for key in sorted(kept))
