"""`scentfield doctor`: looks whether all is well, and at the stores without their actors."""

from __future__ import annotations

import secrets
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import Misuse, ScentfieldError
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part

if TYPE_CHECKING:
    from actors.runtime.store import Store
    from coordinator.cli.finding import Finding
    from coordinator.cli.store_check import StoreReport
    from coordinator.store.place import StorePlace

_DESCRIBE_S: Final = 10.0
_STYLES = {"ok": "green", "failed": "red", "skipped": "dim"}


def doctor(
    call: Invocation,
    store: Annotated[bool, typer.Option("--store", help="Look into the stores, without their actors.")] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="With --store: cut a damaged one at its last good row.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before cutting.")] = False,
) -> Outcome:
    """Look whether all is well: versions, permissions, cluster, actors, a write that is read back, gateway, open ports.

    Example: scentfield doctor --store

    --repair shows what would be lost and asks. It refuses while an actor uses the store.
    """
    if repair and not store:
        raise Misuse("--repair was given without --store: `scentfield doctor --store --repair` cuts a damaged store")
    return _look_into_stores(call, repair=repair, yes=yes) if store else _examine(call)


def _examine(call: Invocation) -> Outcome:
    # The checks bring the client and the machines along, which `--help` does without.
    from coordinator.cli.health import cluster_findings, listener_finding, machine_findings
    from coordinator.cli.model_check import model_finding

    settings = call.settings
    findings = [
        *machine_findings(settings),
        *cluster_findings(settings, call.house.connect, call.flags.root or Path.cwd()),
        model_finding(call),
        listener_finding(settings),
    ]
    return _examined(findings)


def _examined(findings: list[Finding]) -> Outcome:
    bad = [one for one in findings if one.state == "failed"]
    parts: list[Part] = [Line(f"{one.state:<8} {one.name}: {one.what}", _STYLES[one.state]) for one in findings]
    parts += [Line(f"next ({one.name}): {one.next_step}") for one in bad if one.next_step]
    document = {"is_well": not bad, "findings": [asdict(one) for one in findings]}
    return Outcome(document, parts, exit_code=max((one.exit_code for one in bad), default=ExitCode.OK))


def _look_into_stores(call: Invocation, *, repair: bool, yes: bool) -> Outcome:
    # The same.
    from coordinator.cli.places import open_places

    reports, repaired = [], {}
    with open_places(call.settings) as places:
        for place in places:
            report = _inspected(call, place)
            if repair and report.state == "damaged":
                repaired[place.domain] = _repaired(call, place.store, report, yes=yes)
                report = _inspected(call, place)
            reports.append(report)
    return _reported(reports, repaired)


def _inspected(call: Invocation, place: StorePlace) -> StoreReport:
    """What is in the store; if its actor can be asked, also whether that says the same."""
    # The same.
    from coordinator.cli.store_check import compared, inspect_store

    account = _account(call, place.domain)
    report = inspect_store(place.domain, place.store, place.make_machine)
    return report if account is None or report.state != "sound" else compared(report, account, place.store.head())


def _account(call: Invocation, domain: str) -> dict[str, Any] | None:
    """What a live actor says of itself; None without one, and for one in trouble."""
    if call.house.address(call.settings) is None:
        return None
    try:
        account: dict[str, Any] = call.house.connect(call.settings).describe(domain, _DESCRIBE_S)
    except ScentfieldError:
        return None
    return account if account["trouble"] is None else None


def _repaired(call: Invocation, store: Store, report: StoreReport, *, yes: bool) -> int:
    """Cut a damaged store; returns how many rows were lost. Raises `Misuse` where it must not or cannot be cut."""
    # The same.
    from coordinator.cli.places import actors_of
    from coordinator.store.occupant import refuse_if_in_use

    if report.cut_at is None:
        raise Misuse(f"{report.what} -- cutting does not help here: put a backup back with `scentfield restore`")
    refuse_if_in_use(store, report.domain, actors_of(call))
    for line in (report.what, *_loss(report, "would be lost")):
        call.screen.note(line)
    if not yes and not _is_wanted(call, report):
        raise Misuse(f"{store.where} was left as it is: say --yes to cut it after row {report.cut_at}")
    store.cut_after(report.cut_at, new_store_id=secrets.token_hex(16))
    return report.n_lost


def _loss(report: StoreReport, how: str) -> list[str]:
    """What a cut costs, in lines."""
    head = [f"its head is made anew: it ends at row {report.cut_at}, and whether there were more nobody knows"]
    return [*(head if report.needs_head else []), f"these {report.n_lost} rows {how}:", *report.lost]


def _is_wanted(call: Invocation, report: StoreReport) -> bool:
    if not call.is_interactive:
        return False
    return typer.confirm(f"Cut {report.where} after row {report.cut_at} and lose {report.n_lost} rows?", err=True)


def _reported(reports: list[StoreReport], repaired: dict[str, int]) -> Outcome:
    parts: list[Part] = [
        Grid(
            ("store", "state", "last row", "snapshot", "rows after it", "events"),
            [(one.where, one.state, one.last_seq, one.snapshot_seq, one.n_rows, one.n_events) for one in reports],
        )
    ]
    parts += [Line(f"{domain}: cut, {n} rows are lost", "red") for domain, n in repaired.items()]
    for one in reports:
        if one.state not in ("sound", "empty"):
            parts.append(Line(f"{one.domain}: {one.what}", "red"))
            parts += _what_to_do(one)
    document = {
        "stores": [{**asdict(one), "n_lost": one.n_lost} for one in reports],
        "repaired": repaired,
    }
    return Outcome(document, parts, exit_code=max(map(_exit_code, reports)))


def _what_to_do(report: StoreReport) -> list[Line]:
    if report.cut_at is None:
        return []
    head = [Line("a repair makes its head anew")] if report.needs_head else []
    return [
        *head,
        Line(f"a cut after row {report.cut_at} would lose {report.n_lost} rows:"),
        *(Line(f"  {line}") for line in report.lost),
    ]


def _exit_code(report: StoreReport) -> ExitCode:
    codes = {"damaged": ExitCode.CORRUPT, "newer": ExitCode.CORRUPT, "unavailable": ExitCode.UNAVAILABLE}
    return codes.get(report.state, ExitCode.OK)
