"""The ledger as a file that may be taken away: JSON lines, one a day, with its digest and signature.

Whoever has it and the public key can verify it and work out every figure again, without a coordinator and without Ray.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from actors.quality_store.evidence import Evidence, evidence_of
from actors.quality_store.ledger_record import LedgerRecord, fields_of
from actors.runtime.errors import Misuse

MAX_LEDGER_DAYS: Final = 10_000
MAX_DAY: Final = 10**6
_FIELDS: Final = ("day", "content", "digest", "signature")


def line_of(record: LedgerRecord) -> dict[str, Any]:
    """A record as its line of the file."""
    return {
        "day": record.day,
        "content": record.content.decode("ascii"),
        "digest": record.digest.hex(),
        "signature": record.signature.hex(),
    }


def records_of(raw: bytes, name: str) -> list[LedgerRecord]:
    """The records of an exported ledger; `name` is the file's. Raises `Misuse` for a file that is none."""
    lines = raw.splitlines()
    if len(lines) > MAX_LEDGER_DAYS:
        raise Misuse(f"the ledger {name!r} has {len(lines)} lines, the limit is {MAX_LEDGER_DAYS}: it is none of ours")
    records = []
    for number, line in enumerate(lines, start=1):
        try:
            records.append(_record(line))
        except (RecursionError, ValueError) as error:
            raise Misuse(f"line {number} of {name!r} is no closed day ({error}): export the ledger again") from error
    return records


def _record(line: bytes) -> LedgerRecord:
    """One line of an exported ledger. Raises `ValueError` for another."""
    fields = json.loads(line)
    if type(fields) is not dict or set(fields) != set(_FIELDS):
        raise ValueError(f"it is not an object of {', '.join(_FIELDS)}")
    day, content, digest, signature = (fields[name] for name in _FIELDS)
    if type(day) is not int or not 0 <= day <= MAX_DAY:
        raise ValueError(f"its day is no number from 0 to {MAX_DAY}")
    if not all(type(text) is str for text in (content, digest, signature)):
        raise ValueError("its content, digest and signature are not all texts")
    return LedgerRecord(day, content.encode("ascii"), bytes.fromhex(digest), bytes.fromhex(signature))


def evidence_in(records: Iterable[LedgerRecord], last_day: int) -> Evidence:
    """What records that were verified add up to, in the window that ends with `last_day`. Raises `ValueError`."""
    return evidence_of([fields_of(record.content).facts(record.day) for record in records], last_day)
