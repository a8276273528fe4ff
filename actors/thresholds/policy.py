"""What follows from all that is learned: the numbers that readers use, and the rows that people read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Final

from actors.runtime.holdout import BEGIN_SHARE, ENTROPY_DELTA, EXPECTED_COST, UNIT_RANKING
from actors.runtime.wire import pack
from actors.thresholds.contribution import counts
from actors.thresholds.cost import PRIOR_OUTCOMES, CostKey, Outcomes, estimate
from actors.thresholds.cost_evidence import Evidence
from actors.thresholds.limit import Limits
from actors.thresholds.messages import (
    CostEvidence,
    CostRow,
    DeltaRow,
    LearnedRow,
    Learning,
    Policy,
    ProfileRow,
    RankedRow,
    ShareRow,
    ShiftRow,
)
from actors.thresholds.origin import Origins, effective_deltas, effective_rankings, observations
from actors.thresholds.placement import DEFAULT_SHARE

_DECIMALS: Final = 4
_COARSE: Final = 2
_TOKENS_STEP: Final = 10
_FEW: Final = PRIOR_OUTCOMES
"""With fewer outcomes an estimate is the prior more than it is evidence: readers go by the prior."""


def learning(origins: Origins, costs: Iterable[Evidence], limits: Limits, today: int) -> Learning:
    """What was learned, as rows for people."""
    return Learning(
        tuple(_learned_rows(origins, limits, today)),
        tuple(_profile_rows(origins, limits, today)),
        tuple(CostEvidence(cost_row(one.key, one.seen), one.seen.n, one.n_replayed) for one in costs),
        limits.min_signals,
        limits.min_observations,
        tuple(_ranked_rows(origins, limits, today)),
        limits.min_hunks,
    )


def policy(
    origins: Origins, costs: Iterable[Evidence], limits: Limits, today: int, *, is_on: Callable[[str], bool]
) -> Policy:
    """What readers use: of what was learned, what there is enough evidence for; nothing of layers that are off."""
    deltas = delta_rows(origins, limits, today) if is_on(ENTROPY_DELTA) else ()
    shares = share_rows(origins, limits, today) if is_on(BEGIN_SHARE) else ()
    known = known_costs(costs) if is_on(EXPECTED_COST) else ()
    rankings = shift_rows(origins, limits, today) if is_on(UNIT_RANKING) else ()
    version = sha256(pack((deltas, known, shares, DEFAULT_SHARE, rankings))).hexdigest()[:12]
    return Policy(version, deltas, known, shares, DEFAULT_SHARE, rankings)


def known_costs(costs: Iterable[Evidence]) -> tuple[CostRow, ...]:
    """The costs that there is enough evidence of."""
    return tuple(cost_row(one.key, one.seen) for one in costs if one.seen.n >= _FEW)


def told_costs(costs: Iterable[Evidence]) -> dict[CostKey, tuple[CostRow, float]]:
    """What readers go by of each kind of view, the prior where there is too little evidence, and the outcomes."""
    return {one.key: (cost_row(one.key, one.seen if one.seen.n >= _FEW else Outcomes()), one.seen.n) for one in costs}


def shift_rows(origins: Origins, limits: Limits, today: int) -> tuple[ShiftRow, ...]:
    """The shifts that apply."""
    return tuple(row.ranking for row in _ranked_rows(origins, limits, today) if row.applies)


def _ranked_rows(origins: Origins, limits: Limits, today: int) -> Iterator[RankedRow]:
    for extension, ranking in effective_rankings(origins, today).items():
        shifts = tuple(round(shift, _COARSE) + 0.0 for shift in ranking.shifts)
        applies = ranking.n_hunks >= limits.min_hunks
        yield RankedRow(ShiftRow(extension, shifts), ranking.n_hunks, ranking.n_origins, applies)


def delta_rows(origins: Origins, limits: Limits, today: int) -> tuple[DeltaRow, ...]:
    """The deltas that apply."""
    rows = (row for row in _learned_rows(origins, limits, today) if row.applies)
    return tuple(DeltaRow(row.extension, round(row.delta, _DECIMALS) + 0.0) for row in rows)


def share_rows(origins: Origins, limits: Limits, today: int) -> tuple[ShareRow, ...]:
    """The shares that are calibrated."""
    rows = (row for row in _profile_rows(origins, limits, today) if row.applies)
    return tuple(ShareRow(row.profile, round(row.begin_share, _DECIMALS)) for row in rows)


def _learned_rows(origins: Origins, limits: Limits, today: int) -> Iterator[LearnedRow]:
    for extension, (delta, n_samples) in effective_deltas(origins, today).items():
        holders = (origin.thresholds.get(extension) for origin in origins.values())
        n_origins = sum(1 for held in holders if held is not None and counts(held, today))
        yield LearnedRow(extension, delta, n_samples, n_origins, n_samples >= limits.min_signals)


def _profile_rows(origins: Origins, limits: Limits, today: int) -> Iterator[ProfileRow]:
    for profile, seen in observations(origins, today).items():
        applies = seen.n >= limits.min_observations
        share = seen.share(limits.min_observations)
        yield ProfileRow(profile, seen.n, seen.begin_rate, seen.end_rate, share, applies)


def cost_row(key: CostKey, seen: Outcomes) -> CostRow:
    """The cost of such a view as readers are told it, in round numbers."""
    share, p_loss, n_extra_tokens = estimate(key, seen)
    n_extra = _TOKENS_STEP * round(n_extra_tokens / _TOKENS_STEP)
    return CostRow(*key, round(share, _COARSE), round(p_loss, _COARSE), n_extra)
