import pytest

from actors.quality_store.bounce_rate import BounceRates, ReadCounts, rate_of


def means_full(rates, extension, today):
    return rates.means_full(extension, today, min_reads=3, full_rate=0.30)


def test_the_rate_of_nothing_is_nothing():
    assert rate_of(0, 0) == 0.0
    assert BounceRates().rate("rs", 100) == 0.0


def test_a_day_weighs_by_its_age():
    counts = ReadCounts()
    counts.add(100, 10, 5)
    counts.add(102, 1, 0)
    assert counts.weighted(102) == pytest.approx((10 * 0.98**2 + 1, 5 * 0.98**2))
    assert counts.weighted(100) == (11, 5)


def test_the_newest_thirty_days_are_kept_apart_and_the_rest_weighs_as_its_newest_day():
    counts = ReadCounts()
    for day in range(1, 33):
        counts.add(day, 1, 1)
    assert sorted(counts.days) == list(range(3, 33))
    assert (counts.rest_day, counts.rest) == (2, [2, 2])
    assert (counts.n_reads, counts.n_bounces) == (32, 32)
    assert counts.weighted(32)[0] == pytest.approx(sum(0.98**age for age in range(30)) + 2 * 0.98**30)


def test_what_is_late_by_more_than_thirty_days_goes_to_the_rest():
    counts = ReadCounts()
    counts.add(100, 1, 0)
    counts.add(71, 1, 0)
    counts.add(70, 1, 1)
    assert sorted(counts.days) == [71, 100]
    assert (counts.rest_day, counts.rest) == (70, [1, 1])


def test_a_long_pause_puts_all_days_in_the_rest():
    counts = ReadCounts()
    counts.add(1, 4, 1)
    counts.add(2, 4, 1)
    counts.add(1000, 1, 0)
    assert (sorted(counts.days), counts.rest_day, counts.rest) == ([1000], 2, [8, 2])


def test_it_takes_three_reads_and_a_rate_of_thirty_hundredths():
    rates = BounceRates()
    rates.read("rs", 1, 0)
    rates.read("rs", 1, 1)
    assert not means_full(rates, "rs", 1)
    rates.read("rs", 1, 0)
    assert means_full(rates, "rs", 1)
    rates.read("rs", 1, 0)
    assert not means_full(rates, "rs", 1)


def test_a_kind_of_file_that_never_bounced_means_nothing_whatever_the_limit():
    rates = BounceRates()
    for _ in range(5):
        rates.read("rs", 1, 0)
    assert not rates.means_full("rs", 1, min_reads=0, full_rate=0.0)


def test_no_extension_is_no_kind():
    rates = BounceRates()
    rates.read("", 1, 1)
    assert len(rates) == 0


def test_the_extension_not_read_for_longest_is_the_first_to_go():
    rates = BounceRates()
    for extension in ("a", "b", "a"):
        rates.read(extension, 1, 0)
    assert rates.first_out() == "b"
