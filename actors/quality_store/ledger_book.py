"""Closing the ledger's days: each becomes a record that is chained to the one before it and signed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from actors.quality_store.day import day_name, month_name, month_of
from actors.quality_store.event import DayClosed
from actors.quality_store.ledger import Ledger, Sheets
from actors.quality_store.ledger_record import content_of, digest_of
from actors.quality_store.limit import Limits
from actors.quality_store.messages import GetLedger, GetSavings, LedgerPage, Savings
from actors.quality_store.row import LedgerSheet
from actors.runtime.errors import Misuse
from actors.runtime.holdout import utc_day

Sign = Callable[[bytes], bytes]


class LedgerBook:
    """Decides when a day is over, and what is kept. Without `sign` the records carry an empty signature."""

    def __init__(self, ledger: Ledger, limits: Limits, record: Callable[[Any], None], sign: Sign | None) -> None:
        self._ledger = ledger
        self._limits = limits
        self._record = record
        self._sign = sign

    def close_before(self, utc_s: float) -> None:
        """Close the open day if it is over. A day on which nothing was counted has no record."""
        day, today = self._ledger.open_day, utc_day(utc_s)
        if day is not None and day < today:
            self._record(self._closed(day, today))

    def _closed(self, day: int, today: int) -> DayClosed:
        chain, limits = self._ledger.chain, self._limits
        rows = self._ledger.days.sheet(day).ledger_rows()
        content = content_of(chain.n_closed + 1, day_name(day), chain.last_digest, rows)
        return DayClosed(
            day,
            content,
            digest_of(content),
            self._sign(content) if self._sign else b"",
            first_day_kept=today - limits.ledger_days + 1,
            first_month_kept=month_of(today) - limits.ledger_months + 1,
            n_records_out=max(0, len(chain.records) + 1 - limits.max_records),
            max_rows=limits.max_rows,
        )

    def page(self, asked: GetLedger) -> LedgerPage:
        """Some closed days. Raises `Misuse` unless at least one is asked for."""
        if asked.max_records < 1:
            raise Misuse(f"max_records={asked.max_records!r} gives nothing: ask for 1 at least")
        chain = self._ledger.chain
        records = chain.page(asked.from_day, asked.max_records)
        return LedgerPage(records, len(chain.records), chain.n_closed, chain.last_digest)

    def savings(self, asked: GetSavings) -> Savings:
        """The sheets of the newest days, and of all months. Raises `Misuse` for less than no days."""
        if asked.n_days < 0:
            raise Misuse(f"n_days={asked.n_days!r} is less than none: ask for 0 or more")
        days = _shown(self._ledger.days, day_name)
        return Savings(days[max(0, len(days) - asked.n_days) :], _shown(self._ledger.months, month_name))


def _shown(sheets: Sheets, name_of: Callable[[int], str]) -> tuple[LedgerSheet, ...]:
    return tuple(LedgerSheet(name_of(number), sheet.ledger_rows()) for number, sheet in sheets.by_number.items())
