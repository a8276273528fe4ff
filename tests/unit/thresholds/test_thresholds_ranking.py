"""What is learned of the weights by which pieces of a file are ranked."""

import json
import math

import pytest

from actors.runtime.errors import Misuse
from actors.runtime.machine import NOBODY, Caller, Now
from actors.thresholds.event import RankingEvicted, RankingLearned
from actors.thresholds.factory import make_thresholds
from actors.thresholds.messages import (
    ExportBundle,
    GetLearning,
    GetPolicy,
    ImportBundle,
    RankingEvidence,
    RecordRanking,
    ResetLearning,
    ShiftRow,
)
from actors.thresholds.ranking import (
    DEFAULT_WEIGHTS,
    LEARNED,
    MAX_RANKINGS,
    MAX_SHIFT,
    Ranking,
    clamped_shifts,
    effective_ranking,
    shifted_weights,
)
from actors.thresholds.report import ranking_lines

ADA = Caller("ada#1")
DAY_S = 86_400.0
N = len(LEARNED)


def now(day=100):
    return Now(0.0, day * DAY_S)


def machine_of(origin="aaaaaaaa"):
    return make_thresholds(origin=origin)


def learn(machine, shift=0.2, n_hunks=60, extension="py", day=100):
    return machine.perform(ADA, RecordRanking((RankingEvidence(extension, (shift,) * N, n_hunks),)), now(day)).n_changed


def shifts(machine, day=100):
    return {row.extension: row.shifts for row in machine.perform(NOBODY, GetPolicy(), now(day)).rankings}


def test_what_a_replay_said_is_what_readers_add_to_the_weights():
    machine = machine_of()
    assert learn(machine) == 1
    assert shifts(machine) == {"py": (0.2,) * N}
    weights = shifted_weights(shifts(machine)["py"])
    assert weights["words"] == DEFAULT_WEIGHTS["words"] + 0.2
    assert weights["size"] == DEFAULT_WEIGHTS["size"]


def test_too_few_hunks_apply_to_nobody():
    machine = machine_of()
    learn(machine, n_hunks=49)
    assert shifts(machine) == {}
    (row,) = machine.perform(NOBODY, GetLearning(), now()).rankings
    assert (row.n_hunks, row.applies) == (49, False)
    assert ranking_lines(machine.perform(NOBODY, GetLearning(), now()))[1] == "  .py  warming up (49 of 50 hunks)"


def test_the_same_again_changes_nothing_and_another_replay_takes_its_place():
    machine = machine_of()
    learn(machine)
    before = list(machine.snapshot())
    machine.take_events()
    assert learn(machine, day=140) == 0
    assert machine.take_events() == []
    assert list(machine.snapshot()) == before
    assert learn(machine, shift=-0.5, extension=".PY") == 1
    assert shifts(machine) == {"py": (-0.5,) * N}


def test_shifts_are_clamped_and_fade_by_two_percent_a_day():
    machine = machine_of()
    learn(machine, shift=7.0)
    assert shifts(machine) == {"py": (MAX_SHIFT,) * N}
    assert shifts(machine, day=110) == {"py": (round(0.98**10, 2),) * N}
    assert shifts(machine, day=100 + 366) == {}


def test_origins_are_weighed_by_their_hunks_up_to_two_hundred():
    today = [Ranking(1, (0.4,) * N, 100, 200), Ranking(1, (-0.2,) * N, 100, 100), Ranking(1, (0.0,) * N, 100, 0)]
    found = effective_ranking(today, 100)
    assert found.shifts == clamped_shifts([(0.4 * 200 - 0.2 * 100) / 300] * N)
    assert (found.n_hunks, found.n_origins) == (300, 2)
    assert effective_ranking([today[0]._replace(samples=10**5), today[1]], 100).shifts == found.shifts
    assert effective_ranking(today[2:], 100) is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (RankingEvidence("py", (0.1,) * (N - 1), 60), f"must be {N} numbers"),
        (RankingEvidence("py", (math.nan,) * N, 60), f"must be {N} numbers"),
        (RankingEvidence("py", (0.1,) * N, 0), "teach nothing"),
        (RankingEvidence("a/b", (0.1,) * N, 60), "not an extension"),
    ],
)
def test_what_no_replay_gives_is_refused_and_changes_nothing(row, message):
    machine = machine_of()
    good = RankingEvidence("rs", (0.1,) * N, 60)
    with pytest.raises(Misuse, match=message):
        machine.perform(ADA, RecordRanking((good, row)), now())
    with pytest.raises(Misuse, match="limit of 16"):
        machine.perform(ADA, RecordRanking((good,) * (MAX_RANKINGS + 1)), now())
    assert machine.take_events() == []


def test_of_too_many_extensions_the_one_goes_that_changed_longest_ago():
    machine = machine_of()
    for number in range(MAX_RANKINGS + 1):
        learn(machine, extension=f"x{number}")
    assert machine.take_events()[-1] == RankingEvicted("aaaaaaaa", "x0")
    assert "x0" not in shifts(machine)
    assert len(shifts(machine)) == MAX_RANKINGS
    machine.check_invariants()


def test_a_bundle_carries_rankings_and_merging_it_again_changes_nothing():
    ours, theirs = machine_of(), machine_of("bbbbbbbb")
    learn(ours, shift=0.2, n_hunks=100)
    learn(theirs, shift=0.6, n_hunks=100)
    text = theirs.perform(NOBODY, ExportBundle(), now()).text
    assert json.loads(text)["origins"]["bbbbbbbb"]["rankings"]["py"]["shifts"] == dict.fromkeys(LEARNED, 0.6)
    assert ours.perform(ADA, ImportBundle(text), now()).n_origins == 1
    assert shifts(ours) == {"py": (0.4,) * N}
    assert ours.perform(ADA, ImportBundle(text), now()).n_origins == 0


def test_what_was_forgotten_stays_forgotten_when_an_older_bundle_comes_back():
    for forgotten in ("py", ""):
        machine = machine_of()
        learn(machine)
        text = machine.perform(NOBODY, ExportBundle(), now()).text
        assert machine.perform(ADA, ResetLearning(forgotten), now()).n_contributions == 1
        assert shifts(machine) == {}
        machine.perform(ADA, ImportBundle(text), now())
        assert shifts(machine) == {}
        learn(machine, shift=0.3)
        assert shifts(machine) == {"py": (0.3,) * N}


def test_replayed_and_restored_it_is_the_same():
    machine, other = machine_of(), machine_of("bbbbbbbb")
    learn(other, shift=-0.4, extension="rs")
    learn(machine)
    machine.perform(ADA, ImportBundle(other.perform(NOBODY, ExportBundle(), now()).text), now())
    machine.perform(ADA, ResetLearning("py"), now())
    replayed, restored = machine_of(), machine_of()
    for event in machine.take_events():
        replayed.evolve(event)
    restored.restore(machine.snapshot())
    for twin in (replayed, restored):
        assert list(twin.snapshot()) == list(machine.snapshot())
        assert shifts(twin) == shifts(machine) == {"rs": (-0.4,) * N}


def test_the_event_says_all_there_is_to_know():
    machine = machine_of()
    learn(machine)
    assert machine.take_events() == [RankingLearned("aaaaaaaa", "py", 1, (0.2,) * N, 100, 60)]


def test_the_policy_has_another_version_when_the_weights_are_others():
    machine = machine_of()
    before = machine.perform(NOBODY, GetPolicy(), now()).version
    learn(machine)
    assert machine.perform(NOBODY, GetPolicy(), now()).version != before


def test_people_are_shown_the_largest_shifts():
    machine = machine_of()
    row = RankingEvidence("py", (0.05, -0.3, 0.0, 0.0, 0.2, 0.1, 0.0, 0.0, -0.1), 60)
    machine.perform(ADA, RecordRanking((row,)), now())
    assert ranking_lines(machine.perform(NOBODY, GetLearning(), now())) == [
        "Learned ranking of units",
        "  .py  60 hunks  first_line -0.30, near +0.20, end -0.10, recency +0.10",
    ]
    assert ranking_lines(machine_of().perform(NOBODY, GetLearning(), now()))[1].endswith("nothing learned so far")


def test_shifts_of_another_number_are_misuse():
    assert ShiftRow("py", (0.1,)).shifts == (0.1,)
    with pytest.raises(Misuse, match="fetch the policy again"):
        shifted_weights((0.1,))
