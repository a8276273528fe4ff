"""Claims, waiters and refusals of a space as rows, for whoever looks at it as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, TypeVar

from actors.scent_field.expiry import Expiry
from actors.scent_field.lease import Lease
from actors.scent_field.liveness import Liveness
from actors.scent_field.messages import (
    ClaimList,
    ClaimRow,
    ListClaims,
    ListRefusals,
    ListWaiters,
    RefusalList,
    WaiterList,
    WaiterRow,
)
from actors.scent_field.refusal_trail import RefusalTrail
from actors.scent_field.request import check_space
from actors.scent_field.state import FieldState
from actors.scent_field.waiter import Waiter

Row = TypeVar("Row", ClaimRow, WaiterRow)
MAX_TARGETS_LISTED: Final = 8
MAX_CHARS_LISTED: Final = 2**19
"""Targets may be long; a list of claims or waiters ends where its targets have so many characters."""


class Listing:
    """Answers queries on the field's state; changes nothing."""

    def __init__(self, state: FieldState, sessions: Liveness, expiry: Expiry, refusals: RefusalTrail) -> None:
        self._state = state
        self._sessions = sessions
        self._expiry = expiry
        self._refusals = refusals

    def claims(self, command: ListClaims, now_s: float) -> ClaimList:
        """The live claims, the newest first; those without progress for long are among them."""
        check_space(self._state, command.space)
        book = self._state.look(command.space).leases
        live = (self._claim(lease, now_s) for lease in reversed(book.leases.values()) if lease.is_live)
        rows = tuple(_fitting(islice(live, self._limit(command.limit))))
        return ClaimList(rows, book.n_live - len(rows))

    def _claim(self, lease: Lease, now_s: float) -> ClaimRow:
        shown = lease.targets[:MAX_TARGETS_LISTED]
        return ClaimRow(
            lease.lease_id,
            shown,
            len(lease.targets) - len(shown),
            lease.session_id,
            lease.generation,
            "shared" if lease.shared else "exclusive",
            self._sessions.kept_by(lease.session_id),
            now_s - lease.granted_at_s,
            now_s - lease.progress_at_s,
            self._expiry.expires_in_s(lease, now_s),
            lease.intent,
        )

    def waiters(self, command: ListWaiters, now_s: float) -> WaiterList:
        """Who waits, in the order of the line."""
        check_space(self._state, command.space)
        line = self._state.look(command.space).waiters.waiters
        rows = tuple(_fitting(_waiter(line[ticket], now_s) for ticket in sorted(line)[: self._limit(command.limit)]))
        return WaiterList(rows, len(line) - len(rows))

    def refusals(self, command: ListRefusals, now_s: float) -> RefusalList:
        """Who was refused lately, the newest first."""
        check_space(self._state, command.space)
        return RefusalList(self._refusals.newest(command.space, now_s))

    def _limit(self, asked: int) -> int:
        return max(0, min(asked, self._state.limits.max_rows))


def _fitting(rows: Iterator[Row]) -> Iterator[Row]:
    """The first rows, as far as their targets are short enough together."""
    room = MAX_CHARS_LISTED
    for row in rows:
        room -= sum(map(len, row.targets))
        if room < 0:
            return
        yield row


def _waiter(waiter: Waiter, now_s: float) -> WaiterRow:
    shown = waiter.targets[:MAX_TARGETS_LISTED]
    return WaiterRow(
        waiter.ticket,
        shown,
        len(waiter.targets) - len(shown),
        waiter.session_id,
        "shared" if waiter.shared else "exclusive",
        waiter.any_of,
        now_s - waiter.queued_at_s,
        waiter.deadline_s - now_s,
        waiter.intent,
    )
