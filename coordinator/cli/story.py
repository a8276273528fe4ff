"""`scentfield story`: what happened to a target, an agent or a learned layer, and because of what."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import Misuse
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part
from coordinator.cli.since import parse_since

if TYPE_CHECKING:
    from coordinator.story.chapter import Horizon
    from coordinator.story.fact import Fact
    from coordinator.story.subject import Subject
    from coordinator.story.telling import Story

_KINDS: Final = ("target", "agent", "layer")
_N_SHOWN: Final = 2


def story(
    call: Invocation,
    about: Annotated[
        str,
        typer.Argument(help="A file, folder, glob or label; an agent, ann#3; all of a name, ann#; with --as a layer."),
    ],
    since: Annotated[
        str | None, typer.Option(help="Only what happened since: 90s, 15m, 2h, 3d, or a time.", metavar="WHEN")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many facts, the newest ones.", metavar="N")] = 200,
    kind: Annotated[
        str | None,
        typer.Option("--as", help="target, agent or layer, where the name could be several.", metavar="KIND"),
    ] = None,
) -> Outcome:
    """Tell what happened to a target or an agent, in order, each fact with those that it follows from.

    Examples: scentfield story src/api.py --since 2h, scentfield story ann#3, scentfield story lessons --as layer

    It is read from the stores' journals, whether or not the coordinator runs; nothing is changed. A journal reaches
    back to its last compaction, which is said.
    """
    # Databases are slow to import, and `--help` does without.
    from coordinator.cli.places import open_places
    from coordinator.story.telling import tell

    since_utc_s = 0.0 if since is None else parse_since(since, time.time())
    subject = _subject(call, about, kind)
    with open_places(call.settings) as places:
        told = tell(places, subject, limit=limit, since_utc_s=since_utc_s)
    return Outcome(_document(told), [_table(told), *map(Line, _remarks(told))] if told.facts else _nothing(told))


def _subject(call: Invocation, about: str, kind: str | None) -> Subject:
    from coordinator.story.subject import (  # brings the targets' grammar
        AgentSubject,
        LayerSubject,
        TargetSubject,
        names_an_agent,
    )

    if kind is not None and kind not in _KINDS:
        raise Misuse(f"--as {kind[:40]!r} is none of {', '.join(_KINDS)}: take one of these")
    if kind == "layer":
        return LayerSubject(about)
    if kind == "agent" or (kind is None and names_an_agent(about)):
        return AgentSubject(about)
    agent = call.agent
    return TargetSubject(agent.workspace.space, agent.target(about))


def _document(told: Story) -> dict[str, Any]:
    return {
        "about": {"kind": told.subject.kind, "key": told.subject.key},
        "facts": [fact._asdict() for fact in told.facts],
        "n_left_out": told.n_left_out,
        "horizons": [one._asdict() for one in told.horizons],
    }


def _table(told: Story) -> Grid:
    rows = [
        (fact.ref, _when(fact.at_utc_s), fact.agent, fact.what, _where(fact), fact.detail, " ".join(fact.causes))
        for fact in told.facts
    ]
    return Grid(("fact", "when (UTC)", "agent", "what", "where", "how", "because of"), rows)


def _when(utc_s: float) -> str:
    return datetime.fromtimestamp(utc_s, UTC).strftime("%m-%d %H:%M:%S") if utc_s else "before"


def _where(fact: Fact) -> str:
    shown = ", ".join(fact.targets[:_N_SHOWN])
    return f"{shown} and {fact.n_targets - _N_SHOWN} more" if fact.n_targets > _N_SHOWN else shown


def _nothing(told: Story) -> list[Part]:
    line = f"nothing is known to have happened to {told.subject.key}"
    return [Line(line), *map(Line, _remarks(told))]


def _remarks(told: Story) -> list[str]:
    """How far the story reaches."""
    left_out = [f"{told.n_left_out} earlier facts left out (--limit)"] if told.n_left_out else []
    return left_out + [_reach(one) for one in told.horizons]


def _reach(horizon: Horizon) -> str:
    n_rows = horizon.last_row - horizon.folded_through
    since = "" if horizon.since_utc_s is None else f" since {_when(horizon.since_utc_s)}"
    if not horizon.folded_through:
        return f"{horizon.domain}: all of its {n_rows} commits{since}"
    gone = f"{horizon.folded_through} earlier ones are folded into its snapshot, and what happened in them is gone"
    return f"{horizon.domain}: {n_rows} commits{since}; {gone}"
