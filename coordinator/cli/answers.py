"""`scentfield answers`: how good the agents' answers are, and what the feedback strategies achieved."""

from __future__ import annotations

from typing import Annotated

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Line, Outcome, plain


def show(call: Invocation) -> Outcome:
    """Show the rolling quality of answers, of all agents and of each, and what each strategy added to weak ones."""
    quality = call.agent.query(lambda core: core.answers.quality())
    # The report belongs to its domain and is needed by this command only.
    from actors.quality_store.answer_report import MARK, answer_lines, strategy_lines

    lines = [*answer_lines(quality), "", *strategy_lines(quality.counts)]
    return Outcome(plain(quality), [Line(line, "yellow" if MARK in line else "") for line in lines])


def reset(
    call: Invocation,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Forget it without being asked.")] = False,
) -> Outcome:
    """Forget the windows of answers and what was learned of strategies: the table holds again. The counts stay."""
    if not yes and not (call.is_interactive and typer.confirm("Forget what was learned of answers?", err=True)):
        raise Misuse("nothing was forgotten: give --yes to forget what was learned of answers")
    gone = call.agent.act(lambda core: core.answers.reset())
    if not any(gone):
        return Outcome(plain(gone), [Line("there was nothing to forget")])
    counts = (f"{n} {noun}{'s' * (n != 1)}" for n, noun in zip(gone, ("strategy outcome", "window"), strict=True))
    return Outcome(plain(gone), [Line(f"forgot {' and '.join(counts)}")])
