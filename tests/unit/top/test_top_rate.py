"""How often things happen, from counts that only grow."""

import pytest

from coordinator.top.rate import MAX_LOOKS, Rates


def rates_of(*looks):
    rates = Rates()
    for at_s, count in looks:
        rates.add(at_s, {"reads": count})
    return rates


def test_a_rate_needs_two_looks():
    assert Rates().per_minute("reads") is None
    assert rates_of((1.0, 5)).per_minute("reads") is None
    assert rates_of((0.0, 5), (30.0, 15)).per_minute("reads") == 20.0


def test_a_rate_is_that_of_the_last_minute():
    assert rates_of((0.0, 0), (100.0, 600), (160.0, 606)).per_minute("reads") == 6.0


def test_where_looks_are_further_apart_than_a_minute_the_last_two_count():
    assert rates_of((0.0, 0), (120.0, 10)).per_minute("reads") == 5.0


def test_steps_are_what_came_between_looks():
    assert rates_of((0.0, 0), (2.0, 1), (4.0, 1), (6.0, 4)).steps("reads", 2) == [0.0, 90.0]


def test_a_count_that_has_fallen_is_another_stores():
    rates = rates_of((0.0, 100), (2.0, 110), (4.0, 3))
    assert (len(rates), rates.per_minute("reads"), rates.total("reads")) == (1, None, 3)


def test_a_count_that_was_not_seen_for_once_is_no_fall():
    rates = rates_of((0.0, 100))
    rates.add(2.0, {"edits": 1})
    rates.add(4.0, {"reads": 104, "edits": 1})
    assert rates.per_minute("reads") == 60.0
    assert rates.per_minute("nothing") is None


def test_two_looks_at_the_same_moment_divide_by_nothing():
    rates = rates_of((1.0, 1), (1.0, 2))
    assert (rates.per_minute("reads"), rates.steps("reads", 5)) == (None, [])


def test_looks_are_bounded():
    rates = rates_of(*((float(number), number) for number in range(MAX_LOOKS + 50)))
    assert len(rates) == MAX_LOOKS
    assert rates.per_minute("reads") == pytest.approx(60.0)
