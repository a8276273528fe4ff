"""`scentfield ledger`: the read ledger's closed days, to be taken away and verified without the coordinator."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome
from coordinator.cli.status import plain
from coordinator.folder import write_whole

if TYPE_CHECKING:
    from actors.quality_store.ledger_record import LedgerRecord

STDOUT: Final = "-"
MAX_LEDGER_BYTES: Final = 256 * 2**20
_PAGE: Final = 100


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
    records = list(_records(call))
    text = "".join(json.dumps(_as_line(record), sort_keys=True) + "\n" for record in records).encode()
    document = {"file": file, "n_days": len(records), "public_key": str(_public_key_file(call))}
    if file == STDOUT:
        sys.stdout.buffer.write(text)
        return Outcome(document if call.flags.as_json else None)
    write_whole(Path(file), text)
    return Outcome(
        document, [Line(f"{file}: {len(records)} closed days; their public key is {document['public_key']}")]
    )


def _records(call: Invocation) -> Iterator[LedgerRecord]:
    """All closed days that are kept, page by page."""
    from_day = 0
    while True:
        day = from_day
        page = call.agent.query(lambda core, day=day: core.learned.ledger(day, _PAGE))  # type: ignore[misc]  # a default binds the loop's variable
        yield from page.records
        if len(page.records) < _PAGE:
            return
        from_day = page.records[-1].day + 1


def _as_line(record: LedgerRecord) -> dict[str, Any]:
    return {
        "day": record.day,
        "content": record.content.decode("ascii"),
        "digest": record.digest.hex(),
        "signature": record.signature.hex(),
    }


def verify(
    call: Invocation,
    file: Annotated[str, typer.Argument(help="An exported ledger.", metavar="FILE")],
    key: Annotated[
        Path | None, typer.Option(help="The public key's file; else the one of this data folder.", metavar="FILE")
    ] = None,
) -> Outcome:
    """Verify an exported ledger: every day is there, in order, unchanged and signed. Needs no coordinator.

    Exit code 1: something is wrong, and what.
    """
    # Cryptography is a slow import.
    from actors.quality_store.ledger_chain import verify_chain
    from coordinator.learning.ledger_key import public_ledger_key

    records = _read(file)
    faults = verify_chain(records, public_ledger_key(key or _public_key_file(call)))
    document = {"file": file, "n_days": len(records), "faults": [plain(fault) for fault in faults]}
    if not faults:
        return Outcome(document, [Line(f"{file}: {len(records)} closed days, all of them unchanged and signed")])
    rows = [(fault.day, fault.kind, fault.message) for fault in faults]
    return Outcome(document, [Grid(("day", "fault", "what is wrong"), rows)], exit_code=ExitCode.FAILED)


def _public_key_file(call: Invocation) -> Path:
    from coordinator.learning.ledger_key import PUBLIC_FILE  # the same

    return call.settings.state_dir / PUBLIC_FILE


def _read(file: str) -> list[LedgerRecord]:
    """The records of an exported ledger. Raises `Misuse` for a file that is none."""
    from actors.quality_store.ledger_record import LedgerRecord  # the domain is needed by this command only

    try:
        with Path(file).open("rb") as opened:
            raw = opened.read(MAX_LEDGER_BYTES + 1)
    except OSError as error:
        raise Misuse(f"the ledger {file!r} cannot be read: {error.strerror or error}") from error
    if len(raw) > MAX_LEDGER_BYTES:
        raise Misuse(f"the ledger {file!r} has over {MAX_LEDGER_BYTES} bytes: it is no exported ledger")
    records = []
    for number, line in enumerate(raw.splitlines(), start=1):
        try:
            fields = json.loads(line)
            content, digest, signature = fields["content"], fields["digest"], fields["signature"]
            record = LedgerRecord(
                int(fields["day"]), content.encode("ascii"), bytes.fromhex(digest), bytes.fromhex(signature)
            )
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise Misuse(f"line {number} of {file!r} is no closed day ({error}): export the ledger again") from error
        records.append(record)
    return records
