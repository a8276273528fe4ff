"""What an import has changed in the eyes of readers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from actors.thresholds.contribution import NO_EVIDENCE, Effective
from actors.thresholds.cost import BUCKETS, CostKey, Outcomes
from actors.thresholds.messages import CostChange, CostRow, DeltaChange, ShareChange
from actors.thresholds.origin import Origins, effective_deltas, observations
from actors.thresholds.placement import NOTHING_OBSERVED, Observed
from actors.thresholds.policy import cost_row


class Known(NamedTuple):
    """What all origins together say on one day."""

    deltas: dict[str, Effective]
    observed: dict[str, Observed]


def known(origins: Origins, today: int) -> Known:
    """What the origins say today."""
    return Known(effective_deltas(origins, today), observations(origins, today))


def delta_changes(before: Known, after: Known) -> tuple[DeltaChange, ...]:
    """The extensions whose delta or signals are not what they were, by name."""
    changes = []
    for extension in sorted({*before.deltas, *after.deltas}):
        old, new = (state.deltas.get(extension, NO_EVIDENCE) for state in (before, after))
        if old != new:
            changes.append(DeltaChange(extension, old.delta, new.delta, old.n_samples, new.n_samples))
    return tuple(changes)


def share_changes(before: Known, after: Known, min_observations: int) -> tuple[ShareChange, ...]:
    """The client profiles of which something else was observed, by name."""
    changes = []
    for profile in sorted({*before.observed, *after.observed}):
        old, new = (state.observed.get(profile, NOTHING_OBSERVED) for state in (before, after))
        if old != new:
            shares = (old.share(min_observations), new.share(min_observations))
            changes.append(ShareChange(profile, *shares, old.n, new.n))
    return tuple(changes)


Told = Mapping[CostKey, tuple[CostRow, float]]
"""What readers are told of each kind of view that there is evidence of, and from how many outcomes."""


def cost_changes(before: Told, after: Told) -> tuple[CostChange, ...]:
    """The kinds of views of which readers are told something else, sorted."""
    keys = sorted({*before, *after}, key=lambda key: (key.extension, key.mode, BUCKETS.index(key.bucket)))
    changes = []
    for key in keys:
        nothing = cost_row(key, Outcomes()), 0.0
        (old, _), (new, n_outcomes) = before.get(key, nothing), after.get(key, nothing)
        if old != new:
            changes.append(CostChange(old, new, n_outcomes))
    return tuple(changes)
