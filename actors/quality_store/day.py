"""UTC days and months by number, and what they are called.

A day is counted from 1970-01-01, a month from January of the year 0.
"""

from __future__ import annotations

from typing import Final

_DAYS_OF_ERA: Final = 146_097
_EPOCH_TO_ERA: Final = 719_468


def _civil(day: int) -> tuple[int, int, int]:
    """Year, month and day of the month in the Gregorian calendar.

    Counts from 1 March of the year 0, so that the leap day ends a year and an era of 400 years has 146,097 days
    (Hinnant, "chrono-compatible low-level date algorithms"). `datetime` would do it too, but brings the clock with it.
    """
    era, day_of_era = divmod(day + _EPOCH_TO_ERA, _DAYS_OF_ERA)
    leap_days = day_of_era // 1_460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leap_days) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    shifted = (5 * day_of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return 400 * era + year_of_era + (month <= 2), month, day_of_year - (153 * shifted + 2) // 5 + 1


def day_name(day: int) -> str:
    """`2023-11-14` for day 19,675."""
    year, month, day_of_month = _civil(day)
    return f"{year:04}-{month:02}-{day_of_month:02}"


def month_of(day: int) -> int:
    """The number of the month that the day is in."""
    year, month, _ = _civil(day)
    return year * 12 + month - 1


def month_name(month: int) -> str:
    """`2023-11` for month 24,286."""
    year, index = divmod(month, 12)
    return f"{year:04}-{index + 1:02}"
