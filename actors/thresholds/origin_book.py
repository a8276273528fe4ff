"""What this machine and others have learned, by origin: signals and observations go to its own, bundles to any.

Whose machine it is comes in from outside and is no part of the state. So when a data folder was copied, and the copy
has a new origin, what was learned before is that of one more foreign origin there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any, TypeVar

from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.tally import Tally
from actors.thresholds.bundle import read_bundle
from actors.thresholds.contribution import NOTHING, STEP, WEIGHTS, Contribution
from actors.thresholds.daily_count import NO_COUNTS, NO_REST, DailyCounts
from actors.thresholds.event import (
    BundleImported,
    ContributionRow,
    DayRow,
    DeltaMoved,
    ExtensionEvicted,
    LearningReset,
    OriginEvicted,
    OriginMerged,
    PlacementRecorded,
    PlacementRolled,
    PlacementRow,
    RankingEvicted,
    RankingLearned,
    RankingRow,
    RankingsMerged,
)
from actors.thresholds.limit import (
    MAX_DAY_COUNT,
    MAX_ERA,
    MAX_EXTENSIONS,
    MAX_ORIGINS,
    MAX_PROFILES,
    MAX_SAMPLES,
    N_DAYS,
)
from actors.thresholds.merge import kept_extensions, kept_origins, merged
from actors.thresholds.messages import RecordPlacement
from actors.thresholds.name import OTHER, check_profile
from actors.thresholds.origin import NOTHING_YET, Origin
from actors.thresholds.placement import counts_of
from actors.thresholds.ranking import MAX_RANKINGS, Ranking, clamped_shifts, forgotten

Held = TypeVar("Held")


class OriginBook:
    """All origins, this machine's own among them once it has learned something."""

    def __init__(self, local: str, totals: Tally, record: Callable[[Any], None]) -> None:
        self.local = local
        self._totals = totals
        self._record = record
        self.origins: dict[str, Origin] = {}

    @property
    def own(self) -> Origin:
        """What this machine itself has learned."""
        return self.origins.get(self.local, NOTHING_YET)

    # Signals and observations

    def learn(self, topic: str, extension: str, today: int) -> None:
        """Move this machine's delta by a signal."""
        own = self.own
        before = own.thresholds.get(extension, NOTHING)
        after = before.moved(WEIGHTS[topic] * STEP, today, own.next_revision)
        self._record(DeltaMoved(topic, self.local, extension, *after))
        thresholds = self.own.thresholds
        for evicted in sorted(thresholds.keys() - set(kept_extensions(thresholds))):
            self._record(ExtensionEvicted(self.local, evicted))
        self._evict_origins()

    def record_placement(self, asked: RecordPlacement, today: int) -> str:
        """Count hits and misses; returns the profile that they are counted under.

        Raises `Misuse` for a profile, position or number that cannot be.
        """
        check_profile(asked.profile)
        counts = counts_of(asked.position, asked.n_hits, asked.n_misses)
        for n in counts:
            if not 0 <= n <= MAX_DAY_COUNT:
                raise Misuse(f"{n} is no number of hits or misses: give a count from 0 to {MAX_DAY_COUNT}")
        profile = self._profile_row(asked.profile)
        if any(counts):
            self._record(PlacementRecorded(self.local, profile, profile != asked.profile, today, *counts))
            through = self.own.placement[profile].due_through(today)
            if through != NO_REST:
                self._record(PlacementRolled(self.local, profile, through))
            self._evict_origins()
        return profile

    def _profile_row(self, profile: str) -> str:
        """The profile itself while there is room for it beside "other"."""
        held = self.own.placement
        has_room = len(held.keys() - {OTHER}) < MAX_PROFILES - 1
        return profile if profile in held or has_room else OTHER

    def learn_ranking(self, extension: str, shifts: tuple[float, ...], n_hunks: int, today: int) -> bool:
        """Let these be this machine's shifts for an extension; whether they are others than before."""
        own = self.own
        before = own.rankings.get(extension)
        shifts, n_hunks = clamped_shifts(shifts), min(n_hunks, MAX_SAMPLES)
        if before is not None and (before.shifts, before.samples) == (shifts, n_hunks):
            return False
        self._record(RankingLearned(self.local, extension, own.next_revision, shifts, today, n_hunks))
        rankings = self.own.rankings
        for evicted in sorted(rankings.keys() - set(kept_extensions(rankings, MAX_RANKINGS))):
            self._record(RankingEvicted(self.local, evicted))
        self._evict_origins()
        return True

    def _evict_origins(self) -> None:
        if len(self.origins) > MAX_ORIGINS:
            for evicted in sorted(self.origins.keys() - kept_origins(self.origins, self.local).keys()):
                self._record(OriginEvicted(evicted))

    # Bundles

    def import_bundle(self, text: bytes, session_id: str, today: int, utc_s: float) -> tuple[int, int]:
        """Merge a bundle; returns how many origins that changed, and how many of the bundle's found no place.

        Raises `Misuse`, and changes nothing, for a bundle that is not sound.
        """
        theirs = read_bundle(text, today)
        after = merged(self.origins, theirs, local=self.local)
        changed = [name for name in sorted(after) if after[name] != self.origins.get(name)]
        gone = sorted(self.origins.keys() - after.keys())
        n_left_out = len(theirs.keys() - after.keys())
        for name in changed:
            self._record(OriginMerged(name, *_rows_of(after[name])))
            if after[name].rankings:
                self._record(RankingsMerged(name, _ranking_rows(after[name])))
        for name in gone:
            self._record(OriginEvicted(name))
        n_changed = len(changed) + len(gone)
        if n_changed:
            self._record(BundleImported(session_id, utc_s, sha256(text).hexdigest(), n_changed, n_left_out))
        return n_changed, n_left_out

    # Forgetting

    def reset(self, extension: str, session_id: str, today: int, utc_s: float) -> None:
        """Forget an extension, or everything for "", so that an older bundle of this origin does not bring it back."""
        own = self.own
        is_own = extension in own.thresholds or extension in own.rankings
        era = own.era if extension else min(own.era + 1, MAX_ERA)
        revision = own.next_revision if is_own else 0
        self._record(LearningReset(session_id, utc_s, extension, self.local, era, revision, today))

    def n_contributions(self, extension: str) -> int:
        """How many contributions with signals there are to an extension, and rankings of it; to all for ""."""
        held = (
            (name, one.samples)
            for origin in self.origins.values()
            for by_extension in (origin.thresholds, origin.rankings)
            for name, one in by_extension.items()
        )
        return sum(1 for name, n_samples in held if n_samples and extension in ("", name))

    def n_profiles(self) -> int:
        """How many client profiles were observed, by whomever."""
        return len({profile for origin in self.origins.values() for profile in origin.placement})

    # Facts

    def delta_moved(self, fact: DeltaMoved) -> None:
        """Apply a signal."""
        self._totals.add("signal", fact.topic)
        self._set_contribution(fact.origin, fact.extension, Contribution(*fact[3:]))

    def _set_contribution(self, name: str, extension: str, contribution: Contribution) -> None:
        origin = self.origins.get(name, NOTHING_YET)
        self.origins[name] = origin._replace(thresholds={**origin.thresholds, extension: contribution})

    def ranking_learned(self, fact: RankingLearned) -> None:
        """Apply a ranking."""
        self._totals.add("ranking")
        self._set_ranking(fact.origin, fact.extension, Ranking(fact.revision, *fact[3:]))

    def _set_ranking(self, name: str, extension: str, ranking: Ranking) -> None:
        origin = self.origins.get(name, NOTHING_YET)
        self.origins[name] = origin._replace(rankings={**origin.rankings, extension: ranking})

    def ranking_evicted(self, fact: RankingEvicted) -> None:
        """Apply the end of a ranking."""
        self._totals.add("evicted", "ranking")
        origin = self.origins[fact.origin]
        self.origins[fact.origin] = origin._replace(rankings=_without(origin.rankings, fact.extension))

    def rankings_merged(self, fact: RankingsMerged) -> None:
        """Apply what an origin's rankings are after an import."""
        rankings = {row.extension: Ranking(*row[1:]) for row in fact.rankings}
        self.origins[fact.origin] = self.origins[fact.origin]._replace(rankings=rankings)

    def extension_evicted(self, fact: ExtensionEvicted) -> None:
        """Apply the end of a contribution."""
        self._totals.add("evicted", "extension")
        origin = self.origins[fact.origin]
        self.origins[fact.origin] = origin._replace(thresholds=_without(origin.thresholds, fact.extension))

    def placement_recorded(self, fact: PlacementRecorded) -> None:
        """Apply observations."""
        self._totals.add("placement", n=sum(fact[4:]))
        for name, n in zip(("begin_hit", "begin_miss", "end_hit", "end_miss"), fact[4:], strict=True):
            self._totals.add("placed", name, n)
        if fact.is_folded:
            self._totals.add("evicted", "profile")
        counts = self.origins.get(fact.origin, NOTHING_YET).placement.get(fact.profile, NO_COUNTS)
        self._set_placement(fact.origin, fact.profile, counts.added(fact.day, fact[4:]))

    def placement_rolled(self, fact: PlacementRolled) -> None:
        """Apply that days went into the rest."""
        counts = self.origins[fact.origin].placement[fact.profile]
        self._set_placement(fact.origin, fact.profile, counts.rolled(fact.through))

    def _set_placement(self, name: str, profile: str, counts: DailyCounts) -> None:
        origin = self.origins.get(name, NOTHING_YET)
        self.origins[name] = origin._replace(placement={**origin.placement, profile: counts})

    def origin_merged(self, fact: OriginMerged) -> None:
        """Apply what an origin is after an import."""
        self.origins[fact.origin] = Origin(
            fact.era,
            {row.extension: Contribution(*row[1:]) for row in fact.contributions},
            {row.profile: DailyCounts(row.through, row.rest, dict(row.days)) for row in fact.placements},
        )

    def origin_evicted(self, fact: OriginEvicted) -> None:
        """Apply the end of an origin."""
        self._totals.add("evicted", "origin")
        del self.origins[fact.origin]

    def bundle_imported(self, fact: BundleImported) -> None:
        """Count an import that changed something."""
        self._totals.add("import")
        if fact.n_left_out:
            self._totals.add("evicted", "left_out", fact.n_left_out)

    def learning_reset(self, fact: LearningReset) -> None:
        """Apply that something is forgotten."""
        self._totals.add("reset")
        if not fact.extension:
            self.origins = {fact.origin: Origin(fact.era, {}, {})}
            return
        own = self.origins.get(fact.origin, NOTHING_YET)
        for name, origin in list(self.origins.items()):
            self.origins[name] = origin._replace(
                thresholds=_without(origin.thresholds, fact.extension),
                rankings=_without(origin.rankings, fact.extension),
            )
        if fact.revision and fact.extension in own.rankings:
            self._set_ranking(fact.origin, fact.extension, forgotten(fact.revision, fact.day))
        if fact.revision and fact.extension in own.thresholds:
            self._set_contribution(fact.origin, fact.extension, Contribution(fact.revision, 0.0, fact.day, 0))
        self.origins = {name: origin for name, origin in self.origins.items() if origin != NOTHING_YET}

    def rows(self) -> Iterator[list[Any]]:
        """The state, sorted: for each origin its era, its contributions, its profiles."""
        for name, origin in sorted(self.origins.items()):
            era, contributions, placements = _rows_of(origin)
            yield [name, era]
            yield from ([name, "threshold", *row] for row in contributions)
            yield from ([name, "placement", *row] for row in placements)
            yield from ([name, "ranking", *row] for row in _ranking_rows(origin))

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`, in their order."""
        match row:
            case [name, era]:
                self.origins[name] = Origin(era, {}, {})
            case [name, "threshold", extension, *fields]:
                self._set_contribution(name, extension, Contribution._make(fields))
            case [name, "ranking", extension, revision, shifts, day, samples]:
                self._set_ranking(name, extension, Ranking(revision, tuple(shifts), day, samples))
            case [name, "placement", profile, through, rest, days]:
                counts = DailyCounts(through, tuple(rest), {day: tuple(counts) for day, counts in days})
                self._set_placement(name, profile, counts)

    def check_invariants(self) -> None:
        """Every bound holds, and no day lies both apart and in a rest."""
        if len(self.origins) > MAX_ORIGINS:
            raise InvariantBroken(f"{len(self.origins)} origins are kept, the limit is {MAX_ORIGINS}")
        for name, origin in self.origins.items():
            if len(origin.thresholds) > MAX_EXTENSIONS or len(origin.placement) > MAX_PROFILES:
                sizes = f"{len(origin.thresholds)} extensions and {len(origin.placement)} profiles"
                raise InvariantBroken(f"origin {name!r} has {sizes}")
            if len(origin.rankings) > MAX_RANKINGS:
                raise InvariantBroken(f"origin {name!r} has {len(origin.rankings)} rankings")
            for profile, counts in origin.placement.items():
                if len(counts.days) > N_DAYS or any(day <= counts.through for day in counts.days):
                    raise InvariantBroken(f"the days of {profile!r} by origin {name!r} do not fit: {counts}")


def _without(contributions: Mapping[str, Held], extension: str) -> dict[str, Held]:
    return {name: one for name, one in contributions.items() if name != extension}


def _rows_of(origin: Origin) -> tuple[int, tuple[ContributionRow, ...], tuple[PlacementRow, ...]]:
    contributions = tuple(ContributionRow(name, *one) for name, one in sorted(origin.thresholds.items()))
    return origin.era, contributions, tuple(_placement_row(*item) for item in sorted(origin.placement.items()))


def _ranking_rows(origin: Origin) -> tuple[RankingRow, ...]:
    return tuple(RankingRow(name, *one) for name, one in sorted(origin.rankings.items()))


def _placement_row(profile: str, counts: DailyCounts) -> PlacementRow:
    days = tuple(DayRow(day, row) for day, row in sorted(counts.days.items()))  # type: ignore[arg-type]  # whole counts
    return PlacementRow(profile, counts.through, counts.rest, days)
