"""Joining what several machines have learned: idempotent, commutative, associative, whatever is cut off.

Each part is the join of a semilattice (a state-based CRDT, Shapiro et al. 2011). The bounds keep that so because they
go by what a join can only raise, or not change at all: origins and profiles by name, days by date, contributions by
rank. A bound that went by anything else would make the result hang on the order of merging.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from heapq import nlargest, nsmallest

from actors.thresholds.contribution import HasRank, Ranked, newer
from actors.thresholds.daily_count import DailyCounts, merged_counts
from actors.thresholds.limit import MAX_EXTENSIONS, MAX_ORIGINS, MAX_PROFILES
from actors.thresholds.name import OTHER
from actors.thresholds.origin import Origin, Origins
from actors.thresholds.ranking import MAX_RANKINGS


def merged(one: Origins, other: Origins, *, local: str = "") -> dict[str, Origin]:
    """All that both hold, 256 origins at most.

    `local` is this machine's own origin: it is never cut off, and has its place kept even before it has learned.
    """
    joined = {**one, **other}
    for origin in one.keys() & other.keys():
        joined[origin] = merged_origin(one[origin], other[origin])
    return kept_origins(joined, local)


def kept_origins(origins: Origins, local: str) -> dict[str, Origin]:
    """Without those that are too many: the last in the order of their ids."""
    foreign = [origin for origin in origins if origin != local]
    kept = nsmallest(MAX_ORIGINS - bool(local), foreign)
    return {origin: origins[origin] for origin in sorted([*kept, *({local} & origins.keys())])}


def merged_origin(one: Origin, other: Origin) -> Origin:
    """What an origin has learned by two reports of it. Of two eras the later one stands alone."""
    if one.era != other.era:
        return max(one, other, key=lambda origin: origin.era)
    return Origin(
        one.era,
        _merged_ranked(one.thresholds, other.thresholds, MAX_EXTENSIONS),
        _merged_placement(one.placement, other.placement),
        _merged_ranked(one.rankings, other.rankings, MAX_RANKINGS),
    )


def _merged_ranked(one: Mapping[str, Ranked], other: Mapping[str, Ranked], most: int) -> dict[str, Ranked]:
    joined = {**one, **other}
    for extension in one.keys() & other.keys():
        joined[extension] = newer(one[extension], other[extension])
    return {extension: joined[extension] for extension in kept_extensions(joined, most)}


def kept_extensions(ranked: Mapping[str, HasRank], most: int = MAX_EXTENSIONS) -> list[str]:
    """The extensions that stay, sorted: of too many, those that changed last."""
    if len(ranked) <= most:
        return sorted(ranked)
    return sorted(nlargest(most, ranked, key=lambda name: (ranked[name].rank, name)))


def _merged_placement(one: Mapping[str, DailyCounts], other: Mapping[str, DailyCounts]) -> dict[str, DailyCounts]:
    joined = {**one, **other}
    for profile in one.keys() & other.keys():
        joined[profile] = merged_counts(one[profile], other[profile])
    return {profile: joined[profile] for profile in kept_profiles(joined)}


def kept_profiles(profiles: Collection[str]) -> list[str]:
    """The profiles that stay, sorted: of too many, the first by name, and "other" always."""
    named = nsmallest(MAX_PROFILES - 1, [profile for profile in profiles if profile != OTHER])
    return sorted([*named, *({OTHER} & set(profiles))])
