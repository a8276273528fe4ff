"""What the other domains have told of themselves, so that the ledger alone can say whether all of it helps.

An account holds totals since a store began, and a few numbers as they are now. Totals only grow, so an account that
comes twice, late or out of order adds nothing twice; a store that begins anew is another source. What has grown is
counted on the day on which it is told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from actors.runtime.errors import InvariantBroken, Misuse

DUPLICATES_PREVENTED: Final = "duplicates_prevented"
PLACEMENTS: Final = "placements"
BECAME_LASTING: Final = "playbook_became_lasting"
LASTING: Final = "playbook_lasting"
LASTING_HELPFUL: Final = "playbook_lasting_helpful"
CLAIM: Final = "claim"
DUPLICATE_SOURCES: Final = (CLAIM, "guard", "hook")
PLACEMENT_KINDS: Final = ("begin_hit", "begin_miss", "end_hit", "end_miss")
COUNTERS: Final = {DUPLICATES_PREVENTED: DUPLICATE_SOURCES, PLACEMENTS: PLACEMENT_KINDS}
"""Totals, and the labels that each may have."""
GAUGES: Final = {BECAME_LASTING: ("",), LASTING: ("",), LASTING_HELPFUL: ("",)}
"""Numbers as they are when they are told."""
MAX_TOTAL: Final = 2**53
MAX_SOURCES: Final = 16
_SOURCE: Final = re.compile(r"[a-z][a-z0-9_]{0,63}@[A-Za-z0-9_-]{1,64}")

Key = tuple[str, str]
"""Name and label."""


class AccountRow(NamedTuple):
    """A number by its name and label."""

    name: str
    label: str
    n: int


def check_account(source: str, rows: Iterable[AccountRow]) -> None:
    """Raise `Misuse` for a source that is not `domain@store_id`, and for numbers that are not known here."""
    if _SOURCE.fullmatch(source) is None:
        raise Misuse(f"source {source[:200]!r} is not domain@store_id: say whose account it is")
    seen = set()
    for row in rows:
        labels = COUNTERS.get(row.name) or GAUGES.get(row.name)
        if labels is None or row.label not in labels:
            known = ", ".join((*COUNTERS, *GAUGES))
            raise Misuse(f"no account has {row.name[:80]!r} with label {row.label[:80]!r}: known are {known}")
        if not 0 <= row.n <= MAX_TOTAL or row[:2] in seen:
            raise Misuse(f"{row.name} {row.label} = {row.n!r} cannot be: tell each number once, from 0 up")
        seen.add(row[:2])


class Accounts:
    """The highest total that each source has told; 16 sources at most, the one not heard of longest first."""

    def __init__(self) -> None:
        self._told: dict[str, dict[Key, int]] = {}

    def __len__(self) -> int:
        return len(self._told)

    def first_out(self) -> str:
        """The source to forget."""
        return next(iter(self._told))

    def grown(self, source: str, rows: Iterable[AccountRow]) -> tuple[AccountRow, ...]:
        """By how much the totals are more than what was told before; those that are not are left out."""
        told = self._told.get(source, {})
        return tuple(
            AccountRow(row.name, row.label, row.n - told.get(row[:2], 0))
            for row in rows
            if row.name in COUNTERS and row.n > told.get(row[:2], 0)
        )

    def tell(self, source: str, grown: Iterable[AccountRow]) -> None:
        """Note by how much totals have grown."""
        told = self._told.pop(source, {})
        for row in grown:
            told[row[:2]] = told.get(row[:2], 0) + row.n
        self._told[source] = told

    def forget(self, source: str) -> None:
        """Forget a source."""
        del self._told[source]

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order."""
        return ([source, [[*key, n] for key, n in sorted(told.items())]] for source, told in self._told.items())

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        source, totals = row
        self._told[source] = {(name, label): n for name, label, n in totals}

    def check_invariants(self) -> None:
        """Raises `InvariantBroken` where there are more sources than may be."""
        if len(self._told) > MAX_SOURCES:
            raise InvariantBroken(f"{len(self._told)} sources of accounts are kept, the limit is {MAX_SOURCES}")


class DayAccount:
    """What was told on one day: by how much totals grew, and numbers as they were told last."""

    def __init__(self) -> None:
        self._numbers: dict[Key, int] = {}

    def add(self, grown: Iterable[AccountRow]) -> None:
        """Totals have grown."""
        for row in grown:
            self._numbers[row[:2]] = self._numbers.get(row[:2], 0) + row.n

    def set(self, now: Iterable[AccountRow]) -> None:
        """Numbers are these now."""
        self._numbers |= {row[:2]: row.n for row in now}

    def get(self, key: Key) -> int | None:
        """A number of this day; None if it was not told."""
        return self._numbers.get(key)

    def account_rows(self) -> tuple[AccountRow, ...]:
        """All of it, sorted by name."""
        return tuple(AccountRow(*key, n) for key, n in sorted(self._numbers.items()))

    def load(self, row: list[Any]) -> None:
        """Take back one of `account_rows`."""
        self._numbers[row[0], row[1]] = row[2]
