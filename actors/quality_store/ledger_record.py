"""One closed day of the ledger, as bytes that can be hashed and signed.

A record is JSON with sorted keys, no blanks, ASCII and whole numbers only, so that the same day always gives the same
bytes: `{"columns":[...],"day":"2023-11-14","number":1,"previous":"","rows":[[...],...],"version":1}`. `number` counts
the closed days from 1; `previous` is the SHA-256 of the record before, in hex, "" for the first.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from actors.quality_store.row import LedgerRow

VERSION: Final = 1
COLUMNS: Final = LedgerRow._fields
_N_NAMES: Final = 3


class LedgerRecord(NamedTuple):
    """A closed UTC day: its bytes, their SHA-256, and their Ed25519 signature, which is empty without a key."""

    day: int
    content: bytes
    digest: bytes
    signature: bytes


def content_of(number: int, day_name: str, previous: bytes, rows: Sequence[LedgerRow]) -> bytes:
    """The bytes of a record."""
    fields = {
        "columns": COLUMNS,
        "day": day_name,
        "number": number,
        "previous": previous.hex(),
        "rows": rows,
        "version": VERSION,
    }
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode("ascii")


def digest_of(content: bytes) -> bytes:
    """SHA-256 of a record's bytes."""
    return hashlib.sha256(content).digest()


class RecordFields(NamedTuple):
    """What a record says."""

    number: int
    day_name: str
    previous: bytes
    rows: tuple[LedgerRow, ...]


def fields_of(content: bytes) -> RecordFields:
    """Read a record. Raises `ValueError` for bytes that are not one of this version."""
    fields = _object(content)
    if fields.get("version") != VERSION or fields.get("columns") != list(COLUMNS):
        raise ValueError(f"the record is of version {fields.get('version')!r}: this program reads {VERSION}")
    number, day_name, previous, rows = (fields.get(name) for name in ("number", "day", "previous", "rows"))
    if type(number) is not int or type(day_name) is not str or type(previous) is not str or type(rows) is not list:
        raise ValueError("the record lacks a number, a day, the digest before it, or its rows")
    return RecordFields(number, day_name, bytes.fromhex(previous), tuple(_row(row) for row in rows))


def _object(content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content.decode("ascii"))
    except RecursionError as error:
        raise ValueError("a record is not nested") from error
    if type(value) is not dict:
        raise ValueError(f"a record is a JSON object, not {type(value).__name__}")
    return value


def _row(row: Any) -> LedgerRow:
    if type(row) is not list or len(row) != len(COLUMNS):
        raise ValueError(f"a row has the {len(COLUMNS)} columns {', '.join(COLUMNS)}")
    if any(type(cell) is not (str if place < _N_NAMES else int) for place, cell in enumerate(row)):
        raise ValueError(f"a row has {_N_NAMES} names and then whole numbers, not {str(row)[:80]}")
    return LedgerRow._make(row)
