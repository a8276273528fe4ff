"""The read ledger: what views showed and cost, by UTC day, extension, mode and arm, and the chain of closed days.

A day is open until the first turn of a later one closes it. Closed days become part of their month. Sheets are
bounded in rows: when they are used up, new extensions are counted as "other".
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import Any, Final

from actors.quality_store.account import Accounts
from actors.quality_store.day import month_of
from actors.quality_store.day_evidence import DayEvidence, DayFacts, EvidenceDays
from actors.quality_store.edit_count import EditCounts
from actors.quality_store.event import DayClosed
from actors.quality_store.ledger_record import LedgerRecord
from actors.quality_store.path import OTHER
from actors.quality_store.row import LedgerRow
from actors.runtime.errors import InvariantBroken
from actors.runtime.holdout import utc_day

Key = tuple[str, str, str]
Line = list[int]
N_COLUMNS: Final = len(LedgerRow._fields) - 3
N_VIEWS, N_READS, N_TOKENS, N_SAVED, N_BOUNCES, N_BOUNCE_TOKENS, N_CLEAN, N_WASTED, N_RETRIES, N_RETRY_TOKENS = range(
    N_COLUMNS
)


class Sheet:
    """Sums by (extension, mode, arm)."""

    def __init__(self) -> None:
        self._lines: dict[Key, Line] = {}

    def __len__(self) -> int:
        return len(self._lines)

    def line(self, key: Key, max_rows: int) -> Line:
        """The sums to add to; those of "other" if there is no row for the key and no room for one."""
        line = self._lines.get(key)
        if line is not None:
            return line
        placed = key if len(self._lines) < max_rows else (OTHER, *key[1:])
        return self._lines.setdefault(placed, [0] * N_COLUMNS)

    def add(self, other: Sheet, max_rows: int) -> None:
        """Add all of another sheet."""
        for key, amounts in sorted(other._lines.items()):
            line = self.line(key, max_rows)
            for column, amount in enumerate(amounts):
                line[column] += amount

    def ledger_rows(self) -> tuple[LedgerRow, ...]:
        """The sums to show, sorted by name."""
        return tuple(LedgerRow._make(row) for row in self.rows())

    def rows(self) -> Iterator[list[Any]]:
        """The state, sorted by name."""
        return ([*key, *line] for key, line in sorted(self._lines.items()))

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        self._lines[row[0], row[1], row[2]] = list(row[3:])


class Sheets:
    """Sheets by the number of their day or month, oldest first."""

    def __init__(self) -> None:
        self.by_number: dict[int, Sheet] = {}

    def sheet(self, number: int) -> Sheet:
        """The sheet of that number; a new one must be the newest."""
        sheet = self.by_number.get(number)
        return self.by_number.setdefault(number, Sheet()) if sheet is None else sheet

    def drop_before(self, number: int) -> None:
        """Forget what is older."""
        for old in [old for old in self.by_number if old < number]:
            del self.by_number[old]

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order."""
        return ([number, *row] for number, sheet in self.by_number.items() for row in sheet.rows())

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        self.sheet(row[0]).load(row[1:])


class Chain:
    """The closed days, oldest first. `n_closed` counts all that were ever closed."""

    def __init__(self) -> None:
        self.records: deque[LedgerRecord] = deque()
        self.n_closed = 0

    @property
    def last_digest(self) -> bytes:
        """The digest of the newest record; empty before the first."""
        return self.records[-1].digest if self.records else b""

    @property
    def last_day(self) -> int:
        """The newest closed day; -1 before the first."""
        return self.records[-1].day if self.records else -1

    def close(self, record: LedgerRecord, n_out: int) -> None:
        """Add a record; forget the oldest `n_out`."""
        self.records.append(record)
        self.n_closed += 1
        for _ in range(n_out):
            self.records.popleft()

    def page(self, from_day: int, max_records: int) -> tuple[LedgerRecord, ...]:
        """The oldest records that are not before `from_day`."""
        return tuple(islice((record for record in self.records if record.day >= from_day), max_records))

    def rows(self) -> Iterator[list[Any]]:
        """The state: the count, then the records."""
        if self.n_closed:
            yield [self.n_closed]
        yield from (list(record) for record in self.records)

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        if len(row) == 1:
            self.n_closed = row[0]
        else:
            self.records.append(LedgerRecord._make(row))


class Ledger:
    """Days and what they say beside their rows, months, the sums since ever, and the chain."""

    def __init__(self) -> None:
        self.days = Sheets()
        self.evidence = EvidenceDays()
        self.months = Sheets()
        self.totals = Sheet()
        self.edits = EditCounts()
        self.accounts = Accounts()
        self.chain = Chain()
        self._closed_facts: dict[int, DayFacts] = {}

    @property
    def open_day(self) -> int | None:
        """The day that is not closed yet, if anything was counted since the last one was."""
        newest = max(next(reversed(self.days.by_number), -1), next(reversed(self.evidence.by_number), -1))
        return newest if newest > self.chain.last_day else None

    def lines(self, at_utc_s: float, key: Key, max_rows: int) -> tuple[Line, Line]:
        """The sums of that moment's day and those since ever."""
        return self.days.sheet(self._day(at_utc_s)).line(key, max_rows), self.totals.line(key, max_rows)

    def day_evidence(self, at_utc_s: float) -> DayEvidence:
        """What that moment's day says beside its rows."""
        return self.evidence.day(self._day(at_utc_s))

    def _day(self, at_utc_s: float) -> int:
        """A closed day stays closed: what is late counts later."""
        return max(utc_day(at_utc_s), self.chain.last_day + 1, self.open_day or 0)

    def facts(self, day: int) -> DayFacts:
        """All that is known of a day. A closed one does not change, and is put together once."""
        known = self._closed_facts.get(day)
        if known is None:
            sheet = self.days.by_number.get(day)
            known = self.evidence.facts(day, () if sheet is None else sheet.ledger_rows())
            if day <= self.chain.last_day:
                self._closed_facts[day] = known
        return known

    @property
    def n_trial_units(self) -> int:
        """How many units the trials of the open day keep."""
        return sum(evidence.trials.n_units for evidence in self.evidence.by_number.values())

    @property
    def n_left_out(self) -> int:
        """How many outcomes found no place among the units, on the days that are kept."""
        return sum(evidence.trials.n_left_out for evidence in self.evidence.by_number.values())

    def known_days(self) -> list[int]:
        """The days that anything is known of, oldest first."""
        return sorted({*self.days.by_number, *self.evidence.by_number})

    def day_closed(self, fact: DayClosed) -> None:
        """Apply the end of a day."""
        sheet = self.days.by_number.get(fact.day)
        if sheet is not None:
            self.months.sheet(month_of(fact.day)).add(sheet, fact.max_rows)
        self.chain.close(LedgerRecord(fact.day, fact.content, fact.digest, fact.signature), fact.n_records_out)
        self.evidence.close(fact.day)
        self.days.drop_before(fact.first_day_kept)
        self.evidence.drop_before(fact.first_day_kept)
        self._closed_facts = {day: known for day, known in self._closed_facts.items() if day >= fact.first_day_kept}
        self.months.drop_before(fact.first_month_kept)

    def check_invariants(self) -> None:
        """Sheets and records are in the order of their days, and only the newest day is open."""
        for numbers in (
            list(self.days.by_number),
            list(self.evidence.by_number),
            list(self.months.by_number),
            [record.day for record in self.chain.records],
        ):
            if numbers != sorted(set(numbers)):
                raise InvariantBroken(f"the ledger's periods {numbers[:40]} are not in order")
        self.accounts.check_invariants()
        n_open = sum(day > self.chain.last_day for day in self.known_days())
        if n_open > 1:
            raise InvariantBroken(f"{n_open} days of the ledger are open at once")
