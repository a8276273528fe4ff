"""`scentfield ledger`: the read ledger's closed days, to be taken away and verified without the coordinator."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Verbatim, plain
from coordinator.cli.source_file import STANDARD, read_source
from coordinator.folder import write_whole

if TYPE_CHECKING:
    from actors.quality_store.ledger_record import LedgerRecord

MAX_LEDGER_BYTES: Final = 256 * 2**20
MAX_LEDGER_DAYS: Final = 10_000
MAX_DAY: Final = 10**6
_FIELDS: Final = ("day", "content", "digest", "signature")
_PAGE: Final = 100
_NONE_CLOSED: Final = "no day is closed yet: today's is when the first request after midnight UTC has come"


def show(
    call: Invocation,
    days: Annotated[int, typer.Option(help="How many of the last days.", min=1, max=30)] = 30,
) -> Outcome:
    """Show what reads have cost and saved, by day: net of second reads and of failed edits."""
    savings = call.agent.query(lambda core: core.learned.savings(days))
    # The report belongs to its domain and is needed by this command only.
    from actors.quality_store.ledger_report import DAY_COLUMNS, day_row

    rows = [day_row(sheet) for sheet in savings.days]
    if not rows:
        return Outcome(plain(savings), [Line("not yet known: nothing was read so far")])
    return Outcome(plain(savings), [Grid(DAY_COLUMNS, rows)])


def export(
    call: Invocation,
    file: Annotated[str, typer.Argument(help="Where to write it, JSON lines; - for standard output.", metavar="FILE")],
) -> Outcome:
    """Write the closed days, signed and chained, to a file that anybody with the public key can verify.

    Example: scentfield ledger export ledger.jsonl
    """
    days = [_as_line(record) for record in _records(call)]
    text = "".join(json.dumps(day, sort_keys=True) + "\n" for day in days)
    key = str(_public_key_file(call))
    notes = [] if days else [_NONE_CLOSED]
    if file == STANDARD:
        return Outcome({"days": days, "public_key": key}, [Verbatim(text)], notes)
    write_whole(Path(file), text.encode())
    document = {"file": file, "n_days": len(days), "public_key": key}
    said = Line(f"{file}: {_closed(len(days))}; the public key is in {key}")
    return Outcome(document, [said], notes)


def _records(call: Invocation) -> Iterator[LedgerRecord]:
    """All closed days that are kept, page by page."""
    from_day = 0
    while True:
        records = _page(call, from_day)
        yield from records
        if len(records) < _PAGE:
            return
        from_day = records[-1].day + 1


def _page(call: Invocation, from_day: int) -> tuple[LedgerRecord, ...]:
    return call.agent.query(lambda core: core.learned.ledger(from_day, _PAGE)).records


def _as_line(record: LedgerRecord) -> dict[str, Any]:
    return {
        "day": record.day,
        "content": record.content.decode("ascii"),
        "digest": record.digest.hex(),
        "signature": record.signature.hex(),
    }


def verify(
    call: Invocation,
    file: Annotated[str, typer.Argument(help="An exported ledger; - for standard input.", metavar="FILE")],
    key: Annotated[
        Path | None, typer.Option(help="The public key's file; else the one of this data folder.", metavar="FILE")
    ] = None,
) -> Outcome:
    """Verify an exported ledger: every day is there, in order, unchanged and signed. Needs no coordinator.

    Days are numbered, so older ones that are not in it are counted. That newer ones were cut off cannot be seen: look
    at the last day that is named. Exit code 1: something is wrong, and what.
    """
    # Cryptography is a slow import.
    from actors.quality_store.day import day_name
    from actors.quality_store.ledger_chain import n_before, verify_chain
    from coordinator.learning.ledger_key import public_ledger_key

    records = _read(file)
    faults = verify_chain(records, public_ledger_key(key or _public_key_file(call)))
    first, last = (day_name(records[at].day) if records else "" for at in (0, -1))
    older = n_before(records)
    document = {
        "file": file,
        "n_days": len(records),
        "first_day": first,
        "last_day": last,
        "n_before": older,
        "faults": [plain(fault) for fault in faults],
    }
    if faults:
        rows = [(fault.day, fault.kind, fault.message) for fault in faults]
        return Outcome(document, [Grid(("day", "fault", "what is wrong"), rows)], exit_code=ExitCode.FAILED)
    found = f", {first} to {last}: all unchanged and signed" if records else ": there is nothing to verify"
    missing = f"; {_closed(older)} before {'is' if older == 1 else 'are'} not in it" if older else ""
    return Outcome(document, [Line(f"{file}: {_closed(len(records))}{found}{missing}")])


def _closed(n_days: int) -> str:
    return "1 closed day" if n_days == 1 else f"{n_days} closed days"


def _public_key_file(call: Invocation) -> Path:
    from coordinator.learning.ledger_key import PUBLIC_FILE  # the same

    return call.settings.state_dir / PUBLIC_FILE


def _read(file: str) -> list[LedgerRecord]:
    """The records of an exported ledger. Raises `Misuse` for a file that is none."""
    raw = read_source(file, what="ledger", max_bytes=MAX_LEDGER_BYTES, then="it is none of ours")
    lines = raw.splitlines()
    if len(lines) > MAX_LEDGER_DAYS:
        raise Misuse(f"the ledger {file!r} has {len(lines)} lines, the limit is {MAX_LEDGER_DAYS}: it is none of ours")
    records = []
    for number, line in enumerate(lines, start=1):
        try:
            records.append(_record(line))
        except (RecursionError, ValueError) as error:
            raise Misuse(f"line {number} of {file!r} is no closed day ({error}): export the ledger again") from error
    return records


def _record(line: bytes) -> LedgerRecord:
    """One line of an exported ledger. Raises `ValueError` for another."""
    from actors.quality_store.ledger_record import LedgerRecord  # the domain is needed by this command only

    fields = json.loads(line)
    if type(fields) is not dict or set(fields) != set(_FIELDS):
        raise ValueError(f"it is not an object of {', '.join(_FIELDS)}")
    day, content, digest, signature = (fields[name] for name in _FIELDS)
    if type(day) is not int or not 0 <= day <= MAX_DAY:
        raise ValueError(f"its day is no number from 0 to {MAX_DAY}")
    if not all(type(text) is str for text in (content, digest, signature)):
        raise ValueError("its content, digest and signature are not all texts")
    return LedgerRecord(day, content.encode("ascii"), bytes.fromhex(digest), bytes.fromhex(signature))
