"""`scentfield playbook`: what an agent, or all agents of a project, found worth keeping."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Line, Outcome, Verbatim, plain, times

if TYPE_CHECKING:
    from actors.memory.messages import Added

Scope = Annotated[str, typer.Option(help="session: your own; project: that of all agents here.", metavar="SCOPE")]
EntryId = Annotated[int, typer.Argument(help="The entry's number, as shown in brackets.", metavar="ENTRY")]


def show(call: Invocation, scope: Scope = "session") -> Outcome:
    """Show the entries, one line each, in the order of their numbers.

    Entries of the project that were shown to you age with your checkpoints.
    """
    from actors.memory.report import playbook_text  # needed by the commands of this group only

    view = call.agent.act(lambda core: core.playbook.view(scope))
    text = playbook_text(view.entries)
    return Outcome(plain(view), [Verbatim(text)] if text else [Line(f"nothing was kept yet in the {scope}'s playbook")])


def add(
    call: Invocation,
    kind: Annotated[str, typer.Argument(help="Strategy, Pitfall, Fact or FileRef.")],
    content: Annotated[str, typer.Argument(help="One line of up to 200 characters; it is never rewritten.")],
    about: Annotated[str, typer.Option(help="The path or name that it concerns.")] = "",
    scope: Scope = "session",
) -> Outcome:
    """Keep an entry; one that says the same is confirmed instead.

    Example: scentfield playbook add Pitfall "generated, edit the template" --about src/gen.py
    """
    added = call.agent.act(lambda core: core.playbook.add(kind, content, about, scope))
    return Outcome(plain(added), _added_lines(added))


def _added_lines(added: Added) -> list[Line]:
    lines = [Line(f"[{added.entry_id}] {'kept' if added.is_new else 'was there already, and is confirmed'}", "green")]
    if added.evicted:
        gone = ", ".join(f"[{one.entry_id}]" for one in added.evicted)
        lines.append(Line(f"{gone} had to make room: {added.n_entries} entries are kept"))
    return lines


def confirm(call: Invocation, entry_id: EntryId, scope: Scope = "session") -> Outcome:
    """Say that an entry still holds; what nobody confirms for 50 turns is forgotten."""
    entry = call.agent.act(lambda core: core.playbook.confirm(entry_id, scope)).entry
    return Outcome(plain(entry), [Line(f"[{entry_id}] confirmed, {times(entry.n_confirmed)} in all", "green")])


def vote(
    call: Invocation,
    entry_id: EntryId,
    verdict: Annotated[str, typer.Argument(help="helpful or harmful.")],
    scope: Scope = "session",
) -> Outcome:
    """Say whether an entry helped; what harmed more often than it helped goes at the next checkpoint."""
    if verdict not in ("helpful", "harmful"):
        raise Misuse(f"{verdict!r} is no verdict: give helpful or harmful")
    entry = call.agent.act(lambda core: core.playbook.vote(entry_id, verdict == "helpful", scope)).entry
    return Outcome(plain(entry), [Line(f"[{entry_id}] {entry.n_helpful} helpful, {entry.n_harmful} harmful", "green")])


def evict(call: Invocation, entry_id: EntryId, scope: Scope = "session") -> Outcome:
    """Remove an entry. Its number is not used again."""
    gone = call.agent.act(lambda core: core.playbook.evict(entry_id, scope))
    return Outcome(plain(gone), [Line(f"[{entry_id}] removed", "green")])


def checkpoint(call: Invocation) -> Outcome:
    """Let a turn pass: what you were shown is older, and what is due goes. Then show your own entries.

    What a session did since its last checkpoint is known to Python agents only; from the shell nothing is added.
    """
    taken = call.agent.act(lambda core: core.playbook.checkpoint([]))
    gone = [*taken.session.evicted, *taken.project.evicted]
    lines = [Line(f"[{one.entry_id}] went: {one.reason}", "yellow") for one in gone]
    return Outcome(taken.to_dict(), [Verbatim(taken.text), *lines, Line(f"turn {taken.session.turn}")])


def resume(
    call: Invocation, from_agent: Annotated[str, typer.Argument(help="The earlier session, name#number.")]
) -> Outcome:
    """Go on with the playbook of an earlier session, and show it.

    Example: scentfield playbook resume ann#1 --agent ann
    """
    text = call.agent.act(lambda core: core.playbook.resume(from_agent))
    return Outcome({"from": from_agent, "text": text}, [Verbatim(text)])
