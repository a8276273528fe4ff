"""`scentfield top`: the terminal view that people leave open."""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import Misuse, Unavailable
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from coordinator.top.scout import Scout
    from coordinator.top.sight import Lookout
    from coordinator.top.table import Table

_ANSWER_S: Final = 2.0
_NO_GATEWAY: Final = "no gateway answers for this state folder and namespace; `scentfield up` starts one. Elsewhere"


def top(
    call: Invocation,
    url: Annotated[str, typer.Option(help="A gateway; else the one that `up` started.", metavar="URL")] = "",
    interval: Annotated[float, typer.Option(help="Seconds between two looks.", metavar="S", min=0.5, max=60.0)] = 2.0,
    once: Annotated[bool, typer.Option("--once", help="Look once, and print it.")] = False,
) -> Outcome:
    """Watch agents, claims, signals, rates and efficacy in the terminal; `?` shows the keys.

    It asks the gateway, without Ray, and goes on when the coordinator comes back after a restart. In a pipe, with
    --json or --once it looks once. Needs the extra `top`: pip install 'scentfield[top]'
    """
    # The client comes with the schemas of all domains, and `--help` does without.
    from coordinator.http_transport import HttpTransport, token_for
    from coordinator.top.scout import Scout

    if url:
        HttpTransport(url, token_for(url, call.settings.state_dir))  # a URL that is none is wrong for ever: say so now
    scout = Scout(lambda: _lookout(call, url), time.monotonic)
    scout.look()
    if scout.sight is None:
        raise Unavailable(scout.problem)
    if once or call.flags.as_json or not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        return _once(call, scout)
    _app_class()(scout, about=_about(call), interval_s=interval).run()
    raise typer.Exit(0)


def _about(call: Invocation) -> str:
    return f"{call.settings.namespace} / {call.agent.workspace.space}"


def _lookout(call: Invocation, url: str) -> Lookout:
    """The way to the coordinator, as it is now. Raises `Unavailable` without a gateway that answers."""
    from coordinator.cli.near_gateway import near_gateway  # with the client, as above
    from coordinator.core import Core, Identity
    from coordinator.http_transport import HttpTransport, token_for
    from coordinator.top.sight import Lookout

    settings = call.settings.model_copy(update={"call_timeout_s": _ANSWER_S})
    if url:
        transport: HttpTransport | None = HttpTransport(url, token_for(url, settings.state_dir))
    else:
        transport = near_gateway(settings)
    if transport is None:
        named = settings.address or os.environ.get("RAY_ADDRESS")
        why = f"the cluster {named} was named, whose gateway is not looked for" if named else _NO_GATEWAY
        raise Unavailable(f"{why}: name a gateway with --url http://host:port")
    return Lookout(
        Core(settings, call.agent.workspace, transport, Identity("", "", "decay")), transport, time.monotonic
    )


def _app_class() -> Any:
    """The screen. Raises `Misuse` without the library for it."""
    try:
        from coordinator.top.app import TopApp  # its library is an extra
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "textual":
            raise
        raise Misuse(
            "the screen needs a library that is not there: pip install 'scentfield[top]', or use --once"
        ) from error
    return TopApp


def _once(call: Invocation, scout: Scout) -> Outcome:
    # With the client, as above.
    from coordinator.top import table

    sight = scout.sight
    assert sight is not None  # it was just seen
    document = {
        "namespace": call.settings.namespace,
        "space": call.agent.workspace.space,
        "claims": [plain(row) for row in sight.claims],
        "signals": [plain(row) for row in sight.signals],
        "agents": [plain(row) for row in sight.agents],
        "n_claims": sight.view.n_claims if sight.view else None,
        "n_waiters": sight.view.n_waiters if sight.view else None,
        "n_agents": sight.sessions.n_live if sight.sessions else None,
        "counters": sight.counters,
        "actors": sight.accounts,
        "problems": sight.problems,
        "efficacy": scout.efficacy,
    }
    tables = (table.claims_table, table.signals_table, table.agents_table, table.actors_table)
    return Outcome(document, _parts([make(sight) for make in tables], scout.efficacy))


def _parts(tables: Sequence[Table], efficacy: Sequence[Sequence[str]]) -> list[Part]:
    parts: list[Part] = []
    for one in tables:
        if one.rows:
            parts.append(Grid(one.columns, [cells for _, cells in one.rows]))
            parts += [Line(f"and {one.n_more} more")] if one.n_more else []
            parts.append(Line(""))
    return [*parts, *(Line(line) for section in efficacy for line in (*section, ""))]
