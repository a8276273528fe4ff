"""`scentfield status`: the actors, who is alive, and what is claimed in this space."""

from __future__ import annotations

from typing import Annotated, Any, Final

import typer

from actors.runtime.errors import ScentfieldError, Unavailable
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part, plain, span

_DESCRIBE_S: Final = 10.0
_MAX_NAMED: Final = 10
_MAX_ROWS: Final = 1_000


def status(
    call: Invocation,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Also how edits and reads went.")] = False,
) -> Outcome:
    """Show how the coordinator is: its actors, agents and claims.

    Exit code 4: it does not run, or an actor does not serve.
    """
    agent = call.agent
    accounts = {name: _account(call, name) for name in _domains()}
    counts = agent.query(lambda core: core.field_counts())
    view = agent.query(lambda core: core.sync(_MAX_ROWS))
    listed = agent.query(lambda core: core.sessions(_MAX_NAMED))
    claims = [row for row in view.rows if row.kind == "CLAIMED"][:_MAX_NAMED]
    document: dict[str, Any] = {
        "namespace": call.settings.namespace,
        "address": call.house.address(call.settings),
        "space": agent.workspace.space,
        "strictness": view.strictness,
        "n_claims": view.n_claims,
        "n_waiters": view.n_waiters,
        "claims": [row._asdict() for row in claims],
        "n_agents": listed.n_live,
        "agents": [row._asdict() for row in listed.rows],
        "gauges": {one.name: one.value for one in counts.gauges},
        "counters": {one.name: one.value for one in counts.counters},
        "actors": accounts,
        "gateway": _gateway(call),
    }
    parts = [*_status_parts(document), *_claim_parts(document), *_agent_parts(document)]
    if verbose:
        gauges = ", ".join(f"{name} {value}" for name, value in document["gauges"].items())
        parts.append(Line(f"over all spaces: {gauges}"))
        document |= _learned(call, parts, document["counters"])
    is_well = "not_told" not in document and all(account["trouble"] is None for account in accounts.values())
    return Outcome(document, parts, exit_code=ExitCode.OK if is_well else ExitCode.UNAVAILABLE)


def _domains() -> list[str]:
    # The schemas of all domains are slow to build, and `--help` does without.
    from coordinator.domain import DOMAINS

    return list(DOMAINS)


def _account(call: Invocation, domain: str) -> dict[str, Any]:
    """What an actor says of itself; one that does not answer is in trouble."""
    try:
        return call.agent.transport.describe(domain, _DESCRIBE_S)
    except Unavailable as error:
        return {"domain": domain, "trouble": [error.code, error.message]}


def _gateway(call: Invocation) -> dict[str, Any] | None:
    """Where the gateway serves, or what keeps it from that; None if there is none."""
    if not call.settings.gateway.enabled:
        return None
    # The schemas of all domains are slow to build, and `--help` does without.
    from coordinator.domain import GATEWAY

    try:
        account = call.agent.transport.describe(GATEWAY, _DESCRIBE_S)
    except Unavailable:
        return None
    return {"url": account["url"], "trouble": account["trouble"]}


def _status_parts(document: dict[str, Any]) -> list[Part]:
    rows = [
        (
            name,
            "serving" if account["trouble"] is None else account["trouble"][1],
            span(account.get("uptime_s", 0.0)),
            account.get("pid", ""),
            account.get("seq", ""),
            account.get("n_queued", ""),
        )
        for name, account in document["actors"].items()
    ]
    return [
        Line(f"coordinator {document['namespace']} at {document['address']}"),
        Grid(("actor", "state", "up for", "process", "commits", "queued"), rows),
        Line(
            f"space {document['space']}: {document['n_claims']} claimed, {document['n_waiters']} waiting, "
            f"strictness {document['strictness']}"
        ),
        *_gateway_parts(document["gateway"]),
    ]


def _gateway_parts(gateway: dict[str, Any] | None) -> list[Part]:
    return [] if gateway is None else [Line(f"gateway: {gateway['url'] or gateway['trouble']}")]


def _claim_parts(document: dict[str, Any]) -> list[Part]:
    """The strongest claims of this space."""
    rows = [
        (one["target"], ", ".join(one["agents"]), span(one["age_s"]), one["generation"], one["intent"])
        for one in document["claims"]
    ]
    return [Grid(("claimed", "by", "since", "generation", "intent"), rows)] if rows else []


def _agent_parts(document: dict[str, Any]) -> list[Part]:
    """Who is alive, in all spaces."""
    agents, n_agents = document["agents"], document["n_agents"]
    if not agents:
        return [Line("no agent is alive")]
    rows = [(one["session_id"], one["kept_by"], span(one["age_s"]), span(one["expires_in_s"])) for one in agents]
    grid = Grid(("agent", "kept by", "since", "ends in, if silent"), rows)
    n_more = n_agents - len(agents)
    return [grid, Line(f"and {n_more} more agents (`scentfield sessions`)")] if n_more > 0 else [grid]


def _learned(call: Invocation, parts: list[Part], counters: dict[str, int]) -> dict[str, Any]:
    """How edits and reads went and what was learned, or why that cannot be told: then `not_told` says it."""
    try:
        return _sections(call, parts, counters)
    except ScentfieldError as error:
        parts.append(Line(f"how edits and reads went cannot be told: {error.message}"))
        return {"not_told": error.message}


def _sections(call: Invocation, parts: list[Part], counters: dict[str, int]) -> dict[str, Any]:
    """Sections for people, and the same for programs."""
    # The reports belong to their domains; they are needed by -v only.
    from coordinator.cli.embedding import model_status  # it takes `plain` from here
    from coordinator.efficacy.told import efficacy
    from coordinator.embedding.report import status_lines

    told = call.agent.query(efficacy)
    model = model_status(call)
    for section in (*told.sections(counters), status_lines(model, call.settings.model.model)):
        parts += [Line(""), *(Line(line) for line in section)]
    return {**{name: plain(one) for name, one in told.document().items()}, "embedding": plain(model)}
