"""`scentfield simulate`: the house in one process, under faults, and a checker that judges what happened."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part, Verbatim
from coordinator.cli.progress import progress

if TYPE_CHECKING:
    from coordinator.simulation.campaign import Told
    from coordinator.simulation.planted import Caught

MAX_SEEDS: Final = 1_000_000
MAX_STEPS: Final = 1_000_000
MAX_AGENTS: Final = 20_000


def simulate(
    call: Invocation,
    seeds: Annotated[
        int, typer.Option("--seeds", help="How many seeds, from 0 on.", metavar="N", min=1, max=MAX_SEEDS)
    ] = 300,
    steps: Annotated[
        int, typer.Option(help="How many things happen in each.", metavar="M", min=1, max=MAX_STEPS)
    ] = 2_000,
    agents: Annotated[int, typer.Option(help="How many agents.", metavar="A", min=1, max=MAX_AGENTS)] = 8,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Run this one and print its history.", metavar="K", min=0)
    ] = None,
    planted: Annotated[
        str | None, typer.Option(help="Look for planted bugs: all, or one by name.", metavar="NAME")
    ] = None,
) -> Outcome:
    """Run the house under a simulated clock, network and disk that fail, and check what happened.

    Example: scentfield simulate --seeds 300 --steps 2000

    A seed is a history: the same one on every machine. Ends with 1 if a promise was broken.
    """
    if seed is not None and planted is not None:
        raise Misuse("--seed and --planted were both given: a planted bug says itself which seed shows it")
    if planted is not None:
        return _hunt(planted, steps, agents)
    return _explore(seeds, steps, agents) if seed is None else _replay(call, seed, steps, agents)


def _explore(n_seeds: int, n_steps: int, n_agents: int) -> Outcome:
    # The machines and their stores come along, which `--help` does without.
    from coordinator.simulation.campaign import explore

    with _told(n_seeds) as told:
        campaign = explore(range(n_seeds), n_steps=n_steps, n_agents=n_agents, told=told)
    parts: list[Part] = [
        Line(f"{n_seeds} seeds of {n_steps} steps with {n_agents} agents: {campaign.n_records} records in all"),
        Line(f"{campaign.n_violations} seeds break a promise", "red" if campaign.violations else "green"),
    ]
    for violation in campaign.violations[:3]:
        parts.append(Verbatim(violation.text() + "\n"))
        parts.append(Line(f"replay it with: scentfield simulate --seed {violation.seed} {_sizes(n_steps, n_agents)}"))
    return Outcome(campaign.document(), parts, exit_code=ExitCode.FAILED if campaign.violations else ExitCode.OK)


def _sizes(n_steps: int, n_agents: int) -> str:
    return f"--steps {n_steps} --agents {n_agents}"


def _replay(call: Invocation, seed: int, n_steps: int, n_agents: int) -> Outcome:
    # The same.
    from coordinator.simulation.disk import DiskRoom
    from coordinator.simulation.verdict import run_seed

    with DiskRoom() as room:
        run = run_seed(seed, n_steps=n_steps, n_agents=n_agents, room=room)
    violations = run.violations()
    document: dict[str, Any] = {
        "seeds": 1,
        "steps": n_steps,
        "violations": int(bool(violations)),
        "first_violation": violations[0].document() if violations else None,
        "seed": seed,
        "faults": list(run.plan.faults),
    }
    if call.flags.as_json:
        document["history"] = run.lines()
    history = Verbatim("".join(f"{line}\n" for line in run.lines()))
    parts = [history, *(Verbatim(f"{violation.text()}\n") for violation in violations)]
    return Outcome(document, parts, exit_code=ExitCode.FAILED if violations else ExitCode.OK)


def _hunt(name: str, n_steps: int, n_agents: int) -> Outcome:
    # The same.
    from coordinator.simulation.planted import chosen_bugs, hunt_all

    bugs = chosen_bugs(name)
    with _told(len(bugs)) as told:
        done: list[Caught] = []

        def one_more(caught: Caught) -> None:
            done.append(caught)
            told(len(done), sum(one.seed is None for one in done))

        found = hunt_all(bugs, n_steps=n_steps, n_agents=n_agents, told=one_more)
    rows = [(one.name, "-" if one.seed is None else one.seed, f"{one.seconds:.1f}", one.rule) for one in found]
    missed = [one for one in found if one.seed is None]
    return Outcome(
        {"planted": [one.document() for one in found]},
        [Grid(("planted bug", "found by seed", "seconds", "breaks"), rows)],
        exit_code=ExitCode.FAILED if missed else ExitCode.OK,
    )


@contextmanager
def _told(n_all: int) -> Iterator[Told]:
    """A bar that says how many seeds are broken."""
    with progress("simulate", n_all) as advance:
        yield lambda n_done, n_broken: advance(n_done, f"{n_broken} broken" if n_broken else "")
