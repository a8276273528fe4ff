"""`scentfield ledger`: the read ledger's closed days, to be taken away and verified without the coordinator."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, TypeAlias

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Verbatim, plain
from coordinator.cli.source_file import STANDARD, read_source
from coordinator.folder import write_whole

if TYPE_CHECKING:
    from actors.quality_store.ledger_chain import Fault
    from actors.quality_store.ledger_record import LedgerRecord
    from actors.quality_store.messages import LedgerPage

MAX_LEDGER_BYTES: Final = 256 * 2**20
MAX_DAY: Final = 10**6
_PAGE: Final = 100
LastDigest: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--last-digest", help="The digest that the last day must have, as `export` printed it.", metavar="HEX"
    ),
]
_N_DIGEST: Final = 32
_NONE_READ: Final = "nothing was counted so far, today included"
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
    today: Annotated[bool, typer.Option("--today", help="With today's too, signed as a day that is not over.")] = False,
) -> Outcome:
    """Write the closed days, signed and chained, to a file that anybody with the public key can verify.

    Example: scentfield ledger export ledger.jsonl
    """
    from coordinator.efficacy.ledger_file import line_of  # the domain is needed by these commands only

    days = [line_of(record) for record in (kept_records(call) if today else _records(call))]
    text = "".join(json.dumps(day, sort_keys=True) + "\n" for day in days)
    key = str(_public_key_file(call))
    notes = [] if days else [_NONE_READ if today else _NONE_CLOSED]
    if file == STANDARD:
        return Outcome({"days": days, "public_key": key}, [Verbatim(text)], notes)
    write_whole(Path(file), text.encode())
    last = days[-1]["digest"] if days else None
    document = {"file": file, "n_days": len(days), "public_key": key, "last_digest": last}
    held = _days(len(days)) if today else _closed(len(days))
    lines = [Line(f"{file}: {held}; the public key is in {key}")]
    if last is not None:
        lines.append(Line(f"the digest of the last day, by which a missing end is noticed: {last}"))
    return Outcome(document, lines, notes)


def _records(call: Invocation) -> Iterator[LedgerRecord]:
    """All closed days that are kept, page by page."""
    from_day = 0
    while True:
        records = _page(call, from_day).records
        yield from records
        if len(records) < _PAGE:
            return
        from_day = records[-1].day + 1


def _page(call: Invocation, from_day: int) -> LedgerPage:
    return call.agent.query(lambda core: core.learned.ledger(from_day, _PAGE))


def kept_records(call: Invocation) -> list[LedgerRecord]:
    """All closed days that are kept, and the one that is open, as it stands now."""
    page = _page(call, MAX_DAY)
    return [*_records(call), *([] if page.open_day is None else [page.open_day])]


def verify(
    call: Invocation,
    file: Annotated[str, typer.Argument(help="An exported ledger; - for standard input.", metavar="FILE")],
    key: Annotated[
        Path | None, typer.Option(help="The public key's file; else the one of this data folder.", metavar="FILE")
    ] = None,
    last_digest: LastDigest = None,
) -> Outcome:
    """Verify an exported ledger: every day is there, in order, unchanged and signed. Needs no coordinator.

    Days are numbered, so older ones that are not in it are counted. That newer ones were cut off can be seen with
    --last-digest only, which `export` prints; else look at the last day that is named. Exit code 1: something is wrong,
    and what; or there is no day in it.
    """
    # Cryptography is a slow import.
    from actors.quality_store.day import day_name
    from actors.quality_store.ledger_chain import Fault, is_open, n_before, verify_chain

    records = read_records(file)
    faults = verify_chain(records, key_of(call, key), last_digest=digest_given(last_digest))
    if not records:
        faults = (Fault("", "missing", "there is no day in it: nothing was verified"),)
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
        return Outcome(document, [fault_grid(faults)], exit_code=ExitCode.FAILED)
    n_closed = len(records) - is_open(records)
    found = f", {first} to {last}{', which is not over' if is_open(records) else ''}: all unchanged and signed"
    missing = f"; {_closed(older)} before {'is' if older == 1 else 'are'} not in it" if older else ""
    return Outcome(document, [Line(f"{file}: {_closed(n_closed)}{found}{missing}")])


def _days(n_days: int) -> str:
    return "1 day" if n_days == 1 else f"{n_days} days"


def _closed(n_days: int) -> str:
    return "1 closed day" if n_days == 1 else f"{n_days} closed days"


def _public_key_file(call: Invocation) -> Path:
    from coordinator.learning.ledger_key import PUBLIC_FILE  # the same

    return call.settings.state_dir / PUBLIC_FILE


def key_of(call: Invocation, key: Path | None) -> bytes:
    """The public key in a file, else that of this data folder. Raises `Misuse` for a file that holds none."""
    from coordinator.learning.ledger_key import public_ledger_key  # the same

    return public_ledger_key(key or _public_key_file(call))


def digest_given(last_digest: str | None) -> bytes | None:
    """The digest that a ledger is to end with. Raises `Misuse` for what is none."""
    if last_digest is None:
        return None
    try:
        digest = bytes.fromhex(last_digest)
    except ValueError:
        digest = b""
    if len(digest) != _N_DIGEST:
        raise Misuse(f"--last-digest {last_digest[:80]!r} is none: give the 64 hex digits that `ledger export` printed")
    return digest


def read_records(file: str) -> list[LedgerRecord]:
    """The records of an exported ledger. Raises `Misuse` for a file that is none."""
    from coordinator.efficacy.ledger_file import records_of  # the domain is needed by these commands only

    return records_of(read_source(file, what="ledger", max_bytes=MAX_LEDGER_BYTES, then="it is none of ours"), file)


def fault_grid(faults: Iterable[Fault]) -> Grid:
    """What is wrong with a ledger."""
    return Grid(("day", "fault", "what is wrong"), [(fault.day, fault.kind, fault.message) for fault in faults])
