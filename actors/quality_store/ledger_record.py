"""One day of the ledger, as bytes that can be hashed and signed.

A record is JSON with sorted keys, no blanks, ASCII and whole numbers only, so that the same day always gives the same
bytes: `{"account":[...],"columns":[...],"day":"2023-11-14","edits":[...],"number":1,"previous":"","rows":[...],
"trials":[...],"version":2}`. `number` counts the closed days from 1; `previous` is the SHA-256 of the record before,
in hex, "" for the first. A record with `"open":true` is that of a day which is not over: the newest there is, and never
one that another is chained to. Version 1 had rows alone; it is read as a day on which nothing else was counted.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any, Final, NamedTuple, TypeVar

from actors.quality_store.account import AccountRow
from actors.quality_store.day import day_name
from actors.quality_store.day_evidence import DayFacts
from actors.quality_store.edit_count import EditRow
from actors.quality_store.row import LedgerRow
from actors.quality_store.trial import MEASURES, SIDES, TrialRow

VERSION: Final = 2
VERSIONS: Final = (1, 2)
COLUMNS: Final = LedgerRow._fields
_N_NAMES: Final = 3
_N_ACCOUNT_NAMES: Final = 2
_Row = TypeVar("_Row", LedgerRow, EditRow, TrialRow, AccountRow)


class LedgerRecord(NamedTuple):
    """A UTC day: its bytes, their SHA-256, and their Ed25519 signature, which is empty without a key."""

    day: int
    content: bytes
    digest: bytes
    signature: bytes


def content_of(number: int, previous: bytes, facts: DayFacts, *, is_open: bool = False) -> bytes:
    """The bytes of a record."""
    fields: dict[str, Any] = {
        "account": facts.account,
        "columns": COLUMNS,
        "day": day_name(facts.day),
        "edits": facts.edits,
        "number": number,
        "previous": previous.hex(),
        "rows": facts.rows,
        "trials": facts.trials,
        "version": VERSION,
    }
    if is_open:
        fields["open"] = True
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode("ascii")


def digest_of(content: bytes) -> bytes:
    """SHA-256 of a record's bytes."""
    return hashlib.sha256(content).digest()


class RecordFields(NamedTuple):
    """What a record says; `is_open` if its day was not over."""

    number: int
    day_name: str
    previous: bytes
    rows: tuple[LedgerRow, ...]
    edits: tuple[EditRow, ...] = ()
    trials: tuple[TrialRow, ...] = ()
    account: tuple[AccountRow, ...] = ()
    is_open: bool = False

    def facts(self, day: int) -> DayFacts:
        """What it says of its day."""
        return DayFacts(day, self.rows, self.edits, self.trials, self.account)


def fields_of(content: bytes) -> RecordFields:
    """Read a record. Raises `ValueError` for bytes that are not one of a version that is known."""
    fields = _object(content)
    version = fields.get("version")
    if type(version) is not int or version not in VERSIONS or fields.get("columns") != list(COLUMNS):
        raise ValueError(f"the record is of version {version!r}: this program reads 1 to {VERSION}")
    number, name, previous = (fields.get(key) for key in ("number", "day", "previous"))
    if type(number) is not int or type(name) is not str or type(previous) is not str:
        raise ValueError("the record lacks a number, a day, or the digest before it")
    found = RecordFields(number, name, bytes.fromhex(previous), _table(fields, "rows", LedgerRow, _N_NAMES))
    return found if version == 1 else _with_evidence(found, fields)


def _with_evidence(found: RecordFields, fields: dict[str, Any]) -> RecordFields:
    """The same with what version 2 added."""
    is_open = fields.get("open", False)
    if type(is_open) is not bool:
        raise ValueError('"open" is true or not there')
    trials = _table(fields, "trials", TrialRow, _N_NAMES)
    for row in trials:
        if row.measure not in MEASURES.get(row.layer, ()) or row.side not in SIDES:
            raise ValueError(f"no layer is measured like {str(row[:3])[:80]}")
    return found._replace(
        edits=_table(fields, "edits", EditRow, _N_NAMES),
        trials=trials,
        account=_table(fields, "account", AccountRow, _N_ACCOUNT_NAMES),
        is_open=is_open,
    )


def _object(content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content.decode("ascii"))
    except RecursionError as error:
        raise ValueError("a record is not nested") from error
    if type(value) is not dict:
        raise ValueError(f"a record is a JSON object, not {type(value).__name__}")
    return value


def _table(fields: dict[str, Any], name: str, kind: type[_Row], n_names: int) -> tuple[_Row, ...]:
    """The rows of one of the record's tables: so many names, then whole numbers."""
    table = fields.get(name)
    if type(table) is not list:
        raise ValueError(f"the record lacks its table {name!r}")
    for row in table:
        if type(row) is not list or len(row) != len(kind._fields):
            raise ValueError(f"a row of {name!r} has the {len(kind._fields)} columns {', '.join(kind._fields)}")
        if any(type(cell) is not (str if place < n_names else int) for place, cell in enumerate(row)):
            raise ValueError(f"a row of {name!r} has {n_names} names and then whole numbers, not {str(row)[:80]}")
    return tuple(kind._make(row) for row in table)
