"""The commands about the field as a whole: signals, who is there, how strict it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part, span

if TYPE_CHECKING:
    from actors.scent_field.messages import Change, FieldRow, FieldView

STRICTNESSES: Final = ("observe", "warn", "deny")
_WATCH_S: Final = 25.0


def deposit(
    call: Invocation,
    target: Annotated[str, typer.Argument(help="A file, folder, glob or label.")],
    kind: Annotated[str, typer.Argument(help="HOT, STUCK, DONE or AVOID.")],
    intensity: Annotated[float, typer.Option(help="How strong, up to 3.", metavar="X")] = 1.0,
) -> Outcome:
    """Leave a signal for the others; it fades by itself.

    Example: scentfield deposit src/legacy/ AVOID
    """
    agent = call.agent
    named, wanted = agent.target(target), kind.upper()
    now = agent.act(lambda core: core.deposit(named, wanted, intensity)).intensity
    return Outcome(
        {"target": named, "kind": wanted, "intensity": now}, [Line(f"{wanted} on {named}: {now:.2f} now", "green")]
    )


def sync(
    call: Invocation,
    limit: Annotated[int, typer.Option(help="How many rows.", metavar="N")] = 15,
    watch: Annotated[bool, typer.Option("--watch", help="Then print changes as they happen, until Ctrl-C.")] = False,
) -> Outcome:
    """Show the field: who works where, and the strongest signals.

    Example: scentfield sync --watch

    With --watch, --json prints one document a line: the field, then each change.
    """
    if watch:
        # Ctrl-C is how a watch ends, at whatever moment it comes: also while this still connects.
        with suppress(KeyboardInterrupt):
            _watch(call, limit)
        raise typer.Exit(0)
    view = _view(call, limit)
    return Outcome(field_document(view), _field_parts(view))


def _view(call: Invocation, limit: int) -> FieldView:
    return call.agent.query(lambda core: core.sync(limit))


def _watch(call: Invocation, limit: int) -> None:
    """Show the field, then each change, without end."""
    view = _view(call, limit)
    call.screen.show(Outcome(field_document(view), _field_parts(view)))
    for change in _changes(call, view.version):
        call.screen.show(Outcome(change._asdict(), [Line(_told(change))]))


def field_document(view: FieldView) -> dict[str, Any]:
    """The field for programs."""
    return {**view._asdict(), "rows": [row._asdict() for row in view.rows]}


def _field_parts(view: FieldView) -> list[Part]:
    summary = f"{view.n_claims} claimed, {view.n_waiters} waiting, strictness {view.strictness}"
    parts: list[Part] = [Grid(("kind", "target", "strength", "agents", "since", "generation", "about"), _rows(view))]
    if not view.rows:
        parts = [Line("nobody is at work here, and nothing was left")]
    left_out = f"; {view.n_left_out} rows left out (--limit)" if view.n_left_out else ""
    return [*parts, Line(summary + left_out)]


def _rows(view: FieldView) -> list[tuple[object, ...]]:
    return [
        (
            row.kind,
            row.target,
            f"{row.intensity:.2f}",
            ", ".join(row.agents),
            span(row.age_s),
            row.generation or "",
            _about(row),
        )
        for row in view.rows
    ]


def _about(row: FieldRow) -> str:
    idle = f"idle for {span(row.idle_s)}" if row.idle_s >= 60.0 else ""
    return "; ".join(part for part in (row.intent, idle) if part)


def _changes(call: Invocation, version: int) -> Iterator[Change]:
    """All changes after a version, as they happen; what was missed is said."""
    while True:
        at = version
        changes = call.agent.query(lambda core: core.watch(at, _WATCH_S))  # noqa: B023  # called before `at` moves on
        if changes.resync:
            call.screen.note("some changes were missed: `scentfield sync` shows the field as it is now")
        yield from changes.changes
        version = changes.version


def _told(change: Change) -> str:
    detail = f" ({change.detail})" if change.detail else ""
    return f"{change.what:<8} {change.target}  {change.agent}{detail}"


def sessions(
    call: Invocation, limit: Annotated[int, typer.Option(help="How many rows.", metavar="N")] = 100
) -> Outcome:
    """List the agents that are alive."""
    listed = call.agent.query(lambda core: core.sessions(limit))
    rows = [(row.session_id, row.parent, row.kept_by, span(row.age_s), span(row.expires_in_s)) for row in listed.rows]
    return Outcome(
        {"sessions": [row._asdict() for row in listed.rows], "n_live": listed.n_live},
        [
            Grid(("agent", "child of", "kept by", "since", "ends in, if silent"), rows),
            Line(f"{len(rows)} of {listed.n_live}"),
        ],
    )


def strictness(
    call: Invocation,
    mode: Annotated[str | None, typer.Argument(help="observe, warn or deny; without it, show what is set.")] = None,
) -> Outcome:
    """Say what happens to an edit of a file that somebody else holds.

    observe records it, warn says so, deny refuses it. Example: scentfield strictness warn
    """
    agent = call.agent
    if mode is not None:
        if mode not in STRICTNESSES:
            raise Misuse(f"strictness {mode!r} is not one of {', '.join(STRICTNESSES)}: take one of these")
        agent.act(lambda core: core.set_strictness(mode))
    now = agent.query(lambda core: core.sync(1)).strictness
    space = agent.workspace.space
    return Outcome({"space": space, "strictness": now}, [Line(f"strictness of {space}: {now}")])


def audit(call: Invocation) -> Outcome:
    """List who took which claim away from whom, and why."""
    lines = call.agent.query(lambda core: core.audit()).lines
    rows = [
        (one.target, one.from_session, "alive" if one.was_alive else "gone", one.by, one.generation, one.reason)
        for one in lines
    ]
    shown: Part = Grid(("target", "from", "which was", "by", "generation", "reason"), rows)
    return Outcome(
        {"lines": [one._asdict() for one in lines]}, [shown] if rows else [Line("nothing was ever taken away here")]
    )
