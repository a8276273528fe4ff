import pytest

from actors.runtime.outbox import BOUNCE, CLEAN_COMPRESSED, EDIT_FAILURE, EDIT_SUCCESS, WASTED_FULL
from actors.thresholds.contribution import NOTHING, STEP, WEIGHTS, Contribution, effective, newer
from actors.thresholds.limit import MAX_SAMPLES, Limits


def test_the_seed_s_numbers_are_the_defaults():
    assert WEIGHTS == {BOUNCE: -3.0, EDIT_FAILURE: -6.0, CLEAN_COMPRESSED: 0.5, WASTED_FULL: 2.0}
    assert EDIT_SUCCESS not in WEIGHTS
    assert STEP == 0.02
    assert (Limits().min_signals, Limits().min_observations) == (10, 20)


def test_a_delta_loses_two_percent_a_day():
    one = Contribution(1, 0.1, 100, 10)
    assert one.delta_on(100) == 0.1
    assert one.delta_on(101) == pytest.approx(0.098)
    assert one.delta_on(102) == pytest.approx(0.09604)


def test_a_delta_of_tomorrow_is_whole_today():
    assert Contribution(1, 0.1, 102, 10).delta_on(100) == 0.1


def test_a_signal_decays_first_then_moves_then_clamps():
    assert Contribution(7, 0.1, 100, 10).moved(-0.06, 101, 8) == Contribution(8, 0.038, 101, 11)
    assert Contribution(7, 0.15, 100, 10).moved(0.01, 101, 8) == Contribution(8, 0.15, 101, 11)
    assert Contribution(7, -0.1, 100, 10).moved(-0.12, 100, 8) == Contribution(8, -0.15, 100, 11)


def test_a_signal_never_sets_a_delta_back_in_time():
    assert Contribution(7, 0.1, 102, 10).moved(0.01, 100, 8) == Contribution(8, 0.11, 102, 11)


def test_what_moves_back_to_nothing_is_no_minus_zero():
    assert repr(Contribution(1, 0.06, 100, 1).moved(-0.06, 100, 2).delta) == "0.0"
    assert repr(NOTHING.moved(-1e-12, 100, 1).delta) == "0.0"


def test_samples_stop_counting_at_their_bound():
    assert Contribution(7, 0.0, 100, MAX_SAMPLES).moved(0.01, 100, 8).samples == MAX_SAMPLES


def test_the_higher_revision_stands_whatever_else():
    old, new = Contribution(7, 0.15, 900, 999), Contribution(8, 0.0, 1, 0)
    assert newer(old, new) == newer(new, old) == new


def test_a_tie_is_broken_the_same_way_round_by_what_it_holds():
    one, other = Contribution(7, 0.1, 100, 10), Contribution(7, 0.2, 100, 10)
    assert newer(one, other) == newer(other, one)
    assert newer(one, one) == one


def test_the_mean_is_weighted_by_samples_of_two_hundred_at_most():
    assert effective([Contribution(1, 0.15, 9, 30), Contribution(1, -0.15, 9, 10)], 9) == (pytest.approx(0.075), 40)
    assert effective([Contribution(1, 0.15, 9, 999), Contribution(1, 0.0, 9, 100)], 9) == (pytest.approx(0.1), 1099)


def test_the_mean_does_not_hang_on_the_order():
    three = [Contribution(1, 0.1, 9, 7), Contribution(1, 0.03, 4, 11), Contribution(1, -0.07, 2, 13)]
    assert effective(three, 20) == effective(three[::-1], 20) == effective([three[1], three[0], three[2]], 20)


def test_who_has_no_samples_has_no_say():
    assert effective([Contribution(5, 0.0, 9, 0), Contribution(1, 0.1, 9, 10)], 9) == (0.1, 10)
    assert effective([Contribution(5, 0.0, 9, 0)], 9) == (0.0, 0)
    assert effective([], 9) == (0.0, 0)


def test_what_is_older_than_a_year_no_longer_pulls_the_others_to_zero():
    gone, here = Contribution(1, 0.15, 0, 200), Contribution(1, 0.1, 366, 10)
    assert effective([gone, here], 366) == (0.1, 10)
    assert effective([gone, here._replace(day=365)], 365).n_samples == 210
