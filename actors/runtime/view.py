"""A consistent sight of one store: what is written or pruned while it is open does not show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from actors.runtime.errors import Corrupt, WireError
from actors.runtime.newer_format import newer_format
from actors.runtime.table import (
    FORMAT,
    Head,
    head_table,
    journal_table,
    part_checksum,
    row_checksum,
    snapshot_checksum,
    snapshot_head_table,
    snapshot_table,
)
from actors.runtime.wire import unpack_own

_PAGE_ROWS: Final = 500
REPAIR: Final = (
    "Keep a copy of it, then look with `scentfield doctor --store` what is lost; `scentfield doctor --store --repair` "
    "cuts it there"
)
"""What to do about a store that is damaged."""


class View:
    """Reads on one connection, in one transaction. `where` names the store in messages."""

    def __init__(self, connection: Connection, domain: str, where: str, advice: str) -> None:
        self._connection = connection
        self._domain = domain
        self._where = where
        self._advice = advice

    def damage(self, what: str) -> Corrupt:
        """The error for a store that cannot be trusted."""
        return damage(self._where, what, self._advice)

    def _fetched(self, statement: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        """All rows. What a damaged column holds may have another type than its table says, or be no text."""
        try:
            return self._connection.execute(statement).all()
        except (TypeError, ValueError, MemoryError) as error:
            raise self.damage(f"a value cannot be read ({error})") from error

    def head(self) -> Head | None:
        """Where the store stands; None if no writer has ever opened it. Raises `Corrupt`."""
        if not sa.inspect(self._connection).has_table("head"):
            return None
        row = self._head_row()
        if row is None:
            self._check_unused()
            return None
        head = Head(row.store_id, row.epoch, row.seq, row.field_s, row.utc_s)
        if head.checksum(self._domain) != row.checksum:
            raise self.damage("its head is damaged")
        self._check_ends_at(head.seq)
        return head

    def _head_row(self) -> sa.Row[Any] | None:
        row = next(iter(self._fetched(sa.select(head_table).where(head_table.c.domain == self._domain))), None)
        if row is not None and row.format != FORMAT:
            raise newer_format(f"the store {self._where}", row.format, FORMAT)
        return row

    def head_as_found(self) -> Head | None:
        """The head as it stands, damaged or not; None if there is none, or none that says whose it is. For repair only.

        A number that is none is 0.
        """
        row = self._head_row()
        if row is None or not isinstance(row.store_id, str):
            return None
        epoch, seq = (value if isinstance(value, int) else 0 for value in (row.epoch, row.seq))
        field_s, utc_s = (value if isinstance(value, float) else 0.0 for value in (row.field_s, row.utc_s))
        return Head(row.store_id, epoch, seq, field_s, utc_s)

    def last_row(self) -> int:
        """The highest number of a row in the journal, whether or not the head reaches so far; 0 without rows."""
        rows = journal_table.c
        last = self._connection.scalar(sa.select(sa.func.max(rows.seq)).where(rows.domain == self._domain))
        return int(last or 0)

    def _check_unused(self) -> None:
        for table in (journal_table, snapshot_head_table):
            if self._fetched(sa.select(table.c.seq).where(table.c.domain == self._domain).limit(1)):
                raise self.damage(f"its head is missing, but there are rows in {table.name}")

    def _check_ends_at(self, seq: int) -> None:
        rows = journal_table.c
        beyond = self._fetched(sa.select(rows.seq).where(rows.domain == self._domain, rows.seq > seq).limit(1))
        if beyond:
            raise self.damage(f"there is a row {beyond[0].seq} after the last committed one, {seq}")

    def has_row(self, seq: int) -> bool:
        """Whether the journal has a row of this number, damaged or not."""
        rows = journal_table.c
        return bool(self._fetched(sa.select(rows.seq).where(rows.domain == self._domain, rows.seq == seq)))

    def snapshot_seq(self) -> int:
        """The row that the latest complete snapshot reaches to; 0 if there is none."""
        row = self._snapshot_head()
        return 0 if row is None else int(row.seq)

    def _snapshot_head(self) -> sa.Row[Any] | None:
        heads = snapshot_head_table.c
        newest = sa.select(snapshot_head_table).where(heads.domain == self._domain).order_by(heads.seq.desc()).limit(1)
        return next(iter(self._fetched(newest)), None)

    def snapshot_parts(self) -> tuple[int, Iterator[list[Any]]]:
        """The seq of the latest complete snapshot and its parts; (0, nothing) if there is none."""
        row = self._snapshot_head()
        return (0, iter(())) if row is None else (row.seq, self._parts(row))

    def snapshot_payloads(self) -> tuple[int, Iterator[bytes]]:
        """The same as the parts are stored: packed, many in one."""
        row = self._snapshot_head()
        return (0, iter(())) if row is None else (row.seq, self._payloads(row))

    def _parts(self, head: sa.Row[Any]) -> Iterator[list[Any]]:
        for part, payload in enumerate(self._payloads(head)):
            yield from self.unpacked(payload, f"part {part} of the snapshot at row {head.seq}")

    def _payloads(self, head: sa.Row[Any]) -> Iterator[bytes]:
        parts = snapshot_table.c
        sums: list[bytes] = []
        for part in range(head.n_parts):
            one = sa.select(parts.payload, parts.checksum).where(
                parts.domain == self._domain, parts.run == head.run, parts.part == part
            )
            found = self._fetched(one)
            if not found or not self._is_part(head, part, found[0]):
                raise self.damage(f"part {part} of {head.n_parts} of the snapshot at row {head.seq} is damaged")
            sums.append(found[0].checksum)
            yield found[0].payload
        if snapshot_checksum(self._domain, head.seq, head.run, sums) != head.checksum:
            raise self.damage(f"the head of the snapshot at row {head.seq} is damaged")

    def _is_part(self, head: sa.Row[Any], part: int, row: sa.Row[Any]) -> bool:
        is_bytes = isinstance(row.payload, bytes)
        return is_bytes and part_checksum(self._domain, head.seq, head.run, part, row.payload) == row.checksum

    def rows(self, after_seq: int, through_seq: int) -> Iterator[tuple[int, bytes]]:
        """The journal's rows after one number through another, each verified. Raises `Corrupt` for a gap or damage."""
        expected = after_seq + 1
        while expected <= through_seq:
            for seq, payload, kept_sum in self._page(expected, through_seq, _PAGE_ROWS):
                if seq != expected:
                    break
                if not isinstance(payload, bytes) or row_checksum(self._domain, seq, payload) != kept_sum:
                    raise self.damage(f"row {seq} of {through_seq} is damaged")
                yield seq, payload
                expected += 1
            else:
                continue
            raise self.damage(f"row {expected} of {through_seq} is missing")

    def _page(self, first: int, last: int, n_rows: int) -> list[tuple[int, Any, Any]]:
        rows = journal_table.c
        wanted = (
            sa.select(rows.seq, rows.payload, rows.checksum)
            .where(rows.domain == self._domain, rows.seq >= first, rows.seq <= last)
            .order_by(rows.seq)
            .limit(n_rows)
        )
        try:
            page = self._fetched(wanted)
        except Corrupt:
            if n_rows == 1:
                raise
            return self._page(first, last, 1)  # the rows before the one that cannot be read are good
        return [(row.seq, row.payload, row.checksum) for row in page] or [(0, b"", b"")]

    def unpacked(self, payload: bytes, what: str) -> Any:
        """What a row or part holds. Raises `Corrupt`."""
        try:
            return unpack_own(payload)
        except WireError as error:
            raise self.damage(f"{what} cannot be read ({error.message})") from error


def damage(where: str, what: str, advice: str) -> Corrupt:
    """The error for a store that cannot be trusted."""
    return Corrupt(f"the store {where} cannot be trusted: {what}. Nothing was changed. {advice}")
