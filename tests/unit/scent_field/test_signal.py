import tracemalloc

import pytest

from actors.runtime.errors import InvariantBroken
from actors.scent_field.signal import HALF_LIVES_S, SignalKind, Signals
from actors.scent_field.trail import Deposit

HOT, STUCK, DONE = SignalKind.HOT, SignalKind.STUCK, SignalKind.DONE


def left(*deposits):
    signals = Signals()
    for kind, target, agent, intensity, at_s in deposits:
        signals.put(kind, target, Deposit(agent, intensity, at_s))
    return signals


def test_half_lives_are_ten_ten_thirty_sixty_and_sixty_minutes():
    assert dict(HALF_LIVES_S) == {"CLAIMED": 600.0, "HOT": 600.0, "STUCK": 1800.0, "DONE": 3600.0, "AVOID": 3600.0}


@pytest.mark.parametrize(("kind", "half_life_s"), list(HALF_LIVES_S.items()))
def test_a_signal_is_worth_half_after_its_half_life(kind, half_life_s):
    signals = left((kind, "a", "ann#1", 2.0, 100.0))
    assert signals.carried(kind, "a", "ann#1", 100.0 + half_life_s) == pytest.approx(1.0)
    assert signals.carried(kind, "a", "ann#1", 100.0 + 3 * half_life_s) == pytest.approx(0.25)


def test_the_same_agents_signals_add_up_to_three_at_most():
    signals = left((HOT, "a", "ann#1", 2.0, 0.0))
    assert signals.superposed(HOT, "a", "ann#1", 1.5, 600.0) == pytest.approx(2.5)
    assert signals.superposed(HOT, "a", "ann#1", 3.0, 600.0) == 3.0
    assert signals.superposed(HOT, "a", "bob#2", 1.5, 600.0) == 1.5
    assert signals.superposed(STUCK, "a", "ann#1", 1.5, 600.0) == 1.5


def test_what_is_below_five_hundredths_is_dead_before_it_is_collected():
    signals = left((HOT, "a", "ann#1", 0.1, 0.0))
    assert signals.carried(HOT, "a", "ann#1", 599.9) == pytest.approx(0.05, abs=1e-4)
    assert signals.carried(HOT, "a", "ann#1", 600.1) == 0.0
    assert signals.superposed(HOT, "a", "ann#1", 1.0, 600.1) == 1.0
    assert signals.row(HOT, "a", 600.1) is None
    assert signals.n_deposits == 1
    assert signals.collect(600.1) == 1
    assert signals.n_deposits == 0


def test_one_agents_faded_signal_leaves_anothers_on_the_same_target():
    signals = left((HOT, "a", "ann#1", 0.1, 0.0), (HOT, "a", "bob#2", 1.0, 0.0))
    assert signals.collect(601.0) == 1
    (row,) = signals.strongest(601.0, 15)
    assert [one.agent_id for one in row.deposits] == ["bob#2"]
    signals.check_invariants()


def test_a_row_shows_the_strongest_agent_first_and_equals_by_name():
    signals = left((HOT, "a", "cat#3", 1.0, 0.0), (HOT, "a", "bob#2", 2.0, 0.0), (HOT, "a", "ann#1", 1.0, 0.0))
    (row,) = signals.strongest(0.0, 15)
    assert [(one.agent_id, one.intensity) for one in row.deposits] == [("bob#2", 2.0), ("ann#1", 1.0), ("cat#3", 1.0)]
    assert row.intensity == 4.0


@pytest.mark.parametrize("limit", range(9))
def test_of_equally_strong_targets_the_first_names_are_shown(limit):
    names = ["a", "b", "c", "d", "e", "f"]
    signals = left(*((HOT, name, "ann#1", 1.0, 0.0) for name in reversed(names)), (HOT, "z", "ann#1", 2.0, 0.0))
    assert [row.target for row in signals.strongest(5.0, limit)] == ["z", *names][:limit]


def test_kinds_are_merged_by_strength_now_and_equals_by_kind():
    signals = left((DONE, "d", "ann#1", 1.0, 0.0), (HOT, "h", "ann#1", 1.5, 0.0), (STUCK, "s", "ann#1", 1.5, 0.0))
    assert [row.kind for row in signals.strongest(0.0, 15)] == [HOT, STUCK, DONE]
    assert [row.kind for row in signals.strongest(3_600.0, 15)] == [DONE, STUCK]
    assert [row.kind for row in signals.strongest(0.0, 15, (STUCK, DONE))] == [STUCK, DONE]


def test_claims_do_not_count_as_an_agents_signals():
    signals = left(
        (SignalKind.CLAIMED, "a", "ann#1", 2.0, 0.0), (HOT, "a", "ann#1", 1.0, 0.0), (HOT, "b", "ann#1", 1, 0)
    )
    assert signals.n_left_by("ann#1") == 2
    signals.drop(HOT, "a", "ann#1")
    signals.drop(HOT, "a", "nobody#9")
    assert signals.n_left_by("ann#1") == 1
    signals.collect(10_000.0)
    assert signals.n_left_by("ann#1") == 0
    assert not signals.has_marks


def test_an_index_that_went_astray_is_noticed():
    signals = left((HOT, "a", "ann#1", 1.0, 0.0))
    signals._kinds[HOT]._ranked.clear()
    with pytest.raises(InvariantBroken, match="order does not follow"):
        signals.check_invariants()


def test_a_signal_takes_less_than_five_hundred_bytes():
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        signals = Signals()
        for number in range(20_000):
            target = f"src/package_{number % 100}/module_{number}.py"
            signals.put(
                STUCK, target, Deposit("local-host-4711-1700000000#1", 1.0 + number % 7 / 10, float(number % 997))
            )
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert signals.n_deposits == 20_000
    assert (after - before) / 20_000 <= 500
