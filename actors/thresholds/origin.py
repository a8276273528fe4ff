"""What one origin has learned and may share. An origin is one data folder, under a random id that says nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from actors.thresholds.contribution import Contribution, Effective, effective
from actors.thresholds.daily_count import DailyCounts
from actors.thresholds.limit import MAX_REVISION
from actors.thresholds.placement import Observed, observed
from actors.thresholds.ranking import EffectiveRanking, Ranking, effective_ranking


class Origin(NamedTuple):
    """`thresholds` and `rankings` by extension, `placement` by client profile.

    `era` counts how often the origin has forgotten everything: what it learned in an earlier era is void, whoever still
    holds it.
    """

    era: int
    thresholds: Mapping[str, Contribution]
    placement: Mapping[str, DailyCounts]
    rankings: Mapping[str, Ranking] = MappingProxyType({})

    @property
    def next_revision(self) -> int:
        """Above all that the origin is known to have used in this era, so that its next change stands everywhere."""
        revisions = [one.revision for held in (self.thresholds, self.rankings) for one in held.values()]
        return min(MAX_REVISION, 1 + max(revisions, default=0))


NOTHING_YET = Origin(0, {}, {})
Origins = Mapping[str, Origin]


def effective_deltas(origins: Origins, today: int) -> dict[str, Effective]:
    """The delta of each extension that somebody has signals of, sorted by name."""
    by_extension: dict[str, list[Contribution]] = {}
    for origin in origins.values():
        for extension, contribution in origin.thresholds.items():
            by_extension.setdefault(extension, []).append(contribution)
    deltas = {extension: effective(by_extension[extension], today) for extension in sorted(by_extension)}
    return {extension: delta for extension, delta in deltas.items() if delta.n_samples}


def observations(origins: Origins, today: int) -> dict[str, Observed]:
    """What was observed of each client profile, sorted by name."""
    by_profile: dict[str, list[DailyCounts]] = {}
    for origin in origins.values():
        for profile, counts in origin.placement.items():
            by_profile.setdefault(profile, []).append(counts)
    return {profile: observed(by_profile[profile], today) for profile in sorted(by_profile)}


def effective_rankings(origins: Origins, today: int) -> dict[str, EffectiveRanking]:
    """The shifts for each extension that somebody has learned for, sorted by name."""
    by_extension: dict[str, list[Ranking]] = {}
    for origin in origins.values():
        for extension, ranking in origin.rankings.items():
            by_extension.setdefault(extension, []).append(ranking)
    found = ((extension, effective_ranking(by_extension[extension], today)) for extension in sorted(by_extension))
    return {extension: ranking for extension, ranking in found if ranking is not None}
