"""`scentfield facts`: what the agents of a project know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Line, Outcome, plain, times

if TYPE_CHECKING:
    from actors.memory.messages import Remembered

_DAY_S: Final = 86_400.0
FactId = Annotated[int, typer.Argument(help="The fact's number, as shown in brackets.", metavar="FACT")]
Confidence = Annotated[float, typer.Option(help="How sure it is, up to 1.", metavar="X")]
Found = Annotated[str, typer.Option("--path", help="Where it was found.", metavar="PATH")]


def recall(
    call: Invocation,
    text: Annotated[str, typer.Option(help="Words to look for.", metavar="TEXT")] = "",
    key: Annotated[str, typer.Option(help="The key, exactly.")] = "",
    category: Annotated[str, typer.Option(help="In this category alone.")] = "",
    limit: Annotated[int, typer.Option(help="How many facts.", metavar="N")] = 20,
) -> Outcome:
    """Show facts: those with a key, those that share words with a text, else the most salient.

    Example: scentfield facts recall --text "base url"

    From the shell facts are looked for by words; Python agents also look by meaning.
    """
    found = call.agent.query(lambda core: core.facts.recall(text, key=key, category=category, n=limit, by="words"))
    lines = [Line(line) for line in str(found).splitlines()] or [Line("nothing is known of that")]
    n_more = found.n_all - len(found)
    more = [Line(f"and {n_more} more (--limit)")] if n_more > 0 else []
    return Outcome(found.to_dict(), [*lines, *more])


def remember(
    call: Invocation,
    category: Annotated[str, typer.Argument(help="A label such as api or build.")],
    key: Annotated[str, typer.Argument(help="What it is about.")],
    value: Annotated[str, typer.Argument(help="One line of up to 1,000 characters.")],
    confidence: Confidence = 1.0,
    path: Found = "",
    days: Annotated[float, typer.Option(help="Forget it after so many days; 0: never.", metavar="DAYS")] = 0.0,
) -> Outcome:
    """Keep a fact; the same again confirms it, another value is kept beside it. Secrets are refused.

    Example: scentfield facts remember api base_url "is /v2 since March" --path src/api.py
    """
    from actors.memory.fact import FactDraft  # needed by this command only

    where = call.agent.target(path) if path else ""
    draft = FactDraft(category, key, value, confidence, where, days * _DAY_S)
    kept = call.agent.act(lambda core: core.facts.remember(draft))
    return Outcome(plain(kept), _kept_lines(kept))


def _kept_lines(kept: Remembered) -> list[Line]:
    what = "kept" if kept.is_new else f"confirmed, {times(kept.fact.n_confirmed)} in all"
    lines = [Line(f"[{kept.fact.fact_id}] {what}", "green")]
    return lines + [Line(f"in conflict with [{fact.fact_id}] {fact.line}", "yellow") for fact in kept.conflicts]


def confirm(call: Invocation, fact_id: FactId) -> Outcome:
    """Say that a fact still holds; one that expires does so as long after now as it did."""
    kept = call.agent.act(lambda core: core.facts.confirm(fact_id))
    return Outcome(plain(kept), _kept_lines(kept))


def contradict(
    call: Invocation,
    fact_id: FactId,
    value: Annotated[str, typer.Argument(help="What is so instead.")],
    confidence: Confidence = 1.0,
    path: Found = "",
) -> Outcome:
    """Say that a fact is otherwise: both are kept, and each recall shows the conflict, until one is forgotten."""
    where = call.agent.target(path) if path else ""
    kept = call.agent.act(lambda core: core.facts.contradict(fact_id, value, confidence, where))
    return Outcome(plain(kept), _kept_lines(kept))


def forget(
    call: Invocation, fact_ids: Annotated[list[int], typer.Argument(help="Their numbers.", metavar="FACT...")]
) -> Outcome:
    """Forget facts: all that are named, or none."""
    done = call.agent.act(lambda core: core.facts.forget(fact_ids))
    return Outcome({"n_forgotten": done.n}, [Line(f"forgot {done.n} fact{'s' * (done.n != 1)}", "green")])
