"""`scentfield efficacy`: whether all of it helps, from the running coordinator or from the signed ledger alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.ledger import LastDigest, digest_given, fault_grid, kept_records, key_of, read_records
from coordinator.cli.outcome import Grid, Line, Outcome, Part, plain

if TYPE_CHECKING:
    from actors.quality_store.evidence import Evidence
    from actors.quality_store.ledger_record import LedgerRecord
    from coordinator.efficacy.figure import Figures

_DESCRIBE_S = 10.0


class _Source(NamedTuple):
    """Which ledger, the running coordinator's without a file, and what it is verified by."""

    ledger: str | None
    key: Path | None
    last_digest: str | None


def efficacy(
    call: Invocation,
    ledger: Annotated[
        str | None, typer.Argument(help="With --from-ledger: an exported ledger; - for standard input.", metavar="FILE")
    ] = None,
    from_ledger: Annotated[
        bool, typer.Option("--from-ledger", help="Verify the ledger, and work all figures out from it alone.")
    ] = False,
    key: Annotated[
        Path | None, typer.Option(help="With --from-ledger: the public key's file.", metavar="FILE", dir_okay=False)
    ] = None,
    through: Annotated[
        str | None, typer.Option(help="With --from-ledger: the window's last day, as in 2026-11-30.", metavar="DAY")
    ] = None,
    last_digest: LastDigest = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw it too; needs the extra `plot`.", metavar="FILE.png", dir_okay=False)
    ] = None,
) -> Outcome:
    """Show whether all of it helps: bounces, failed edits, savings, and each learned layer beside its holdout.

    The figures are those of the newest 30 days. With --from-ledger and a FILE it needs no coordinator. Exit code 1: the
    ledger cannot be trusted, and why.

    Example: scentfield efficacy --from-ledger ledger.jsonl --key their.pub
    """
    if not from_ledger and any(given is not None for given in (ledger, key, through, last_digest)):
        raise Misuse("a FILE, --key, --through and --last-digest go with --from-ledger: give it too")
    if plot is not None:
        # The picture's library is an extra and slow to import.
        from coordinator.picture import check_picture

        check_picture(plot)
    if not from_ledger:
        return _running(call, plot)
    return _from_ledger(call, _Source(ledger, key, last_digest), through, plot)


def _running(call: Invocation, plot: Path | None) -> Outcome:
    """The figures of the running coordinator, and which layers are off there."""
    shown = _shown(call, _told(call), {}, plot)
    off = sorted(layer for one in call.agent.query(lambda core: core.learned.layers()) for layer in one.off)
    lines = [Line(f"switched off: {', '.join(off)} (`scentfield learning` says by whom)")] if off else []
    return Outcome({**shown.document, "off": off}, [*shown.parts, *lines])


def _told(call: Invocation) -> Evidence:
    """What the running ledger adds up to, once it knows what the other state actors say."""
    # The schemas of all domains are slow to build, and `--help` does without.
    from coordinator.domain import MEMORY, SCENT_FIELD, THRESHOLDS
    from coordinator.efficacy.telling import account_of

    agent = call.agent
    counts = {
        SCENT_FIELD: agent.query(lambda core: core.field_counts()),
        THRESHOLDS: agent.query(lambda core: core.learned.statistics()),
        MEMORY: agent.query(lambda core: core.playbook.statistics()),
    }
    for domain, seen in counts.items():
        account = account_of(agent.transport.describe(domain, _DESCRIBE_S), seen)
        if account is not None:
            agent.query(lambda core: core.learned.tell(account))  # noqa: B023  # called at once
    return agent.query(lambda core: core.learned.evidence(30))


def _from_ledger(call: Invocation, source: _Source, through: str | None, plot: Path | None) -> Outcome:
    # Cryptography is a slow import.
    from actors.quality_store.ledger_chain import verify_chain
    from coordinator.efficacy.ledger_file import evidence_in

    if source.ledger is None:
        _told(call)
    records = kept_records(call) if source.ledger is None else read_records(source.ledger)
    where = {"ledger": source.ledger or "the running coordinator's", "n_records": len(records)}
    if not records:
        raise Misuse("there is no day in this ledger: nothing can be worked out from it")
    faults = verify_chain(records, key_of(call, source.key), last_digest=digest_given(source.last_digest))
    if faults:
        document = {**where, "faults": [plain(fault) for fault in faults]}
        return Outcome(document, [fault_grid(faults)], exit_code=ExitCode.FAILED)
    last_day = _last_day(records, through)
    shown = _shown(call, evidence_in(records, last_day), {**where, "faults": []}, plot)
    return replace(shown, notes=_gaps(records, last_day))


def _gaps(records: Sequence[LedgerRecord], last_day: int) -> list[str]:
    """What part of the window these records say nothing about, though it was or may have been counted."""
    from actors.quality_store.day import day_name  # the domain is needed by this command only
    from actors.quality_store.evidence import WINDOW_DAYS
    from actors.quality_store.ledger_chain import n_before

    first, last, said = records[0].day, records[-1].day, []
    if first > last_day - WINDOW_DAYS + 1 and (n_older := n_before(records)):
        was = f"{n_older} older {'day was' if n_older == 1 else 'days were'} closed"
        said.append(
            f"the ledger begins with {day_name(first)}, {was}: what is of these {WINDOW_DAYS} days is not counted"
        )
    if last_day > last:
        said.append(f"the ledger ends with {day_name(last)}: nothing is known of the days to {day_name(last_day)}")
    return said


def _last_day(records: Sequence[LedgerRecord], through: str | None) -> int:
    """The number of the day that was asked for, or the newest. Raises `Misuse` for what is no day."""
    if through is None:
        return records[-1].day
    from datetime import date  # needed here only

    try:
        return (date.fromisoformat(through) - date(1970, 1, 1)).days
    except ValueError as error:
        raise Misuse(f"{through!r} is no day ({error}): give one such as 2026-11-30") from error


def _shown(call: Invocation, evidence: Evidence, where: dict[str, Any], plot: Path | None) -> Outcome:
    # The report is needed by this command only.
    from coordinator.efficacy.figure import figures_of
    from coordinator.efficacy.report import document_of
    from coordinator.efficacy.terms import terms_of

    figures = figures_of(evidence, terms_of(call.settings))
    parts = _parts(figures, where)
    if plot is not None:
        from coordinator.efficacy.plot import write_plot  # the same

        write_plot(figures, plot)
        parts.append(Line(f"drawn: {plot}"))
    return Outcome({**where, **document_of(figures)}, parts)


def _parts(figures: Figures, where: dict[str, Any]) -> list[Part]:
    from coordinator.efficacy import report  # the same

    parts: list[Part] = []
    if where:
        n_days = "1 day" if where["n_records"] == 1 else f"{where['n_records']} days"
        parts.append(Line(f"worked out from {where['ledger']} ledger alone: {n_days}, all unchanged and signed"))
    parts += [Line(line) for line in report.figure_lines(figures)]
    rows = report.failure_rows(figures)
    parts += [Line(""), Grid(report.FAILURE_COLUMNS, rows) if rows else Line("no edit failed")]
    if n_more := report.n_failures_left_out(figures):
        parts.append(Line(f"and {n_more} more kinds of failures (--json)"))
    about = Line("each layer beside what does without it; less is better")
    return [*parts, Line(""), about, Grid(report.LAYER_COLUMNS, report.layer_rows(figures))]
