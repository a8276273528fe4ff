import pytest

from actors.runtime.clock import ActorClock, earlier
from actors.runtime.machine import Now

DAY_S = 86_400.0


def started(*, field_s=100.0, utc_s=1_000.0):
    clock = ActorClock()
    clock.start_at(field_s, utc_s)
    clock.advance(monotonic_s=50.0, wall_s=utc_s)
    return clock


def test_field_time_goes_on_from_the_journal_whatever_passed_while_it_was_down():
    clock = ActorClock()
    clock.start_at(100.0, 1_000.0)
    assert clock.advance(monotonic_s=7.0, wall_s=9_000.0) == Now(100.0, 9_000.0)
    assert clock.advance(monotonic_s=7.5, wall_s=9_000.5) == Now(100.5, 9_000.5)


def test_a_step_of_field_time_is_at_most_two_seconds():
    clock = started()
    assert clock.advance(monotonic_s=51.5, wall_s=1_001.5).field_s == 101.5
    assert clock.advance(monotonic_s=60.0, wall_s=1_010.0).field_s == 103.5


def test_field_time_stands_still_while_it_does_not_serve():
    clock = started()
    assert clock.advance(monotonic_s=51.0, wall_s=1_001.0, serving=False) == Now(100.0, 1_001.0)
    assert clock.advance(monotonic_s=52.0, wall_s=1_002.0).field_s == 101.0


def test_no_clock_runs_backwards():
    clock = started()
    clock.advance(monotonic_s=51.0, wall_s=1_001.0)
    assert clock.advance(monotonic_s=40.0, wall_s=3.0) == Now(101.0, 1_001.0)
    assert clock.advance(monotonic_s=41.0, wall_s=900.0) == Now(102.0, 1_001.0)


def test_what_the_journal_recorded_is_never_in_the_future():
    clock = started()
    clock.start_at(500.0, 700.0)
    assert clock.now == Now(500.0, 1_000.0)


def test_a_jump_of_a_day_is_believed():
    clock = started()
    assert clock.advance(monotonic_s=51.0, wall_s=1_001.0 + DAY_S).utc_s == 1_001.0 + DAY_S
    assert clock.n_refused_jumps == 0


def test_a_jump_of_more_than_a_day_is_refused_and_counted_once():
    clock = started()
    assert clock.advance(monotonic_s=51.0, wall_s=1_002.0 + DAY_S).utc_s == 1_001.0
    assert clock.advance(monotonic_s=53.0, wall_s=1_004.0 + DAY_S).utc_s == 1_003.0
    assert clock.n_refused_jumps == 1
    assert clock.advance(monotonic_s=54.0, wall_s=1_004.0).utc_s == 1_004.0
    assert clock.advance(monotonic_s=55.0, wall_s=9_000.0 + DAY_S).utc_s == 1_005.0
    assert clock.n_refused_jumps == 2


def test_a_jump_that_the_monotonic_clock_confirms_is_taken():
    clock = started()
    assert clock.advance(monotonic_s=50.0 + 3 * DAY_S, wall_s=1_000.0 + 3 * DAY_S) == Now(102.0, 1_000.0 + 3 * DAY_S)
    assert clock.n_refused_jumps == 0


@pytest.mark.parametrize(
    ("one_s", "other_s", "first_s"),
    [(2.0, 1.0, 1.0), (0.0, 1.0, 0.0), (None, 1.0, 1.0), (0.0, None, 0.0), (None, None, None)],
)
def test_the_earlier_of_two_times_is_the_one_that_comes_at_all(one_s, other_s, first_s):
    assert earlier(one_s, other_s) == first_s
