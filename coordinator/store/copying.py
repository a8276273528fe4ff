"""One store's content into another database, row by row, each verified on the way.

A copy has what the original had at one moment: its snapshot and the rows after it. Its checksums are made anew, because
they cover the key under which a store's rows stand, and that may be another one there.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from actors.runtime.table import (
    Head,
    head_table,
    journal_table,
    part_checksum,
    row_checksum,
    snapshot_checksum,
    snapshot_head_table,
    snapshot_table,
)
from actors.runtime.view import View

_RUN: Final = "copy"
_BATCH_ROWS: Final = 500


class Copied(NamedTuple):
    """How much it was: the row that the snapshot reaches to, its parts, and the rows after it."""

    snapshot_seq: int
    n_parts: int
    n_rows: int


def copy_store(view: View, into: Connection, key: str, source: Head, head: Head) -> Copied:
    """Write what `view` shows up to `source`, its head, under `key` with another head.

    Raises `Corrupt` for the first row that is not as it was written; then the transaction of `into` is to be undone.
    """
    snapshot_seq, n_parts = _copy_snapshot(view, into, key)
    n_rows = 0
    for batch in _batches(view, key, snapshot_seq, source.seq):
        into.execute(sa.insert(journal_table), batch)
        n_rows += len(batch)
    into.execute(sa.insert(head_table).values(**head.columns(key)))
    return Copied(snapshot_seq, n_parts, n_rows)


def _copy_snapshot(view: View, into: Connection, key: str) -> tuple[int, int]:
    seq, payloads = view.snapshot_payloads()
    sums: list[bytes] = []
    for part, payload in enumerate(payloads):
        sums.append(part_checksum(key, seq, _RUN, part, payload))
        row = {"domain": key, "run": _RUN, "part": part, "seq": seq, "payload": payload, "checksum": sums[-1]}
        into.execute(sa.insert(snapshot_table).values(**row))
    if sums:
        whole = snapshot_checksum(key, seq, _RUN, sums)
        row = {"domain": key, "seq": seq, "run": _RUN, "n_parts": len(sums), "checksum": whole}
        into.execute(sa.insert(snapshot_head_table).values(**row))
    return seq, len(sums)


def _batches(view: View, key: str, after: int, through: int) -> Iterator[list[dict[str, Any]]]:
    rows = view.rows(after, through)
    while batch := list(islice(rows, _BATCH_ROWS)):
        yield [
            {"domain": key, "seq": seq, "payload": payload, "checksum": row_checksum(key, seq, payload)}
            for seq, payload in batch
        ]
