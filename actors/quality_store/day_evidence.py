"""What a day of the ledger says beside its rows: how edits ended, what each layer came to, what others told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from actors.quality_store.account import AccountRow, DayAccount, Key
from actors.quality_store.edit_count import EditCounts, EditRow
from actors.quality_store.row import LedgerRow
from actors.quality_store.trial import TrialRow, Trials

_EDIT: Final = "edit"
_TRIAL: Final = "trial"
_ACCOUNT: Final = "account"


class DayFacts(NamedTuple):
    """All that the ledger knows of one UTC day, from which every figure follows."""

    day: int
    rows: tuple[LedgerRow, ...] = ()
    edits: tuple[EditRow, ...] = ()
    trials: tuple[TrialRow, ...] = ()
    account: tuple[AccountRow, ...] = ()


class DayEvidence:
    """One day."""

    def __init__(self) -> None:
        self.edits = EditCounts()
        self.trials = Trials()
        self.account = DayAccount()

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order."""
        for edit in self.edits.rows():
            yield [_EDIT, *edit]
        for trial in self.trials.rows():
            yield [_TRIAL, *trial]
        for told in self.account.account_rows():
            yield [_ACCOUNT, *told]

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        part: Any = {_EDIT: self.edits, _TRIAL: self.trials, _ACCOUNT: self.account}[row[0]]
        part.load(row[1:])


class EvidenceDays:
    """Days by their number, oldest first."""

    def __init__(self) -> None:
        self.by_number: dict[int, DayEvidence] = {}

    def day(self, number: int) -> DayEvidence:
        """The day of that number; a new one must be the newest."""
        found = self.by_number.get(number)
        return self.by_number.setdefault(number, DayEvidence()) if found is None else found

    def last_told(self, key: Key, first_day: int) -> int:
        """A number of an account as it was told last; 0 if it was not told since `first_day`."""
        days = (evidence for number, evidence in reversed(self.by_number.items()) if number >= first_day)
        told = (evidence.account.get(key) for evidence in days)
        return next((n for n in told if n is not None), 0)

    def close(self, number: int) -> None:
        """A day is over."""
        if number in self.by_number:
            self.by_number[number].trials.close()

    def drop_before(self, number: int) -> None:
        """Forget what is older."""
        for old in [old for old in self.by_number if old < number]:
            del self.by_number[old]

    def facts(self, number: int, rows: tuple[LedgerRow, ...]) -> DayFacts:
        """A day together with its rows of the ledger."""
        found = self.by_number.get(number) or DayEvidence()
        parts = found.edits.edit_rows(), found.trials.trial_rows(), found.account.account_rows()
        return DayFacts(number, rows, *parts)

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order."""
        return ([number, *row] for number, evidence in self.by_number.items() for row in evidence.rows())

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        self.day(row[0]).load(row[1:])
