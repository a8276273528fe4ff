"""`scentfield doctor`: looks whether all is well, and at the stores without their actors."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from actors.runtime.errors import Misuse, Unavailable
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part

if TYPE_CHECKING:
    from actors.runtime.store import Store
    from coordinator.cli.health import Finding
    from coordinator.cli.store_check import StoreReport

_STYLES = {"ok": "green", "failed": "red", "skipped": "dim"}


def doctor(
    call: Invocation,
    store: Annotated[bool, typer.Option("--store", help="Look into the stores, without their actors.")] = False,
    repair: Annotated[
        bool, typer.Option("--repair", help="With --store: cut a damaged one at its last good row.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before cutting.")] = False,
) -> Outcome:
    """Look whether all is well: versions, permissions, cluster, actors, a write that is read back, open ports.

    Example: scentfield doctor --store

    --repair shows what would be lost and asks. It refuses while an actor uses the store.
    """
    if repair and not store:
        raise Misuse("--repair was given without --store: `scentfield doctor --store --repair` cuts a damaged store")
    return _look_into_stores(call, repair=repair, yes=yes) if store else _examine(call)


def _examine(call: Invocation) -> Outcome:
    # The checks bring the client and the machines along, which `--help` does without.
    from coordinator.cli.health import cluster_findings, listener_finding, machine_findings

    settings = call.settings
    findings = [
        *machine_findings(settings),
        *cluster_findings(settings, call.house.connect),
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
    from actors.runtime.store import Store
    from coordinator.domain import DOMAINS

    settings = call.settings
    reports, repaired = [], {}
    for name in DOMAINS:
        with closing(Store(settings.store_url_of(name), settings.store_key_of(name))) as opened:
            report = _inspected(call, name, opened)
            if repair and report.state == "damaged":
                repaired[name] = _repaired(call, opened, report, yes=yes)
                report = _inspected(call, name, opened)
            reports.append(report)
    return _reported(reports, repaired)


def _inspected(call: Invocation, name: str, store: Store) -> StoreReport:
    # The same.
    from actors.runtime.actor import ActorConfig
    from coordinator.cli.store_check import inspect_store
    from coordinator.domain import DOMAINS, machine_options

    config = ActorConfig(name, DOMAINS[name].machine, store.url, machine_options(name, call.settings))
    return inspect_store(name, store, config.make_machine)


def _repaired(call: Invocation, store: Store, report: StoreReport, *, yes: bool) -> int:
    """Cut a damaged store; returns how many rows were lost. Raises `Misuse` where it must not or cannot be cut."""
    if report.cut_at is None:
        raise Misuse(f"{report.what} -- cutting does not help here: put a copy of the store back that is sound")
    _refuse_if_in_use(call, report.domain, store)
    for line in (report.what, f"these {report.n_lost} rows would be lost:", *report.lost):
        call.screen.note(line)
    if not yes and not _is_wanted(call, report):
        raise Misuse(f"{store.where} was left as it is: say --yes to cut it after row {report.cut_at}")
    return store.cut_after(report.cut_at)


def _is_wanted(call: Invocation, report: StoreReport) -> bool:
    if not call.is_interactive:
        return False
    return typer.confirm(f"Cut {report.where} after row {report.cut_at} and lose {report.n_lost} rows?", err=True)


def _refuse_if_in_use(call: Invocation, domain: str, store: Store) -> None:
    """An actor that is alive would be fenced off, and whoever it has answered would never know."""
    # The same.
    from coordinator.cli.store_check import processes_using

    users = processes_using(store.file)
    if users:
        named = ", ".join(map(str, users))
        raise Misuse(f"{store.where} is in use by process {named}: stop it first, with `scentfield down`")
    if domain in _actors(call):
        raise Misuse(f"the actor {domain} that owns {store.where} is alive: stop it first, with `scentfield down`")


def _actors(call: Invocation) -> list[str]:
    if call.house.address(call.settings) is None:
        return []
    try:
        return call.house.actor_names(call.settings)
    except Unavailable:  # the cluster is gone, and its actors with it
        return []


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
    return [
        Line(f"a cut after row {report.cut_at} would lose {report.n_lost} rows:"),
        *(Line(f"  {line}") for line in report.lost),
    ]


def _exit_code(report: StoreReport) -> ExitCode:
    codes = {"damaged": ExitCode.CORRUPT, "unavailable": ExitCode.UNAVAILABLE}
    return codes.get(report.state, ExitCode.OK)
