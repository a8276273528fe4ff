"""Rounds in pairs, ours and the reference's in turns: a machine is never as fast twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any, TypeAlias

from coordinator.bench.crew import Round

RoundPair: TypeAlias = tuple[Round, Round]
"""Ours and the reference's, whichever came first."""


def measured_pair(measure: Callable[[str], Round], *, is_ours_first: bool) -> RoundPair:
    """A round of "scentfield" and one of "reference"."""
    if is_ours_first:
        ours, reference = measure("scentfield"), measure("reference")
    else:
        reference, ours = measure("reference"), measure("scentfield")
    return ours, reference


def figures_of(pairs: Sequence[RoundPair], reference: str) -> dict[str, Any]:
    """What every row says: medians, and how many times as long a call took, with the range over the pairs."""
    ratios = [ours.p50_ms / other.p50_ms for ours, other in pairs]
    return {
        "ops_per_s": round(median(ours.ops_per_s for ours, _ in pairs)),
        "p50_ms": round(median(ours.p50_ms for ours, _ in pairs), 3),
        "p99_ms": round(median(ours.p99_ms for ours, _ in pairs), 3),
        "reference": reference,
        "reference_ops_per_s": round(median(other.ops_per_s for _, other in pairs)),
        "reference_p50_ms": round(median(other.p50_ms for _, other in pairs), 3),
        "ratio": round(median(ratios), 2),
        "ratio_range": [round(min(ratios), 2), round(max(ratios), 2)],
    }
