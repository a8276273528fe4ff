"""`scentfield chaos`: real processes under kills and stops, and a checker that judges what they and the stores say."""

from __future__ import annotations

import secrets
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part, Verbatim
from coordinator.cli.progress import progress

if TYPE_CHECKING:
    from coordinator.chaos.report import Report

MAX_MINUTES: Final = 60.0
MAX_AGENTS: Final = 64
_SHOWN: Final = 3
_SEEDS: Final = 1_000_000


def chaos(
    call: Invocation,  # noqa: ARG001  # it has a coordinator of its own
    minutes: Annotated[
        float, typer.Option("--minutes", help="How long faults come.", metavar="N", min=0.05, max=MAX_MINUTES)
    ] = 1.0,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Which faults, in which order; else drawn.", metavar="K", min=0)
    ] = None,
    agents: Annotated[
        int, typer.Option(help="How many agents, each a process.", metavar="A", min=1, max=MAX_AGENTS)
    ] = 8,
    only: Annotated[
        list[str] | None, typer.Option(help="Only this kind of fault; may be given again.", metavar="FAULT")
    ] = None,
    faults: Annotated[
        int | None, typer.Option(help="End after so many faults, if that is earlier.", metavar="N", min=1)
    ] = None,
    store: Annotated[str | None, typer.Option(help="A PostgreSQL database; else SQLite files.", metavar="URL")] = None,
    keep: Annotated[
        Path | None, typer.Option(help="Leave stores and diaries in this new folder.", metavar="DIR")
    ] = None,
) -> Outcome:
    """Kill and stop real actors, agents and clusters while agents work, and check that every promise was kept.

    It has a Ray, stores and agents of its own, and leaves yours alone. Example: scentfield chaos --minutes 5

    A seed gives the same faults again; what they meet depends on the machine. Ends with 1 if a promise was broken.
    """
    # Ray, the stores and the client come along, which `--help` does without.
    from coordinator.chaos.plan import Plan, weights_of
    from coordinator.chaos.run import run_chaos

    plan = Plan(
        seed=secrets.randbelow(_SEEDS) if seed is None else seed,
        for_s=60.0 * minutes,
        max_faults=faults,
        n_agents=agents,
        weights=weights_of(only),
    )
    folder = _folder(keep)
    is_kept = keep is not None
    try:
        with progress("chaos", 1.0) as advance:
            report = run_chaos(
                plan, folder, store_url=store, told=lambda share, n_faults: advance(share, f"{n_faults} faults")
            )
        is_kept |= bool(report.violations)
    finally:
        if not is_kept:
            shutil.rmtree(folder, ignore_errors=True)
    document = {**report.document(), "kept": str(folder) if is_kept else None}
    return Outcome(
        document,
        _parts(report, folder if is_kept else None),
        exit_code=ExitCode.FAILED if report.violations else ExitCode.OK,
    )


def _folder(keep: Path | None) -> Path:
    if keep is None:
        return Path(tempfile.mkdtemp(prefix="scentfield-chaos-"))
    if keep.exists():
        raise Misuse(f"{str(keep)!r} is there already: name a new folder, what an earlier run left would be judged too")
    return keep.absolute()


def _parts(report: Report, kept: Path | None) -> list[Part]:
    document = report.document()
    rows = [
        ("faults", ", ".join(f"{kind} {number}" for kind, number in document["faults"].items()) or "none"),
        *((f"back after {kind}, s", _figures(figures)) for kind, figures in document["recovery_s"].items() if figures),
        ("calls took, s", _figures(document["stall_s"] or {})),
        ("calls, rows, guarded writes", f"{report.n_calls}, {report.n_rows}, {report.n_writes}"),
        ("acknowledged and lost", document["acknowledged_lost"]),
        ("double holders", document["double_holders"]),
        ("stale writes accepted", document["stale_writes_accepted"]),
        ("stale writes refused", document["stale_writes_refused"]),
    ]
    n_broken = len(report.violations)
    parts: list[Part] = [
        Line(f"seed {report.seed}, {report.n_agents} agents, {report.store}, {report.for_s:.0f} s in all"),
        Grid(("what", "figure"), rows),
        Line(f"{n_broken} promises are broken", "red" if n_broken else "green"),
    ]
    parts += [Verbatim(f"{violation.text()}\n") for violation in report.violations[:_SHOWN]]
    return parts if kept is None else [*parts, Line(f"stores and diaries are in {kept}")]


def _figures(figures: dict[str, float]) -> str:
    return ", ".join(f"{name} {value:g}" for name, value in figures.items())
