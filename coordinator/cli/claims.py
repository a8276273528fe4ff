"""The commands about claims: take them, give them back, hand them over, take them away, check them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part, span
from coordinator.cli.wording import in_options

if TYPE_CHECKING:
    from actors.scent_field.messages import Granted, Held, Released

Targets = Annotated[
    list[str], typer.Argument(help="Files, folders (src/), globs ('src/**/*.py') or labels (task:login).")
]


def claim(
    call: Invocation,
    targets: Targets,
    shared: Annotated[bool, typer.Option("--shared", help="Others may share it, nobody may have it alone.")] = False,
    wait: Annotated[float, typer.Option(help="Queue up for so many seconds, 600 at most.", metavar="SECONDS")] = 0.0,
    intent: Annotated[str, typer.Option(help="What for; others see it.", metavar="TEXT")] = "",
    any_of: Annotated[bool, typer.Option("--any", help="Only the first of them that is free.")] = False,
) -> Outcome:
    """Claim targets: all of them, or none.

    Example: scentfield claim src/api.py --intent "fix the parser" --wait 60

    Claiming again renews. Exit code 3: somebody else holds it, and you are told who.
    """
    agent = call.agent
    named = agent.targets(targets)
    answer = agent.act(lambda core: core.claim(named, shared=shared, wait_s=wait, intent=intent, any_of=any_of))
    return claim_outcome(answer, agent.agent_id, agent.act(lambda core: core.close_to(answer, intent)))


def claim_outcome(answer: Granted | Held, agent_id: str, close_work: Sequence[str] = ()) -> Outcome:
    """A grant or a refusal, for programs and people; the documents are those of the Python client."""
    # The messages come with the client, which `--help` does without.
    from actors.scent_field.messages import Held

    if isinstance(answer, Held):
        conflicts = [one._asdict() for one in answer.conflicts]
        next_step = in_options(answer.next_step)
        refused = {
            "granted": False,
            **answer._asdict(),
            "conflicts": conflicts,
            "next_step": next_step,
            "agent": agent_id,
        }
        return Outcome(refused, _refusal(answer), exit_code=ExitCode.HELD)
    signals = [one._asdict() for one in answer.signals]
    told = {"signals": signals, "close_work": list(close_work), "agent": agent_id}
    return Outcome(
        {"granted": True, **answer._asdict(), **told}, _grant(answer, agent_id), notes=[*answer.warnings, *close_work]
    )


def _grant(granted: Granted, agent_id: str) -> list[Part]:
    verb = "renewed" if granted.renewed else "granted"
    who = f" to {agent_id}" if agent_id else ""
    where = f" in space {granted.space}" if granted.space else ""
    lines: list[Part] = [
        Line(f"{verb}{who}{where}: {', '.join(granted.targets)}", "green"),
        Line(f"generation {granted.generation}; ends in {span(granted.expires_in_s)} unless it is renewed or used"),
    ]
    if granted.signals:
        rows = [(one.kind, one.target, one.agent, span(one.age_s), f"{one.intensity:.2f}") for one in granted.signals]
        lines.append(Grid(("signal", "target", "left by", "ago", "strength"), rows))
    return lines


def _refusal(held: Held) -> list[Part]:
    rows = [
        (
            one.target,
            f"waits: {one.holder}" if one.waiting else one.holder,
            one.held_target,
            span(one.age_s),
            span(one.last_progress_s),
            "" if one.waiting else span(one.expires_in_s),
            one.intent,
        )
        for one in held.conflicts
    ]
    more = f", and {held.n_more} more" if held.n_more else ""
    ring = [Line(f"waiting would close a ring: {' -> '.join(held.cycle)}", "red")] if held.cycle else []
    return [
        Line(f"not granted ({held.reason}){more}", "red"),
        Grid(("target", "holder", "holds", "since", "last progress", "ends in, if silent", "intent"), rows),
        *ring,
        Line(f"next: {in_options(held.next_step)}"),
    ]


def release(
    call: Invocation,
    targets: Annotated[list[str] | None, typer.Argument(help="What to give back.")] = None,
    generation: Annotated[int, typer.Option(help="Give back the whole claim of this number.", metavar="N")] = 0,
    done: Annotated[bool, typer.Option("--done", help="Leave a DONE signal: this work is finished.")] = False,
) -> Outcome:
    """Give targets back.

    Example: scentfield release src/api.py --done

    Exit code 3: something was not released, and you are told why.
    """
    if not targets and not generation:
        raise Misuse("nothing was named to release: name targets, or a claim with --generation")
    agent = call.agent
    named = agent.targets(targets or [])
    answer = agent.act(lambda core: core.release(named, generation=generation, done=done))
    return released_outcome(answer)


def released_outcome(released: Released) -> Outcome:
    """What was released and what was not."""
    n = released.n_released
    not_released = [{**one._asdict(), "why": in_options(one.why)} for one in released.not_released]
    document = {"n_released": n, "not_released": not_released}
    parts: list[Part] = [Line(f"{n} target{'' if n == 1 else 's'} released", "green" if n else "")]
    if released.not_released:
        parts.append(Grid(("not released", "why"), [(one["target"], one["why"]) for one in not_released]))
    return Outcome(document, parts, exit_code=ExitCode.HELD if released.not_released else ExitCode.OK)


def transfer(
    call: Invocation,
    generation: Annotated[int, typer.Argument(help="The claim's generation, as `claim` and `sync` print it.")],
    to: Annotated[str, typer.Argument(help="The receiver: name#incarnation, or a name that one agent has.")],
    note: Annotated[str, typer.Option(help="What the receiver should know.", metavar="TEXT")] = "",
) -> Outcome:
    """Hand a claim over to another agent.

    Example: scentfield transfer 17 bob --note "tests still missing"
    """
    agent = call.agent
    receiver = to if "#" in to else _one_of_that_name(call, to)
    return claim_outcome(agent.act(lambda core: core.transfer(generation, receiver, note)), receiver)


def _one_of_that_name(call: Invocation, name: str) -> str:
    sessions = call.agent.query(lambda core: core.sessions(1_000))
    alike = [row.session_id for row in sessions.rows if row.session_id.rpartition("#")[0] == name]
    if len(alike) == 1:
        return alike[0]
    found = f"{len(alike)} agents are" if alike else "no agent is"
    raise Misuse(f"{found} named {name!r}: name one as name#incarnation, `scentfield sessions` lists them")


def force_release(
    call: Invocation,
    target: Annotated[str, typer.Argument(help="What to take away.")],
    reason: Annotated[str, typer.Option(help="Why; it stays in the audit.", metavar="TEXT")],
    even_if_alive: Annotated[bool, typer.Option("--even-if-alive", help="Also from a holder that is alive.")] = False,
) -> Outcome:
    """Take a target away from whoever holds it; leaves an audit line.

    Example: scentfield force-release src/api.py --reason "its agent was shut down"
    """
    agent = call.agent
    named = agent.target(target)
    return released_outcome(
        agent.act(lambda core: core.force_release(named, reason=reason, even_if_alive=even_if_alive))
    )


def check(
    call: Invocation,
    path: Annotated[str, typer.Argument(help="The path to ask about.")],
    generation: Annotated[
        int, typer.Option(help="Your claim's number; without it, ask who holds the path.", metavar="N")
    ] = 0,
) -> Outcome:
    """Ask whether a claim still covers a path, or who holds it.

    Example: scentfield check src/api.py --generation 17

    Exit code 3: with --generation that claim does not cover it; without, somebody else holds it.
    """
    agent = call.agent
    named = agent.target(path)
    checked = agent.act(lambda core: core.check(named, generation))
    is_foreign = bool(checked.holder) and checked.holder != agent.agent_id
    is_refused = not checked.holds if generation else is_foreign
    held_by = f"{checked.holder} holds {named} since {span(checked.age_s)}, generation {checked.holder_generation}"
    text = f"generation {generation} covers {named}" if checked.holds else (checked.why if generation else held_by)
    if not generation and not checked.holder:
        text = f"nobody holds {named}"
    return Outcome(
        {"path": named, **checked._asdict(), "agent": agent.agent_id},
        [Line(text, "red" if is_refused else "green"), Line(f"strictness: {checked.strictness}")],
        exit_code=ExitCode.HELD if is_refused else ExitCode.OK,
    )
