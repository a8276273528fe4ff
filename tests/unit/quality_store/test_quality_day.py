from datetime import date, timedelta

import pytest

from actors.quality_store.day import day_name, month_name, month_of

EPOCH = date(1970, 1, 1)


@pytest.mark.parametrize(
    ("day", "name"),
    [
        (0, "1970-01-01"),
        (19_675, "2023-11-14"),
        (19_782, "2024-02-29"),
        (19_783, "2024-03-01"),
        (11_016, "2000-02-29"),
        (47_540, "2100-02-28"),
        (47_541, "2100-03-01"),
    ],
)
def test_a_day_is_named_as_the_calendar_has_it(day, name):
    assert day_name(day) == name


def test_a_century_of_days_agrees_with_the_standard_library():
    for day in range(0, 400 * 366, 7):
        there = EPOCH + timedelta(days=day)
        assert (day_name(day), month_of(day)) == (there.isoformat(), there.year * 12 + there.month - 1)


def test_a_month_begins_with_its_first_day():
    assert (month_of(19_691), month_of(19_692)) == (24_286, 24_287)
    assert (month_name(24_286), month_name(24_287), month_name(24_288)) == ("2023-11", "2023-12", "2024-01")
