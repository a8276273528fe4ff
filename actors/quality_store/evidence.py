"""What the ledger's newest days add up to: all that whoever judges efficacy needs, and no more.

The same function works on the days of the running store and on the records of an exported ledger, so that both give
the same. A day is in the window by its number alone; days that are not there count as nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from actors.quality_store.account import GAUGES, AccountRow
from actors.quality_store.day import day_name
from actors.quality_store.day_evidence import DayFacts
from actors.quality_store.edit_count import EditRow
from actors.quality_store.mode import FULL
from actors.quality_store.row import LedgerRow
from actors.quality_store.trial import Key, Moments

WINDOW_DAYS: Final = 30
WEEK_DAYS: Final = 7


class WeekRow(NamedTuple):
    """Compressed reads of seven days, and how many of them bounced."""

    n_reads: int
    n_bounces: int


class ArmRow(NamedTuple):
    """One side of a layer by one of its measures: the ratio `y` / `n`, and what its error follows from.

    `residual` is the sum over units of (y - ratio n)². `n_effective` units of one size would tell as much as the
    `n_units` do.
    """

    layer: str
    measure: str
    side: str
    n_units: int
    n: int
    y: int
    n_effective: float
    residual: float


class DaySaving(NamedTuple):
    """One day: compressed reads and their bounces, and tokens saved, net of bounces and retries."""

    day: str
    n_reads: int
    n_bounces: int
    n_net_tokens: int


class Evidence(NamedTuple):
    """The sums of the `n_days` days that end with `last_day`, `2023-11-14`. Rows are sorted by name.

    `this_week` and `week_before` are the last seven days and the seven before them. `account` has by how much totals
    grew in the window, and other numbers as they were told last.
    """

    last_day: str
    n_days: int
    this_week: WeekRow
    week_before: WeekRow
    edits: tuple[EditRow, ...]
    arms: tuple[ArmRow, ...]
    account: tuple[AccountRow, ...]
    n_sent_tokens: int
    n_saved_tokens: int
    n_bounce_tokens: int
    n_retry_tokens: int
    days: tuple[DaySaving, ...]

    @property
    def n_net_tokens(self) -> int:
        """Tokens saved, less what bounces and retries cost."""
        return self.n_saved_tokens - self.n_bounce_tokens - self.n_retry_tokens


def evidence_of(days: Iterable[DayFacts], last_day: int, n_days: int = WINDOW_DAYS) -> Evidence:
    """Add up the days from `last_day - n_days + 1` to `last_day`."""
    within = sorted((one for one in days if last_day - n_days < one.day <= last_day), key=lambda one: one.day)
    rows = [row for one in within for row in one.rows]
    return Evidence(
        day_name(last_day),
        n_days,
        _week(within, last_day),
        _week(within, last_day - WEEK_DAYS),
        _edits(within),
        _arms(within),
        _account(within),
        sum(row.n_tokens for row in rows),
        sum(row.n_saved_tokens for row in rows),
        sum(row.n_bounce_tokens for row in rows),
        sum(row.n_retry_tokens for row in rows),
        tuple(_saving(one) for one in within if one.rows),
    )


def _compressed(rows: Iterable[LedgerRow]) -> WeekRow:
    found = [row for row in rows if row.mode != FULL]
    return WeekRow(sum(row.n_reads for row in found), sum(row.n_bounces for row in found))


def _week(within: Sequence[DayFacts], last_day: int) -> WeekRow:
    days = [one for one in within if last_day - WEEK_DAYS < one.day <= last_day]
    return _compressed(row for one in days for row in one.rows)


def _saving(one: DayFacts) -> DaySaving:
    return DaySaving(day_name(one.day), *_compressed(one.rows), sum(row.n_net_tokens for row in one.rows))


def _edits(within: Sequence[DayFacts]) -> tuple[EditRow, ...]:
    sums: dict[tuple[str, str, str], int] = {}
    for row in (row for one in within for row in one.edits):
        sums[row[:3]] = sums.get(row[:3], 0) + row.n
    return tuple(EditRow(*key, n) for key, n in sorted(sums.items()))


def _arms(within: Sequence[DayFacts]) -> tuple[ArmRow, ...]:
    sums: dict[Key, Moments] = {}
    for row in (row for one in within for row in one.trials):
        sums[row.key] = sums.get(row.key, Moments()) + row.moments
    return tuple(ArmRow(*key, m.n_units, m.n, m.y, m.n_effective, m.residual) for key, m in sorted(sums.items()))


def _account(within: Sequence[DayFacts]) -> tuple[AccountRow, ...]:
    numbers: dict[tuple[str, str], int] = {}
    for row in (row for one in within for row in one.account):
        numbers[row[:2]] = row.n + (0 if row.name in GAUGES else numbers.get(row[:2], 0))
    return tuple(AccountRow(*key, n) for key, n in sorted(numbers.items()))


def totals_of(account: Iterable[AccountRow]) -> Mapping[tuple[str, str], int]:
    """An account's numbers by name and label."""
    return {row[:2]: row.n for row in account}
