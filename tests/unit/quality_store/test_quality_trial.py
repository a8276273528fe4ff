"""The trials of learned layers: what counts in which arm, by whole files and sessions, on which day."""

import pytest

from actors.quality_store.limit import Limits
from actors.quality_store.machine import QualityStore
from actors.quality_store.messages import (
    GetEvidence,
    GetStatistics,
    RecordOutcome,
    RecordRead,
    RecordTrial,
    ResolveMode,
)
from actors.quality_store.trial import MAX_UNIT_COUNT, MEASURES, Counts, Moments, Trials, moments_of
from actors.runtime.errors import Misuse
from actors.runtime.holdout import LAYERS
from actors.runtime.machine import NOBODY, Caller, Now

ADA = Caller("ada#1")
DAY_S = 86_400.0
DAY = 19_675


def at(seconds=0.0, day=DAY):
    return Now(0.0, day * DAY_S + seconds)


def read(store, path, mode="map", *, layers=("edit_penalty",), arms=(), n=100, now=None, caller=ADA, source="auto"):
    store.perform(caller, RecordRead("home", path, mode, source, n, 1_000, arms=arms, layers=layers), now or at())


def arms(store, measure="loss_rate", layer="edit_penalty", now=None):
    """By side: units, n and y."""
    found = store.perform(NOBODY, GetEvidence(30), now or at()).arms
    return {arm.side: arm[3:6] for arm in found if (arm.layer, arm.measure) == (layer, measure)}


def test_the_sums_are_those_of_units():
    total = moments_of(2, 1) + moments_of(4, 3)
    assert total == Moments(2, 6, 4, 20, 14, 10)
    assert total.ratio == 4 / 6
    # (1 - 2 * 2/3)² + (3 - 4 * 2/3)² = 1/9 + 1/9
    assert total.residual == pytest.approx(2 / 9)
    assert total.n_effective == 36 / 20


def test_nothing_has_no_ratio_and_no_error():
    assert (Moments().ratio, Moments().residual, Moments().n_effective) == (None, 0.0, 0.0)


def test_sums_that_grow_with_each_outcome_are_those_of_the_whole_units():
    trials = Trials()
    for counts in (Counts(1, 0, 500, 100), Counts(0, 1, 0, 500), Counts(1, 0, 500, 90)):
        trials.add("edit_penalty", "holdout", "a.rs", counts, 10)
    trials.add("edit_penalty", "holdout", "b.rs", Counts(1, 0, 200, 50), 10)
    losses, cost = (
        next(row for row in trials.trial_rows() if row.measure == name) for name in ("loss_rate", "cost_share")
    )
    assert losses.moments == moments_of(2, 1) + moments_of(1, 0)
    assert cost.moments == moments_of(1_000, 690) + moments_of(200, 50)


def test_a_unit_counts_for_ten_millions_at_most_so_that_sums_fit_64_bits():
    trials = Trials()
    for _ in range(3):
        trials.add("expected_cost", "treatment", "a.rs", Counts(1, 0, 10**9, 10**9), 10)
    cost = next(row for row in trials.trial_rows() if row.measure == "cost_share")
    assert cost.moments == Moments(1, *(MAX_UNIT_COUNT,) * 2, *(MAX_UNIT_COUNT**2,) * 3)
    assert Limits().max_units * MAX_UNIT_COUNT**2 < 2**63


def test_a_view_counts_in_the_arm_of_each_layer_that_had_a_say():
    store = QualityStore()
    read(store, "a.rs", layers=("edit_penalty", "expected_cost"), arms=("expected_cost",))
    assert arms(store) == {"treatment": (1, 1, 0)}
    assert arms(store, layer="expected_cost") == {"holdout": (1, 1, 0)}
    assert arms(store, "cost_share", "expected_cost") == {"holdout": (1, 1_000, 100)}


def test_a_view_in_which_a_layer_had_no_say_does_not_count_though_its_file_is_held_out():
    store = QualityStore()
    read(store, "a.rs", layers=(), arms=("edit_penalty",))
    assert store.perform(NOBODY, GetEvidence(30), at()).arms == ()


def test_a_file_that_is_read_often_is_one_unit_whoever_reads_it_in_whichever_space():
    store = QualityStore()
    for number in range(5):
        read(store, "a.rs", caller=Caller(f"bob#{number}"))
    store.perform(ADA, RecordRead("other", "a.rs", "map", "auto", 100, 1_000, layers=("edit_penalty",)), at())
    assert arms(store) == {"treatment": (1, 6, 0)}


def test_a_bounce_is_a_loss_of_the_view_and_costs_the_second_read():
    store = QualityStore()
    read(store, "a.rs", arms=("edit_penalty",))
    read(store, "a.rs", "full", layers=(), n=1_000, source="explicit")
    assert arms(store) == {"holdout": (1, 1, 1)}
    assert arms(store, "cost_share") == {"holdout": (1, 1_000, 1_100)}


def test_a_failed_edit_is_a_loss_and_costs_the_call_and_the_next_read():
    store = QualityStore()
    read(store, "a.rs")
    store.perform(ADA, RecordOutcome("home", "a.rs", "map", "failure", "not_shown", 40), at())
    read(store, "a.rs", "full", layers=(), n=1_000, source="edit_fail_escalation")
    assert arms(store) == {"treatment": (1, 1, 1)}
    assert arms(store, "cost_share") == {"treatment": (1, 1_000, 1_140)}


def test_the_same_file_on_another_day_is_another_unit_and_what_is_late_counts_there():
    store = QualityStore()
    read(store, "a.rs", now=at(DAY_S - 1))
    store.expire(at(1, DAY + 1))
    read(store, "a.rs", "full", layers=(), n=1_000, source="explicit", now=at(1, DAY + 1))
    read(store, "a.rs", now=at(2, DAY + 1))
    assert arms(store, now=at(3, DAY + 1)) == {"treatment": (2, 2, 1)}
    assert store.perform(NOBODY, GetStatistics(), at(3, DAY + 1)).trial_units == 1
    store.check_invariants()


def test_of_too_many_units_the_late_ones_are_left_out_and_counted():
    store = QualityStore(Limits(max_units=3))
    for number in range(5):
        read(store, f"{number}.rs")
    read(store, "0.rs")
    assert arms(store) == {"treatment": (3, 4, 0)}
    seen = store.perform(NOBODY, GetStatistics(), at())
    assert (seen.trial_units, seen.trial_outcomes_left_out) == (3, 2)


def test_the_penalty_is_at_stake_where_a_pair_is_risky_whichever_rule_decides():
    store = QualityStore(Limits(penalty_holdout=0.0))
    assert not store.perform(ADA, ResolveMode("home", "b.rs", "map"), at()).is_at_stake
    for _ in range(2):
        store.perform(ADA, RecordOutcome("home", "a.rs", "map", "failure", "not_shown"), at())
    escalated, penalised = (store.perform(ADA, ResolveMode("home", path, "map"), at()) for path in ("a.rs", "b.rs"))
    assert (escalated.source, escalated.is_at_stake) == ("edit_fail_escalation", True)
    assert (penalised.source, penalised.is_at_stake) == ("edit_quality_penalty", True)
    store = QualityStore(Limits(penalty_holdout=1.0))
    for _ in range(2):
        store.perform(ADA, RecordOutcome("home", "a.rs", "map", "failure", "not_shown"), at())
    held_out = store.perform(ADA, ResolveMode("home", "b.rs", "map"), at())
    assert (held_out.mode, held_out.is_held_out, held_out.is_at_stake) == ("map", True, True)


def test_a_session_is_a_unit_of_the_layers_that_are_held_out_by_session():
    store = QualityStore()
    for n, n_losses in ((4, 1), (6, 2)):
        assert store.perform(ADA, RecordTrial("begin_share", False, n, n_losses), at()).is_counted
    store.perform(Caller("bob#2"), RecordTrial("begin_share", True, 5, 5), at())
    assert arms(store, "miss_rate", "begin_share") == {"treatment": (1, 10, 3), "holdout": (1, 5, 5)}


@pytest.mark.parametrize(
    "command",
    [
        RecordTrial("edit_penalty", False, 1, 0),
        RecordTrial("magic", False, 1, 0),
        RecordTrial("lessons", False, 0, 0),
        RecordTrial("lessons", False, 1, 2),
        RecordTrial("lessons", False, 1, -1),
        RecordTrial("lessons", False, 10_001, 1),
        RecordRead("home", "a.rs", "map", "auto", 1, 2, layers=("lessons",)),
        GetEvidence(0),
        GetEvidence(31),
    ],
)
def test_what_cannot_be_is_refused_and_changes_nothing(command):
    store = QualityStore()
    with pytest.raises(Misuse, match=r"give|tell|ask"):
        store.perform(ADA, command, at())
    assert store.take_events() == []


def test_every_layer_has_a_measure():
    assert set(MEASURES) == set(LAYERS)


def test_trials_survive_a_restart_and_a_replay():
    store, replica, restored = QualityStore(), QualityStore(Limits(max_units=1)), QualityStore()
    read(store, "a.rs")
    read(store, "b.rs", arms=("edit_penalty",))
    store.perform(ADA, RecordTrial("lessons", True, 3, 1), at())
    store.perform(ADA, RecordOutcome("home", "a.rs", "map", "failure", "not_shown", 40), at())
    for event in store.take_events():
        replica.evolve(event)
    restored.restore(store.snapshot())
    for other in (replica, restored):
        assert list(other.snapshot()) == list(store.snapshot())
        read(other, "a.rs", "full", layers=(), n=1_000, source="explicit")
    read(store, "a.rs", "full", layers=(), n=1_000, source="explicit")
    assert arms(replica, "cost_share") == arms(restored, "cost_share") == arms(store, "cost_share")


def test_a_snapshot_of_before_the_layers_that_had_a_say_is_read():
    store = QualityStore()
    read(store, "a.rs", layers=())
    parts = [[name, rows] for name, rows in store.snapshot() if not name.startswith("ledger_e")]
    agents = next(rows for name, rows in parts if name == "agents")
    agents[0][2] = [tuple(view)[:7] for view in agents[0][2]]
    agents[0][4][0][2] = tuple(agents[0][4][0][2])[:7]
    restored = QualityStore()
    restored.restore(parts)
    read(restored, "a.rs", "full", layers=(), n=1_000, source="explicit")
    (row,) = (row for row in restored.perform(NOBODY, GetStatistics(), at()).ledger if row.mode == "map")
    assert row.n_bounces == 1
