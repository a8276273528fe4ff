"""Merging is idempotent, commutative and associative.

Tried on arbitrary states, up to and over every bound, and on what machines really hold that learn, age, forget, lose
their stores and exchange bundles.
"""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from actors.runtime.errors import Misuse
from actors.runtime.machine import NOBODY, Caller, Now
from actors.runtime.outbox import TOPICS, Deliver, Note
from actors.thresholds.bundle import bundle_text, read_bundle
from actors.thresholds.contribution import Contribution
from actors.thresholds.daily_count import DailyCounts
from actors.thresholds.limit import MAX_EXTENSIONS, MAX_ORIGINS, MAX_PROFILES, N_DAYS
from actors.thresholds.machine import Thresholds
from actors.thresholds.merge import merged
from actors.thresholds.messages import (
    ExportBundle,
    ImportBundle,
    RankingEvidence,
    RecordPlacement,
    RecordRanking,
    ResetLearning,
)
from actors.thresholds.origin import NOTHING_YET, Origin
from actors.thresholds.ranking import LEARNED, MAX_RANKINGS, Ranking

TODAY = 19_700
DAY_S = 86_400.0
ADA = Caller("ada#1")
LOCALS = ("", "00000000", "00000007", "ffffffff")


# States that nobody has to have reached: everything collides with everything, and every bound is passed.


def arbitrary_state(seed: int) -> dict[str, Origin]:
    random = Random(seed)
    n_origins = random.choice([0, 1, 2, 3, 3, 3, 3, 250])
    names = [f"{n:08x}" for n in random.sample(range(4 if n_origins < 4 else 280), n_origins)]
    most = 3 if n_origins > 3 else MAX_EXTENSIONS
    states = {name: arbitrary_origin(random, most) for name in names}
    return {name: origin for name, origin in states.items() if origin != NOTHING_YET}


def arbitrary_origin(random: Random, most: int) -> Origin:
    n_extensions = random.choice([0, 1, 2, most])
    extensions = random.sample([f"x{n}" for n in range(90)], n_extensions)
    thresholds = {name: arbitrary_contribution(random) for name in extensions}
    n_profiles = random.choice([0, 1, 2, min(most, MAX_PROFILES - 1)])
    profiles = {*random.sample([f"p{n}" for n in range(10)], n_profiles), *random.choice([(), ("other",)])}
    counted = {name: arbitrary_counts(random) for name in sorted(profiles)}
    placement = {name: counts for name, counts in counted.items() if counts.days or counts.rest}
    n_rankings = random.choice([0, 0, 1, min(most, MAX_RANKINGS)])
    ranked = random.sample([f"x{n}" for n in range(30)], n_rankings)
    return Origin(random.choice([0, 0, 0, 1]), thresholds, placement, {n: arbitrary_ranking(random) for n in ranked})


def arbitrary_ranking(random: Random) -> Ranking:
    shifts = tuple(random.choice([0.0, 1.0, -1.0, 0.125]) for _ in LEARNED)
    return Ranking(random.randint(1, 4), shifts, TODAY - random.randint(0, 1), random.choice([0, 5, 500]))


def arbitrary_contribution(random: Random) -> Contribution:
    delta = random.choice([0.0, 0.15, -0.15, 0.041])
    return Contribution(random.randint(1, 4), delta, TODAY - random.randint(0, 1), random.choice([0, 5, 500]))


def arbitrary_counts(random: Random) -> DailyCounts:
    through = random.choice([-1, TODAY - 30, TODAY - 20])
    rest = () if through < 0 else tuple(float(random.randint(0, 2)) for _ in range(4))
    days = random.sample(range(TODAY - 45, TODAY + 3), random.choice([0, 1, 2, N_DAYS]))
    return DailyCounts(
        through, rest, {day: (random.randint(1, 2), *random.choices(range(3), k=3)) for day in days if day > through}
    )


states = st.integers(0, 2**32).map(arbitrary_state)
locals_ = st.sampled_from(LOCALS)


def check_bounds(origins):
    assert len(origins) <= MAX_ORIGINS
    for origin in origins.values():
        assert len(origin.thresholds) <= MAX_EXTENSIONS
        assert len(origin.placement) <= MAX_PROFILES
        assert len(origin.rankings) <= MAX_RANKINGS
        assert all(len(counts.days) <= N_DAYS for counts in origin.placement.values())


@given(states, states, states, locals_)
def test_merging_is_associative(one, two, three, local):
    left = merged(merged(one, two, local=local), three, local=local)
    right = merged(one, merged(two, three, local=local), local=local)
    assert bundle_text(left) == bundle_text(right)
    assert left == right
    check_bounds(left)


@given(states, states, locals_)
def test_merging_is_commutative(one, two, local):
    assert merged(one, two, local=local) == merged(two, one, local=local)


@given(states, states, locals_)
def test_merging_is_idempotent(one, two, local):
    assert merged(one, one) == one
    both = merged(one, two, local=local)
    assert both == merged(both, two, local=local) == merged(both, one, local=local) == merged(both, both, local=local)


@given(states, states)
def test_what_is_exported_is_read_as_it_was(one, two):
    for state in (one, merged(one, two)):
        assert read_bundle(bundle_text(state), TODAY) == state


# States that machines have reached.


class Fleet:
    """Machines that learn and exchange bundles; keeps every bundle that was ever exported."""

    def __init__(self, n_machines=3):
        self.day = TODAY
        self.machines = [self.fresh(n) for n in range(n_machines)]
        self.n_delivered = 0
        self.bundles = []

    def own(self, n):
        """What a machine knows of its own origin."""
        text = self.machines[n].perform(NOBODY, ExportBundle(), self.now).text
        return read_bundle(text, self.day).get(f"{n:08x}")

    def fresh(self, n):
        return Thresholds(f"{n:08x}")

    @property
    def now(self):
        return Now(0.0, self.day * DAY_S)

    def signal(self, n, topic, extension, n_notes):
        note = Note(topic, "ada#1", "home", "a", extension, "map", 10, 100, 0, self.now.utc_s)
        self.n_delivered += n_notes
        source = f"quality_store@{self.n_delivered}"
        self.machines[n].perform(NOBODY, Deliver(source, n_notes, (note,) * n_notes), self.now)

    def place(self, n, profile, position, hits, misses):
        self.machines[n].perform(ADA, RecordPlacement(profile, position, hits, misses), self.now)

    def rank(self, n, extension, shift, n_hunks):
        row = RankingEvidence(extension, (shift,) * len(LEARNED), n_hunks)
        self.machines[n].perform(ADA, RecordRanking((row,)), self.now)

    def wait(self, _, days):
        self.day += days

    def export(self, n):
        text = self.machines[n].perform(NOBODY, ExportBundle(), self.now).text
        self.bundles.append(text)
        return text

    def exchange(self, n, other):
        return self.take(other, self.export(n))

    def take(self, n, text):
        answer = self.machines[n].perform(ADA, ImportBundle(text), self.now)
        self.machines[n].check_invariants()
        return answer

    def take_any(self, n, which):
        if self.bundles:
            self.take(n, self.bundles[which % len(self.bundles)])

    def reset(self, n, extension):
        self.machines[n].perform(ADA, ResetLearning(extension), self.now)

    def lose(self, n):
        self.machines[n] = self.fresh(n)

    def summary(self, texts, local="eeeeeeee"):
        machine = Thresholds(local)
        for text in texts:
            machine.perform(ADA, ImportBundle(text), self.now)
        return machine.perform(NOBODY, ExportBundle(), self.now).text


which = st.integers(0, 2)
extensions = st.sampled_from(["rs", "md", ".RS"])
steps = st.one_of(
    st.tuples(st.just("signal"), which, st.sampled_from(TOPICS), extensions, st.integers(1, 12)),
    st.tuples(
        st.just("place"),
        which,
        st.sampled_from(["cursor", "codex"]),
        st.sampled_from(["begin", "end"]),
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    st.tuples(st.just("rank"), which, extensions, st.sampled_from([-1.0, 0.2, 1.0]), st.sampled_from([1, 300])),
    st.tuples(st.just("wait"), which, st.sampled_from([0, 1, 1, 29, 31, 400])),
    st.tuples(st.just("export"), which),
    st.tuples(st.just("exchange"), which, which),
    st.tuples(st.just("take_any"), which, st.integers(0, 99)),
    st.tuples(st.just("reset"), which, st.sampled_from(["", "rs"])),
    st.tuples(st.just("lose"), which),
)
histories = st.lists(steps, min_size=12, max_size=60)


def lived(history):
    fleet = Fleet()
    for verb, *arguments in history:
        getattr(fleet, verb)(*arguments)
    for n in range(len(fleet.machines)):
        fleet.export(n)
    return fleet


@given(histories, st.randoms(use_true_random=False))
def test_bundles_in_any_order_give_the_same_bytes(history, random):
    fleet = lived(history)
    shuffled = random.sample(fleet.bundles, len(fleet.bundles))
    assert fleet.summary(shuffled) == fleet.summary(fleet.bundles)


@given(histories, st.randoms(use_true_random=False))
def test_any_tree_of_merges_gives_the_same_bytes(history, random):
    fleet = lived(history)
    pool = list(fleet.bundles)
    while len(pool) > 1:
        taken = [pool.pop(random.randrange(len(pool))) for _ in range(min(len(pool), random.randint(2, 3)))]
        pool += [fleet.summary(taken)] * random.randint(1, 2 if len(pool) < 4 else 1)
        fleet.day += random.choice([0, 0, 1, 40])
    assert pool[0] == fleet.summary(fleet.bundles)


@given(histories, st.integers(0, 99))
def test_one_bundle_three_times_is_one_bundle_once(history, which_bundle):
    fleet = lived(history)
    text = fleet.bundles[which_bundle % len(fleet.bundles)]
    once = fleet.summary([*fleet.bundles[:2], text])
    assert fleet.summary([*fleet.bundles[:2], text, text, text]) == once
    for n, machine in enumerate(fleet.machines):
        fleet.take(n, text)
        before, _ = list(machine.snapshot()), machine.take_events()
        answer = fleet.take(n, text)
        assert answer[:3] == ((), (), 0)
        assert machine.take_events() == []
        assert list(machine.snapshot()) == before


@given(histories)
def test_machines_that_exchange_converge_and_stay(history):
    fleet = lived(history)
    for n, other in ((0, 1), (1, 2), (2, 1), (1, 0), (2, 0)):
        fleet.exchange(n, other)
    exported = [fleet.export(n) for n in range(3)]
    assert len(set(exported)) == 1
    for n, other in ((0, 1), (1, 2), (2, 0), (1, 0)):
        assert fleet.exchange(n, other).n_origins == 0
    assert [fleet.export(n) for n in range(3)] == exported


@given(histories, which, which, st.sampled_from(TOPICS))
def test_a_signal_after_any_merges_stands_everywhere(history, n, other, topic):
    """The next revision of an origin is above all that any bundle knows of it, unless its store was lost meanwhile."""
    fleet = lived([step for step in history if step[0] != "lose"])
    fleet.signal(n, topic, "go", 1)
    own = fleet.own(n)
    fleet.exchange(n, other)
    fleet.take(other, fleet.bundles[0])
    assert read_bundle(fleet.export(other), fleet.day).get(f"{n:08x}") == own


@given(histories, which)
def test_a_merge_moves_nothing_that_the_machine_itself_has_learned(history, n):
    fleet = lived([step for step in history if step[0] != "lose"])
    own = fleet.own(n)
    for text in fleet.bundles:
        fleet.take(n, text)
    assert fleet.own(n) == own


@given(histories, st.data())
@settings(max_examples=200)
def test_a_bundle_with_any_byte_changed_is_taken_whole_or_refused_whole(history, data):
    fleet = lived(history)
    text = bytearray(fleet.bundles[-1])
    place = data.draw(st.integers(0, len(text) - 1))
    text[place] = data.draw(st.integers(0, 255))
    machine = fleet.machines[0]
    before, _ = list(machine.snapshot()), machine.take_events()
    try:
        fleet.take(0, bytes(text))
    except Misuse:
        assert list(machine.snapshot()) == before
        assert machine.take_events() == []
    exported = machine.perform(NOBODY, ExportBundle(), fleet.now).text
    assert bundle_text(read_bundle(exported, fleet.day)) == exported
