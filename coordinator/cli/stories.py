"""The commands that show and measure: the demo and the benches. Both print what they find themselves."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Line, Outcome

# The demo stands on the coordinator, so the coordinator must not import it: its name is looked up when it is asked for.
_DEMO: Final = "agents_demo.demo"


def demo(
    call: Invocation,
    agents: Annotated[int | None, typer.Option(help="How many agents, each a process.", metavar="N")] = None,
    tasks: Annotated[int | None, typer.Option(help="How many tasks at most.", metavar="N")] = None,
    seconds: Annotated[float | None, typer.Option(help="A time limit for each column.", metavar="SECONDS")] = None,
    think_ms: Annotated[
        float | None, typer.Option(help="What a decision takes, in place of a model.", metavar="MS")
    ] = None,
    reread: Annotated[
        bool, typer.Option("--reread", help="Agents without coordination read again just before they write.")
    ] = False,
    learn: Annotated[
        bool, typer.Option("--learn", help="Rounds instead of columns: what is learned, and whether it pays.")
    ] = False,
    lessons: Annotated[
        bool, typer.Option("--lessons", help="Two agents in sequence, the second with and without the first's lessons.")
    ] = False,
    rounds: Annotated[int | None, typer.Option(help="How many rounds, with --learn or --lessons.", metavar="N")] = None,
    keep: Annotated[Path | None, typer.Option(help="Leave the trees in this folder.", metavar="DIR")] = None,
    print_job_command: Annotated[
        bool, typer.Option("--print-job-command", help="Print how to run this as a Ray job, and do nothing else.")
    ] = False,
) -> Outcome:
    """Show agents at work on a real source tree: without coordination, split by number, and with Scentfield.

    With --learn: what is learned over several rounds, beside the same rounds with learning switched off.
    With --lessons: what a second agent gains from the playbook of a first one.
    It has a coordinator of its own, on the cluster that runs or else on one of its own, and leaves nothing in yours.

    Example: scentfield demo --agents 4 --seconds 20
    """
    story: Any = importlib.import_module(_DEMO)
    asked = story.Request(agents, tasks, seconds, think_ms, rounds, rereads=reread, learns=learn, lessons=lessons)
    if print_job_command:
        command = story.job_command(call.settings, asked.arguments())
        return Outcome({"command": command}, [Line(command)])
    story.perform_request(asked, as_json=call.flags.as_json, keep=keep, settings=call.settings)
    raise typer.Exit(0)


def bench(
    call: Invocation,
    name: Annotated[
        str, typer.Argument(help="claims, field, embedding, hotpath, mcp, memory, reading, retrieval or feedback.")
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Measure little, to see that it runs.")] = False,
    docs: Annotated[
        Path | None,
        typer.Option(
            help="Documentation whose FAQ and glossary to ask, with retrieval or feedback: how well that goes.",
            metavar="DIR",
            exists=True,
            file_okay=False,
        ),
    ] = None,
) -> Outcome:
    """Measure this machine, each number beside a reference in the same run.

    Example: scentfield bench claims --json
    """
    # It brings Rich and the client along, which other commands do without.
    from coordinator.bench.report import run_bench

    run_bench(name, json=call.flags.as_json, quick=quick, docs=docs)
    raise typer.Exit(0)
