"""The thresholds' state machine: pins, what was received, what origins have learned, and costs.

Nothing ends by itself: what fades is worked out whenever it is asked for, from the UTC day. What was observed has
happened, and an import or a reset can be asked for again, so nothing is undone.
"""

from __future__ import annotations

from typing import Final

from actors.runtime.errors import Misuse
from actors.runtime.holdout import BEGIN_SHARE, ENTROPY_DELTA, EXPECTED_COST, UNIT_RANKING, utc_day
from actors.runtime.layer_switch import EVENTS as SWITCH_EVENTS
from actors.runtime.layer_switch import LayerSwitched, LayerSwitches
from actors.runtime.machine import Caller, Now
from actors.runtime.outbox import EDIT_FAILURE, TOPICS, Deliver, Delivered, Note
from actors.runtime.pinned_machine import Applier, PinnedMachine
from actors.runtime.received import NotesApplied, Received, SourceForgotten
from actors.runtime.state_format import StateFormat
from actors.runtime.tally import Tally
from actors.thresholds.bundle import bundle_text
from actors.thresholds.change import cost_changes, delta_changes, known, share_changes
from actors.thresholds.contribution import WEIGHTS
from actors.thresholds.cost_book import CostBook
from actors.thresholds.cost_evidence import Evidence, cost_evidence
from actors.thresholds.event import (
    EVENTS,
    BundleImported,
    CostEvicted,
    CostRecorded,
    CostRolled,
    DeltaMoved,
    ExtensionEvicted,
    LearningReset,
    NoteIgnored,
    OriginEvicted,
    OriginMerged,
    PlacementRecorded,
    PlacementRolled,
    RankingEvicted,
    RankingLearned,
    RankingsMerged,
    ReplayEvicted,
    ReplayRecorded,
)
from actors.thresholds.limit import Limits
from actors.thresholds.messages import (
    SCHEMA,
    Bundle,
    ExportBundle,
    Forgotten,
    GetLearning,
    GetPolicy,
    GetStatistics,
    ImportBundle,
    Imported,
    Learning,
    PlacementCounted,
    Policy,
    RankingCounted,
    RecordPlacement,
    RecordRanking,
    RecordReplay,
    ReplayCounted,
    ResetLearning,
    Statistics,
)
from actors.thresholds.name import check_extension, check_origin, extension_of
from actors.thresholds.origin import effective_deltas, observations
from actors.thresholds.origin_book import OriginBook
from actors.thresholds.placement import NOTHING_OBSERVED
from actors.thresholds.policy import delta_rows, learning, policy, share_rows, told_costs
from actors.thresholds.ranking import MAX_RANKINGS
from actors.thresholds.ranking_evidence import checked_evidence
from actors.thresholds.replay_book import ReplayBook

LAYERS: Final = (ENTROPY_DELTA, EXPECTED_COST, UNIT_RANKING, BEGIN_SHARE)
"""The layers that go by the policy."""
_FULL: Final = "full"


class Thresholds(PinnedMachine):
    """What was learned of extensions, client profiles and costs, on this machine and elsewhere.

    `origin` is the id under which this machine learns (`name.check_origin`). It is no part of the state.
    """

    schema = SCHEMA
    events = EVENTS + SWITCH_EVENTS
    long_rows = frozenset({"replays"})
    state_format = StateFormat(4, {1: lambda parts: parts, 2: lambda parts: parts, 3: lambda parts: parts})
    """Format 1 had no replays, 2 no rankings and 3 no switches; each is as good as one without any."""

    def __init__(self, origin: str, limits: Limits | None = None) -> None:
        check_origin(origin)
        self._limits = limits or Limits()
        super().__init__("the thresholds", self._limits.max_pins)
        self._totals = Tally()
        self._received = Received(self._record)
        self._book = OriginBook(origin, self._totals, self._record)
        self._costs = CostBook(self._limits.max_cost_rows, self._totals, self._record)
        self._replays = ReplayBook(self._totals, self._record)
        self._switches = LayerSwitches(LAYERS, self._record)
        self._furnish(
            shelves={
                "received": self._received,
                "origins": self._book,
                "costs": self._costs,
                "replays": self._replays,
                "totals": self._totals,
                "layer_switches": self._switches,
            },
            performers={
                Deliver: self._deliver,
                RecordPlacement: self._record_placement,
                RecordRanking: self._record_ranking,
                RecordReplay: self._record_replay,
                GetPolicy: self._policy,
                GetLearning: self._learning,
                GetStatistics: self._statistics,
                ExportBundle: self._export_bundle,
                ImportBundle: self._import_bundle,
                ResetLearning: self._reset_learning,
                **self._switches.performers(),
            },
            appliers=self._make_appliers(),
        )

    def _make_appliers(self) -> dict[type, Applier]:
        book, costs, replays = self._book, self._costs, self._replays
        return {
            NotesApplied: self._received.evolve,
            SourceForgotten: self._received.evolve,
            DeltaMoved: book.delta_moved,
            ExtensionEvicted: book.extension_evicted,
            PlacementRecorded: book.placement_recorded,
            PlacementRolled: book.placement_rolled,
            CostRecorded: costs.cost_recorded,
            CostRolled: costs.cost_rolled,
            CostEvicted: costs.cost_evicted,
            NoteIgnored: self._note_ignored,
            OriginMerged: book.origin_merged,
            RankingLearned: book.ranking_learned,
            RankingEvicted: book.ranking_evicted,
            RankingsMerged: book.rankings_merged,
            OriginEvicted: book.origin_evicted,
            BundleImported: book.bundle_imported,
            LearningReset: self._learning_reset,
            ReplayRecorded: replays.replay_recorded,
            ReplayEvicted: replays.replay_evicted,
            LayerSwitched: self._switches.evolve,
        }

    # Commands

    def _deliver(self, _: Caller, asked: Deliver, now: Now) -> Delivered:
        for note in self._received.new_notes(asked):
            self._learn(note, utc_day(now.utc_s))
        return self._received.answer(asked)

    def _learn(self, note: Note, today: int) -> None:
        """Learn from a note, whatever it holds: nothing may be raised here, or the note would be lost.

        It counts on the day of its arrival. A failed edit after a `full` view says nothing about compression.
        """
        extension = extension_of(note.extension)
        if not extension or note.topic not in TOPICS:
            self._record(NoteIgnored("topic" if extension else "extension"))
            return
        if note.topic in WEIGHTS and not (note.topic == EDIT_FAILURE and note.mode == _FULL):
            self._book.learn(note.topic, extension, today)
        reason = self._costs.learn(note, extension, today)
        if reason:
            self._record(NoteIgnored(reason))

    def _record_placement(self, _: Caller, asked: RecordPlacement, now: Now) -> PlacementCounted:
        today = utc_day(now.utc_s)
        profile = self._book.record_placement(asked, today)
        seen = observations(self._book.origins, today).get(profile, NOTHING_OBSERVED)
        return PlacementCounted(profile, seen.share(self._limits.min_observations))

    def _record_replay(self, _: Caller, asked: RecordReplay, now: Now) -> ReplayCounted:
        today = utc_day(now.utc_s)
        before = told_costs(self._evidence(today))
        is_new = self._replays.learn(asked.history, asked.rows, today)
        return ReplayCounted(is_new, cost_changes(before, told_costs(self._evidence(today))))

    def _evidence(self, today: int) -> list[Evidence]:
        return list(cost_evidence(self._costs, self._replays, today))

    def _record_ranking(self, _: Caller, asked: RecordRanking, now: Now) -> RankingCounted:
        rows = [checked_evidence(row) for row in asked.rows]
        if len(rows) > MAX_RANKINGS:
            raise Misuse(f"{len(rows)} rankings at once are over the limit of {MAX_RANKINGS}: tell the best known ones")
        today = utc_day(now.utc_s)
        changed = [self._book.learn_ranking(row.extension, row.shifts, row.n_hunks, today) for row in rows]
        return RankingCounted(sum(changed))

    def _import_bundle(self, caller: Caller, asked: ImportBundle, now: Now) -> Imported:
        today = utc_day(now.utc_s)
        before = known(self._book.origins, today)
        n_changed, n_left_out = self._book.import_bundle(asked.text, caller.session_id, today, now.utc_s)
        after = known(self._book.origins, today)
        shares = share_changes(before, after, self._limits.min_observations)
        return Imported(delta_changes(before, after), shares, n_changed, n_left_out)

    def _reset_learning(self, caller: Caller, asked: ResetLearning, now: Now) -> Forgotten:
        extension = check_extension(asked.extension) if asked.extension else ""
        n_profiles = 0 if extension else self._book.n_profiles()
        forgotten = Forgotten(self._book.n_contributions(extension), n_profiles, self._n_costs(extension))
        if any(forgotten):
            self._book.reset(extension, caller.session_id, utc_day(now.utc_s), now.utc_s)
        return forgotten

    def _n_costs(self, extension: str) -> int:
        """Costs that were seen, and kinds of views that a replay says something of."""
        return self._costs.n_of(extension) + self._replays.n_of(extension)

    # Queries

    def _policy(self, _: Caller, __: GetPolicy, now: Now) -> Policy:
        today = utc_day(now.utc_s)
        return policy(self._book.origins, self._evidence(today), self._limits, today, is_on=self._switches.is_on)

    def _learning(self, _: Caller, __: GetLearning, now: Now) -> Learning:
        today = utc_day(now.utc_s)
        return learning(self._book.origins, self._evidence(today), self._limits, today)

    def _export_bundle(self, _: Caller, __: ExportBundle, ___: Now) -> Bundle:
        return Bundle(bundle_text(self._book.origins))

    def _statistics(self, _: Caller, __: GetStatistics, now: Now) -> Statistics:
        totals, origins, today = self._totals, self._book.origins, utc_day(now.utc_s)
        return Statistics(
            signals=totals.counts("signal"),
            ignored=totals.counts("ignored"),
            evicted=totals.counts("evicted"),
            deltas=delta_rows(origins, self._limits, today),
            begin_shares=share_rows(origins, self._limits, today),
            n_origins=len(origins),
            n_extensions=len(effective_deltas(origins, today)),
            n_profiles=self._book.n_profiles(),
            n_costs=len(self._costs),
            n_outcomes=totals["outcome", ""],
            placements=totals.counts("placed"),
            n_placements=totals["placement", ""],
            n_imports=totals["import", ""],
            n_resets=totals["reset", ""],
            n_pins=len(self._pins),
            n_replays=totals["replay", ""],
            layers_off=self._switches.off(),
        )

    # Facts

    def _count_eviction(self) -> None:
        self._totals.add("evicted", "pin")

    def _note_ignored(self, fact: NoteIgnored) -> None:
        self._totals.add("ignored", fact.reason)

    def _learning_reset(self, fact: LearningReset) -> None:
        self._book.learning_reset(fact)
        self._costs.forget(fact.extension)
        self._replays.forget(fact.extension)

    def check_invariants(self) -> None:
        """Raises `InvariantBroken` where a bound is passed or two parts of the state contradict each other."""
        super().check_invariants()
        self._received.check_invariants()
        self._book.check_invariants()
        self._costs.check_invariants()
        self._replays.check_invariants()
        self._switches.check_invariants()
