from actors.thresholds.daily_count import NO_COUNTS, DailyCounts, merged_counts
from actors.thresholds.limit import MAX_DAY_COUNT


def counted(*days):
    counts = NO_COUNTS
    for day in days:
        counts = counts.added(day, (1, 2))
    return counts


def test_counts_of_a_day_add_up():
    assert counted(5, 5, 6).days == {5: (2, 4), 6: (1, 2)}


def test_a_count_stops_at_its_bound():
    assert counted(5).added(5, (MAX_DAY_COUNT, 0)).days == {5: (MAX_DAY_COUNT, 2)}


def test_thirty_days_are_kept_apart():
    counts = counted(*range(1, 31))
    assert counts.due_through(30) == -1
    assert counts.due_through(31) == 1
    assert counts.due_through(40) == 10


def test_of_more_than_thirty_days_the_oldest_are_due_whatever_the_day():
    assert counted(*range(1, 33)).due_through(29) == 2


def test_the_rest_weighs_what_its_days_weigh_on_its_last_day():
    counts = counted(1, 2, 40).rolled(2)
    assert counts == DailyCounts(2, (1.98, 3.96), {40: (1, 2)})
    assert counts.added(41, (1, 2)).rolled(40) == DailyCounts(40, (1.919, 3.838), {41: (1, 2)})


def test_rolling_changes_nothing_for_a_reader():
    counts = counted(1, 2, 40)
    assert [round(n, 6) for n in counts.weighted(41)] == [round(n, 6) for n in counts.rolled(2).weighted(41)]


def test_what_is_counted_on_a_day_in_the_rest_goes_to_the_day_after_it():
    assert counted(1).rolled(1).added(0, (5, 5)).days == {2: (5, 5)}


def test_nothing_weighs_nothing():
    assert NO_COUNTS.weighted(9) == ()
    assert NO_COUNTS.newest_day == -1
    assert counted(3, 7).newest_day == 7
    assert counted(3, 7).rolled(7).newest_day == 7


def test_merging_takes_the_larger_of_each_count():
    one, other = DailyCounts(-1, (), {5: (9, 1), 6: (1, 1)}), DailyCounts(-1, (), {5: (3, 4), 7: (2, 2)})
    assert merged_counts(one, other) == DailyCounts(-1, (), {5: (9, 4), 6: (1, 1), 7: (2, 2)})


def test_merging_takes_the_rest_that_reaches_further_and_drops_the_days_in_it():
    one, other = DailyCounts(5, (3.0, 9.0), {6: (9, 9), 8: (1, 1)}), DailyCounts(6, (1.0, 1.0), {7: (2, 2)})
    assert merged_counts(one, other) == merged_counts(other, one)
    assert merged_counts(one, other) == DailyCounts(6, (1.0, 1.0), {7: (2, 2), 8: (1, 1)})


def test_rests_that_reach_as_far_are_merged_by_the_larger():
    one, other = DailyCounts(5, (3.0, 1.0), {}), DailyCounts(5, (1.0, 2.0), {})
    assert merged_counts(one, other) == DailyCounts(5, (3.0, 2.0), {})


def test_merging_keeps_the_newest_thirty_days_and_adds_to_nobody_s_rest():
    assert merged_counts(counted(*range(1, 21)), counted(*range(15, 46))).days.keys() == set(range(16, 46))
    assert merged_counts(counted(*range(1, 21)), counted(*range(15, 46))).rest == ()
