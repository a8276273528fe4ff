"""`scentfield wakeup`: what a session is given to begin with."""

from __future__ import annotations

from typing import Annotated

import typer

from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Line, Outcome, Verbatim


def wakeup(
    call: Invocation,
    task: Annotated[str, typer.Argument(help="What the session is about to do; it becomes the last line.")] = "",
    profile: Annotated[str, typer.Option(help="The kind of client: claude, gpt, gemini, default.")] = "default",
    max_tokens: Annotated[int | None, typer.Option(help="A cap other than the profile's.", metavar="N")] = None,
    category: Annotated[str, typer.Option(help="Facts of this category alone.")] = "",
) -> Outcome:
    """Print what a session of this project begins with: facts by topic, the most salient first, and the task.

    Example: scentfield wakeup "fix the login page" --profile claude --max-tokens 600

    What a shell's agent recalls later is not scored: that takes one process, such as a Python agent.
    """
    made = call.agent.act(lambda core: core.waking.wakeup(task, profile, max_tokens, category))
    parts = [Verbatim(made.text)] if made.text else [Line("nothing is known here yet")]
    return Outcome(made.to_dict(), parts, notes=[made.note] if made.note else [])
