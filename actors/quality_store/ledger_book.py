"""Closing the ledger's days: each becomes a record that is chained to the one before it and signed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from actors.quality_store.account import GAUGES, MAX_SOURCES, AccountRow, check_account
from actors.quality_store.day import day_name, month_name, month_of
from actors.quality_store.event import AccountTold, DayClosed, SourceDropped
from actors.quality_store.evidence import WINDOW_DAYS, Evidence, evidence_of
from actors.quality_store.ledger import Ledger, Sheets
from actors.quality_store.ledger_record import LedgerRecord, content_of, digest_of
from actors.quality_store.limit import Limits
from actors.quality_store.messages import (
    AccountCounted,
    GetEvidence,
    GetLedger,
    GetSavings,
    LedgerPage,
    RecordAccount,
    Savings,
)
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
        return DayClosed(
            *self._record_of(day, is_open=False),
            first_day_kept=today - limits.ledger_days + 1,
            first_month_kept=month_of(today) - limits.ledger_months + 1,
            n_records_out=max(0, len(chain.records) + 1 - limits.max_records),
            max_rows=limits.max_rows,
        )

    def _record_of(self, day: int, *, is_open: bool) -> LedgerRecord:
        """The record of a day that is not closed, as it stands now."""
        chain = self._ledger.chain
        content = content_of(chain.n_closed + 1, chain.last_digest, self._ledger.facts(day), is_open=is_open)
        return LedgerRecord(day, content, digest_of(content), self._sign(content) if self._sign else b"")

    def page(self, asked: GetLedger) -> LedgerPage:
        """Some closed days. Raises `Misuse` unless at least one is asked for."""
        if asked.max_records < 1:
            raise Misuse(f"max_records={asked.max_records!r} gives nothing: ask for 1 at least")
        chain, day = self._ledger.chain, self._ledger.open_day
        records = chain.page(asked.from_day, asked.max_records)
        open_day = None if day is None else self._record_of(day, is_open=True)
        return LedgerPage(records, len(chain.records), chain.n_closed, chain.last_digest, open_day)

    def evidence(self, asked: GetEvidence, utc_s: float) -> Evidence:
        """What the newest days add up to, today's included. Raises `Misuse` for less than one day."""
        if not 1 <= asked.n_days <= self._limits.ledger_days:
            raise Misuse(f"n_days={asked.n_days!r} cannot be: ask for 1 to {self._limits.ledger_days}, which are kept")
        today = max(utc_day(utc_s), self._ledger.open_day or 0)
        days = [self._ledger.facts(day) for day in self._ledger.known_days()]
        return evidence_of(days, today, asked.n_days)

    def record_account(self, asked: RecordAccount, utc_s: float) -> AccountCounted:
        """Take note of what another domain tells of itself; what is known already changes nothing."""
        check_account(asked.source, asked.rows)
        self.close_before(utc_s)
        grown = self._ledger.accounts.grown(asked.source, asked.rows)
        now = self._news(asked.rows, utc_day(utc_s) - WINDOW_DAYS + 1)
        if grown or now:
            self._record(AccountTold(asked.source, grown, now, utc_s))
        if len(self._ledger.accounts) > MAX_SOURCES:
            self._record(SourceDropped(self._ledger.accounts.first_out()))
        return AccountCounted(len(grown) + len(now))

    def _news(self, rows: Iterable[AccountRow], first_day: int) -> tuple[AccountRow, ...]:
        """The numbers of an account that the days since `first_day` do not know as they are."""
        known = self._ledger.evidence.last_told
        return tuple(row for row in rows if row.name in GAUGES and known(row[:2], first_day) != row.n)

    def savings(self, asked: GetSavings) -> Savings:
        """The sheets of the newest days, and of all months. Raises `Misuse` for less than no days."""
        if asked.n_days < 0:
            raise Misuse(f"n_days={asked.n_days!r} is less than none: ask for 0 or more")
        days = _shown(self._ledger.days, day_name)
        return Savings(days[max(0, len(days) - asked.n_days) :], _shown(self._ledger.months, month_name))


def _shown(sheets: Sheets, name_of: Callable[[int], str]) -> tuple[LedgerSheet, ...]:
    return tuple(LedgerSheet(name_of(number), sheet.ledger_rows()) for number, sheet in sheets.by_number.items())
