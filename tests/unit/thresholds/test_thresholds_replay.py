"""Replays as evidence: weak, capped, faded, and never counted twice."""

import pytest

from actors.runtime.errors import Misuse
from actors.runtime.kernel import Kernel
from actors.runtime.machine import NOBODY, Caller, Now
from actors.runtime.outbox import EDIT_SUCCESS, Deliver, Note
from actors.runtime.state_format import state_format_of, tagged_snapshot
from actors.thresholds.event import ReplayEvicted, ReplayRecorded, ReplayRow
from actors.thresholds.factory import make_thresholds
from actors.thresholds.messages import (
    CostChange,
    CostRow,
    ExportBundle,
    Forgotten,
    GetLearning,
    GetPolicy,
    GetStatistics,
    RecordReplay,
    ReplayCounted,
    ResetLearning,
)
from actors.thresholds.replay_book import MAX_HISTORIES, MAX_ROWS
from actors.thresholds.report import cost_lines, replay_lines

DAY_S = 86_400.0
ADA = Caller("ada#1")
HISTORY = "0123456789abcdef"
# 200 maps of files of 1,000 tokens: 100 tokens shown, half of them not enough, which cost 300 tokens each.
MAPS = ReplayRow("rs", "map", "<2000", 200, 100, 20_000, 200_000, 30_000)


def on_day(day):
    return Now(0.0, day * DAY_S)


@pytest.fixture
def machine():
    made = make_thresholds(origin="aaaaaaaa")
    made.admit("ada#1", "secret", on_day(100))
    return made


def record(machine, *rows, history=HISTORY, day=100):
    return machine.perform(ADA, RecordReplay(history, rows or (MAPS,)), on_day(day))


def costs(machine, day=100):
    return machine.perform(NOBODY, GetPolicy(), on_day(day)).costs


def evidence(machine, day=100):
    return machine.perform(NOBODY, GetLearning(), on_day(day)).costs


def test_a_replayed_outcome_counts_a_tenth_and_all_of_them_twenty_at_most(machine):
    record(machine, MAPS._replace(n=90, n_losses=45, n_tokens=9_000, n_total_tokens=90_000, n_extra_tokens=13_500))
    assert [row.n_outcomes for row in evidence(machine)] == [9.0]
    assert costs(machine) == ()  # below ten readers go by the prior
    record(machine)
    assert [(row.n_outcomes, row.n_replayed) for row in evidence(machine)] == [(20.0, 20.0)]
    record(machine, MAPS._replace(n=10**6, n_losses=5 * 10**5))
    assert [row.n_outcomes for row in evidence(machine)] == [20.0]


def test_it_moves_what_readers_go_by_from_the_prior(machine):
    counted = record(machine)
    # share (20 x 0.10 + 10 x 0.06) / 30; loss (20 x 0.5 + 1.5) / 30; extra (10 x 300 + 1.5 x 1,700) / 11.5
    after = CostRow("rs", "map", "<2000", 0.09, 0.38, 480)
    assert counted == ReplayCounted(True, (CostChange(CostRow("rs", "map", "<2000", 0.06, 0.15, 1700), after, 20.0),))
    assert costs(machine) == (after,)
    assert replay_lines(counted) == [
        "1 learned cost changed",
        "  .rs  map  <2000  6% + 15% x 1700 -> 9% + 38% x 480  20 outcomes",
    ]
    learned = machine.perform(NOBODY, GetLearning(), on_day(100))
    assert cost_lines(learned)[1].endswith("20 outcomes, 20 of them replayed")


def test_the_same_replay_again_changes_nothing(machine):
    record(machine)
    before = costs(machine), evidence(machine)
    machine.take_events()
    again = record(machine, day=130)
    assert again == ReplayCounted(False, ())
    assert machine.take_events() == []
    assert (costs(machine), evidence(machine)) == before
    assert replay_lines(again) == ["nothing changed: this is what is known of this history already"]


def test_another_range_of_a_history_takes_the_place_of_the_one_before(machine):
    record(machine)
    other = MAPS._replace(mode="signatures", n=150, n_losses=15)
    record(machine, other)
    assert [(row.cost.mode, row.n_outcomes) for row in evidence(machine)] == [("signatures", 15.0)]
    record(machine)
    assert [(row.cost.mode, row.n_outcomes) for row in evidence(machine)] == [("map", 20.0)]


def test_several_histories_add_up_under_one_cap(machine):
    half = MAPS._replace(n=80, n_losses=0, n_tokens=8_000, n_total_tokens=80_000, n_extra_tokens=0)
    record(machine, half)
    record(machine, half, history="aaaa0000")
    assert [row.n_outcomes for row in evidence(machine)] == [16.0]
    record(machine, half, history="bbbb0000")
    assert [row.n_outcomes for row in evidence(machine)] == [20.0]


def test_it_fades_as_all_outcomes_do(machine):
    record(machine)
    assert evidence(machine, day=150)[0].n_outcomes == pytest.approx(200 * 0.98**50 / 10)
    assert costs(machine, day=170) == ()


def test_outcomes_that_were_seen_are_counted_beside_it(machine):
    record(machine)
    seen = Note(EDIT_SUCCESS, "ada#1", "home", "a.rs", "rs", "map", 100, 1_000, 0, 0.0)
    machine.perform(NOBODY, Deliver("quality_store@1", 20, (seen,) * 20), on_day(100))
    (row,) = evidence(machine)
    assert (row.n_outcomes, row.n_replayed) == (40.0, 20.0)
    assert row.cost.p_loss == 0.23  # (20 x 0.5 + 1.5) / 50


def test_only_so_many_histories_are_kept_the_latest(machine):
    for number in range(MAX_HISTORIES + 1):
        record(machine, MAPS._replace(n=1, n_losses=0), history=f"{number:08x}")
    events = machine.take_events()
    assert [event for event in events if isinstance(event, ReplayEvicted)] == [ReplayEvicted("00000000")]
    assert evidence(machine)[0].n_outcomes == pytest.approx(MAX_HISTORIES / 10)
    statistics = machine.perform(NOBODY, GetStatistics(), on_day(100))
    assert dict(statistics.evicted)["replay"] == 1
    assert statistics.n_replays == MAX_HISTORIES + 1
    machine.check_invariants()


@pytest.mark.parametrize(
    ("history", "rows", "why"),
    [
        ("a/b", (MAPS,), "does not name a history"),
        (HISTORY, (), "1 to 300 rows, not 0"),
        (HISTORY, (MAPS._replace(extension="a/b"),), "no kind of view"),
        (HISTORY, (MAPS._replace(mode="lines"),), "no kind of view"),
        (HISTORY, (MAPS._replace(bucket="huge"),), "no kind of view"),
        (HISTORY, (MAPS._replace(n_losses=201),), "cannot be"),
        (HISTORY, (MAPS._replace(n=0, n_losses=0),), "cannot be"),
        (HISTORY, (MAPS._replace(n_tokens=-1),), "cannot be"),
        (HISTORY, (MAPS._replace(n_total_tokens=0),), "without tokens"),
        (HISTORY, (MAPS, MAPS), "names a kind of view twice"),
        (HISTORY, tuple(MAPS._replace(extension=f"x{n}") for n in range(MAX_ROWS + 1)), "1 to 300 rows, not 301"),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(machine, history, rows, why):
    machine.take_events()
    with pytest.raises(Misuse, match=why):
        machine.perform(ADA, RecordReplay(history, rows), on_day(100))
    assert machine.take_events() == []


def test_forgetting_takes_replays_along_and_they_may_be_told_again(machine):
    go = MAPS._replace(extension="go")
    record(machine, go, MAPS)
    assert machine.perform(ADA, ResetLearning("rs"), on_day(100)) == Forgotten(0, 0, 1)
    assert [row.cost.extension for row in evidence(machine)] == ["go"]
    assert record(machine, go, MAPS).is_new
    assert machine.perform(ADA, ResetLearning(""), on_day(100)) == Forgotten(0, 0, 2)
    assert evidence(machine) == ()
    assert record(machine, go, MAPS).is_new


def test_no_bundle_has_them(machine):
    before = machine.perform(NOBODY, ExportBundle(), on_day(100))
    record(machine)
    assert machine.perform(NOBODY, ExportBundle(), on_day(100)) == before


def test_a_snapshot_and_the_journal_bring_them_back(machine):
    record(machine)
    record(machine, MAPS._replace(extension="go"), history="aaaa0000")
    replayed, restored = make_thresholds(origin="aaaaaaaa"), make_thresholds(origin="aaaaaaaa")
    for event in machine.take_events():
        replayed.evolve(event)
    restored.restore(machine.snapshot())
    for other in (replayed, restored):
        assert list(other.snapshot()) == list(machine.snapshot())
        assert evidence(other, day=120) == evidence(machine, day=120)
        assert not record(other).is_new


def test_a_snapshot_of_the_first_format_is_one_without_replays(machine):
    old = [part for part in machine.snapshot() if part[0] != "replays"]
    parts = state_format_of(machine).upgraded(iter(old), "a store")
    later = make_thresholds(origin="aaaaaaaa")
    later.restore(parts)
    assert list(later.snapshot()) == old
    assert next(tagged_snapshot(Kernel(machine))) == ["format", 4]


def test_the_event_says_all_there_is_to_know(machine):
    machine.take_events()
    record(machine)
    assert machine.take_events() == [ReplayRecorded(HISTORY, 100, (MAPS,))]
