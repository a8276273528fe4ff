"""Random histories of the thresholds, held against dumb twins, a recount of the events, and the journal."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from actors.runtime.errors import Misuse, UnknownAgent
from actors.runtime.machine import NOBODY, Caller, Now
from actors.runtime.outbox import TOPICS, Deliver, Note
from actors.runtime.pin import PinEvicted, TokenPinned
from actors.runtime.wire import pack, unpack
from actors.thresholds.bundle import bundle_text
from actors.thresholds.contribution import Contribution
from actors.thresholds.cost import PRIORS
from actors.thresholds.daily_count import DailyCounts
from actors.thresholds.event import (
    BundleImported,
    CostEvicted,
    CostRecorded,
    DeltaMoved,
    ExtensionEvicted,
    LearningReset,
    NoteIgnored,
    OriginEvicted,
    PlacementRecorded,
    RankingEvicted,
    ReplayEvicted,
    ReplayRecorded,
    ReplayRow,
)
from actors.thresholds.limit import MAX_ORIGINS, Limits
from actors.thresholds.machine import Thresholds
from actors.thresholds.messages import (
    ExportBundle,
    GetLearning,
    GetPolicy,
    GetStatistics,
    ImportBundle,
    RankingEvidence,
    RecordPlacement,
    RecordRanking,
    RecordReplay,
    ResetLearning,
)
from actors.thresholds.origin import Origin

LOCAL = "aaaaaaaa"
ADA = Caller("ada#1")
DAY_S = 86_400.0
FIRST_DAY = 19_700
SMALL = Limits(min_signals=3, min_observations=5, max_cost_rows=3, max_pins=2)
SOURCE = "quality_store@1"
MOVES = {"bounce": -0.06, "edit_failure": -0.12, "clean_compressed": 0.01, "wasted_full": 0.04}

topics = st.sampled_from(TOPICS)
extensions = st.sampled_from(["rs", ".RS", "md", "go"])
modes = st.sampled_from(["map", "full", "entropy"])
sizes = st.sampled_from([0, 1, 499, 500, 8000])
notes = st.builds(
    Note,
    topics,
    st.just("ada#1"),
    st.just("home"),
    st.just("a"),
    extensions,
    modes,
    sizes,
    sizes,
    sizes,
    st.just(0.0),
)
odd_notes = st.builds(
    Note,
    st.sampled_from([*TOPICS, "rumour"]),
    st.just("ada#1"),
    st.just("home"),
    st.just("a"),
    st.sampled_from(["rs", "", ".", "a b", "x" * 17, "höhe"]),
    st.sampled_from(["map", "", "lines"]),
    st.sampled_from([-1, 10, 10**12]),
    sizes,
    sizes,
    st.just(-1.0),
)
placements = st.builds(
    RecordPlacement,
    st.sampled_from([f"client-{n}" for n in range(9)]),
    st.sampled_from(["begin", "end"]),
    st.integers(0, 9),
    st.integers(0, 9),
)
origin_numbers = st.integers(0, 300)


@st.composite
def bundles(draw):
    first, n_origins = draw(origin_numbers), draw(st.sampled_from([1, 2, 120]))
    contribution = Contribution(draw(st.integers(1, 3)), draw(st.sampled_from([0.15, -0.02])), FIRST_DAY, 20)
    origin = Origin(0, {"rs": contribution}, {"client-1": DailyCounts(-1, (), {FIRST_DAY: (3, 2, 1, 1)})})
    names = [LOCAL] if draw(st.integers(0, 9)) == 0 else [f"{n:08x}" for n in range(first, first + n_origins)]
    return ImportBundle(bundle_text(dict.fromkeys(names, origin)))


illegal = st.sampled_from(
    [
        RecordPlacement("Cursor", "begin", 1, 1),
        RecordPlacement("cursor", "middle", 1, 1),
        RecordPlacement("cursor", "begin", -1, 1),
        ResetLearning("a/b"),
        RecordReplay("ada", ()),
        RecordRanking((RankingEvidence("rs", (0.1,), 9),)),
        RecordRanking((RankingEvidence("a/b", (0.1,) * 9, 9),)),
        ImportBundle(b"{}"),
        ImportBundle(b"\xff"),
        Deliver(SOURCE, 10**6, (Note("bounce", "", "", "", "rs", "map", 1, 1, 1, 0.0),)),
    ]
)
replay_rows = st.builds(
    ReplayRow,
    st.sampled_from(["rs", "md"]),
    modes,
    st.just("<500"),
    st.integers(1, 90),
    st.integers(0, 1),
    *[st.just(9)] * 3,
)
replays = st.builds(
    RecordReplay,
    st.integers(0, 40).map(lambda n: f"{n:08x}"),
    st.lists(replay_rows, min_size=1, max_size=3, unique_by=lambda row: row[:3]).map(tuple),
)
rankings = st.builds(
    lambda extension, shift, n_hunks: RecordRanking((RankingEvidence(extension, (shift,) * 9, n_hunks),)),
    st.integers(0, 40).map(lambda n: f"x{n % 19}"),
    st.floats(-2.0, 2.0),
    st.integers(1, 90),
)
admissions = st.tuples(st.sampled_from(["ada#1", "bob#1", "cyd#1"]), st.sampled_from(["t", "u"]))
resets = st.builds(ResetLearning, st.sampled_from(["", "rs", ".MD"]))
deliveries = st.lists(st.one_of(notes, notes, notes, odd_notes), min_size=1, max_size=6).map(tuple)
again = st.just("again")
waits = st.sampled_from([0.0, 60.0, DAY_S, DAY_S, 31 * DAY_S])
steps = st.tuples(
    waits,
    st.one_of(
        deliveries, deliveries, placements, placements, bundles(), replays, rankings, resets, illegal, admissions, again
    ),
)
histories = st.lists(steps, max_size=40)


class Run:
    """A machine that is fed a history; keeps every event."""

    def __init__(self, history=(), limits=SMALL):
        self.machine = Thresholds(LOCAL, limits)
        self.events = []
        self.utc_s = FIRST_DAY * DAY_S
        self.number = 0
        self.last_delivery = Deliver(SOURCE, 0, ())
        for wait, command in history:
            self.utc_s += wait
            self.step(command)

    @property
    def now(self):
        return Now(0.0, self.utc_s)

    def step(self, command):
        before = list(self.machine.snapshot())
        try:
            self.carry_out(command)
        except (Misuse, UnknownAgent):
            assert list(self.machine.snapshot()) == before
            assert self.machine.take_events() == []
        events = self.machine.take_events()
        if not events:
            assert list(self.machine.snapshot()) == before
        if command == "again":
            assert events == []
        self.events += events
        self.machine.check_invariants()

    def carry_out(self, command):
        if command == "again":
            return self.machine.perform(NOBODY, self.last_delivery, self.now)
        if isinstance(command, (RecordPlacement, RecordRanking, RecordReplay, ImportBundle, ResetLearning, Deliver)):
            return self.machine.perform(ADA, command, self.now)
        if type(command[0]) is Note:
            self.last_delivery = Deliver(SOURCE, self.last_delivery.number + len(command), command)
            return self.machine.perform(NOBODY, self.last_delivery, self.now)
        return self.machine.admit(*command, self.now)

    def ask(self, query):
        return self.machine.perform(NOBODY, query, self.now)


@given(histories)
def test_replaying_the_journal_gives_the_same_state(history):
    run = Run(history)
    replica = Thresholds("bbbbbbbb", Limits(min_signals=1, min_observations=1, max_cost_rows=1, max_pins=1))
    for event in run.events:
        replica.evolve(replica.events.make(*unpack(pack(replica.events.pack_form([event])[0]))))
    replica.check_invariants()
    assert list(replica.snapshot()) == list(run.machine.snapshot())
    assert replica.take_events() == []


@given(histories, histories)
def test_a_restored_machine_goes_on_like_the_one_it_was_taken_from(history, future):
    run, restored = Run(history), Run()
    restored.machine.restore([unpack(pack(part)) for part in run.machine.snapshot()])
    restored.utc_s, restored.last_delivery = run.utc_s, run.last_delivery
    for wait, command in future:
        for one in (run, restored):
            one.utc_s += wait
            one.step(command)
    assert list(restored.machine.snapshot()) == list(run.machine.snapshot())
    for query in (GetPolicy(), GetLearning(), GetStatistics(), ExportBundle()):
        assert restored.ask(query) == run.ask(query)


@given(histories)
def test_queries_change_nothing(history):
    run = Run(history)
    before = list(run.machine.snapshot())
    for query in (GetPolicy(), GetLearning(), GetStatistics(), ExportBundle()):
        run.ask(query)
    assert list(run.machine.snapshot()) == before
    assert run.machine.take_events() == []


@given(histories)
def test_all_that_readers_get_is_within_its_bounds(history):
    run = Run(history)
    policy = run.ask(GetPolicy())
    assert all(-0.15 <= row.delta <= 0.15 for row in policy.deltas)
    assert all(0.35 <= row.begin_share <= 0.85 for row in policy.begin_shares)
    assert all(row.share >= 0 and 0 <= row.p_loss <= 1 and row.n_extra_tokens >= 0 for row in policy.costs)
    assert len(policy.costs) <= 3
    statistics = run.ask(GetStatistics())
    assert statistics.n_origins <= MAX_ORIGINS
    assert statistics.n_pins <= 2


@given(histories)
def test_everything_goes_back_to_the_defaults(history):
    run = Run(history)
    run.utc_s += 2000 * DAY_S
    policy = run.ask(GetPolicy())
    assert (policy.deltas, policy.costs, policy.begin_shares) == ((), (), ())


@given(histories)
def test_counters_are_a_recount_of_the_events(history):
    run = Run(history)
    statistics = run.ask(GetStatistics())
    kinds = Counter(type(event) for event in run.events)

    def of(kind):
        return [event for event in run.events if isinstance(event, kind)]

    assert dict(statistics.signals) == Counter(event.topic for event in of(DeltaMoved))
    assert dict(statistics.ignored) == Counter(event.reason for event in of(NoteIgnored))
    evicted = Counter(
        pin=kinds[PinEvicted],
        origin=kinds[OriginEvicted],
        extension=kinds[ExtensionEvicted],
        cost=kinds[CostEvicted],
        profile=sum(event.is_folded for event in of(PlacementRecorded)),
        replay=kinds[ReplayEvicted],
        ranking=kinds[RankingEvicted],
        left_out=sum(event.n_left_out for event in of(BundleImported)),
    )
    assert dict(statistics.evicted) == +evicted
    assert statistics.n_outcomes == kinds[CostRecorded]
    assert statistics.n_placements == sum(sum(event[4:]) for event in of(PlacementRecorded))
    assert statistics.n_imports == kinds[BundleImported]
    assert statistics.n_replays == kinds[ReplayRecorded]
    assert statistics.n_resets == kinds[LearningReset]
    assert statistics.n_pins == kinds[TokenPinned] - kinds[PinEvicted]


@given(st.lists(st.tuples(waits, deliveries), max_size=40))
def test_a_delta_is_that_of_a_dumb_twin(history):
    """One number that is multiplied day by day and added to, clamped each time."""
    run, deltas, counts = Run(history, Limits()), {}, Counter()
    days = 0.0
    for wait, delivery in history:
        before, days = int(days), days + wait / DAY_S
        for _ in range(int(days) - before):
            deltas = {extension: delta * 0.98 for extension, delta in deltas.items()}
        for note in delivery:
            extension = note.extension.removeprefix(".").lower()
            is_signal = note.topic in MOVES and not (note.topic == "edit_failure" and note.mode == "full")
            if is_signal and extension in {"rs", "md", "go"}:
                delta = deltas.get(extension, 0.0) + MOVES[note.topic]
                deltas[extension] = max(-0.15, min(0.15, delta))
                counts[extension] += 1
    learned = run.ask(GetLearning())
    young = {row.extension: row for row in learned.deltas}
    for extension, delta in deltas.items():
        if extension in young:
            assert young[extension].delta == pytest.approx(delta, abs=1e-6)
            assert young[extension].n_signals == counts[extension]
            assert young[extension].applies == (counts[extension] >= 10)
        else:
            assert abs(delta) < 0.15 * 0.98**365 + 1e-9
    assert young.keys() <= deltas.keys()


@given(st.lists(st.tuples(waits, placements), max_size=60))
def test_placement_is_that_of_a_dumb_twin(history):
    """A list of all observations, each weighted by its age."""
    run, seen, days = Run(history, Limits()), {}, 0.0
    named = []
    for wait, asked in history:
        days += wait / DAY_S
        if asked.n_hits + asked.n_misses == 0:
            continue
        if asked.profile not in named and len(named) < 7:
            named.append(asked.profile)
        profile = asked.profile if asked.profile in named else "other"
        seen.setdefault(profile, []).append((int(days), asked))
    rows = {row.profile: row for row in run.ask(GetLearning()).profiles}
    assert rows.keys() == seen.keys()
    for profile, past in seen.items():
        sums = Counter()
        for day, asked in past:
            sums[asked.position, "hit"] += asked.n_hits * 0.98 ** (int(days) - day)
            sums[asked.position, "miss"] += asked.n_misses * 0.98 ** (int(days) - day)
        begin, end = (
            (sums[where, "hit"] + 1) / (sums[where, "hit"] + sums[where, "miss"] + 2) for where in ("begin", "end")
        )
        r = begin / (begin + end)
        share = 0.7 + (r - 0.5) * (0.7 if r < 0.5 else 0.3)
        assert rows[profile].n_observations == pytest.approx(sum(sums.values()), abs=0.05)
        if rows[profile].applies:
            assert rows[profile].begin_share == pytest.approx(share, abs=0.001)
        else:
            assert rows[profile].begin_share == 0.7
            assert sum(sums.values()) < 20.05


@given(st.lists(st.tuples(waits, st.lists(notes, min_size=1, max_size=6).map(tuple)), max_size=30))
def test_costs_are_those_of_a_dumb_twin(history):
    """All outcomes in a list, each weighted by its age, and ten imaginary ones."""
    run, seen, days = Run(history, Limits()), {}, 0.0
    for wait, delivery in history:
        days += wait / DAY_S
        for note in delivery:
            if note.n_total_tokens:
                bucket = {1: "<500", 499: "<500", 500: "<1000", 8000: ">=8000"}[note.n_total_tokens]
                key = (note.extension.removeprefix(".").lower(), note.mode, bucket)
                seen.setdefault(key, []).append((int(days), note))
    rows = {row.cost[:3]: row for row in run.ask(GetLearning()).costs}
    assert rows.keys() == seen.keys()
    for key, past in seen.items():
        weights = [0.98 ** (int(days) - day) for day, _ in past]
        n = sum(weights)
        losses = sum(w for w, (_, note) in zip(weights, past, strict=True) if note.topic in {"bounce", "edit_failure"})
        assert rows[key].n_outcomes == pytest.approx(n, abs=0.05)
        assert rows[key].cost.p_loss == pytest.approx((losses + 10 * PRIORS[key[1]].p_loss) / (n + 10), abs=0.011)
