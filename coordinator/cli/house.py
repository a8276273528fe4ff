"""The commands about the coordinator itself: start it, stop it, look at it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from actors.runtime.errors import ScentfieldError, Unavailable
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part, Verbatim, span

if TYPE_CHECKING:
    from actors.quality_store.messages import Statistics
    from actors.sessions.messages import SessionList

_DESCRIBE_S = 10.0


def up(
    call: Invocation,
    num_cpus: Annotated[
        int | None, typer.Option(help="Processors for Ray's head; all of them if not given.", metavar="N", min=1)
    ] = None,
) -> Outcome:
    """Start the coordinator, or what is missing of it. Safe to repeat.

    Without --address or RAY_ADDRESS it starts a Ray of its own on this machine, which only this user can reach.
    """
    with _waiting(call, "starting the coordinator"):
        report = call.house.up(call.settings, num_cpus)
    namespace = call.settings.namespace
    document = {
        "namespace": namespace,
        "address": report.address,
        "dashboard_url": report.dashboard_url,
        "metrics_url": report.metrics_url,
        "started_head": report.started_head,
        "created": list(report.created),
        "actors": report.actors,
    }
    what = f"started {', '.join(report.created)}" if report.created else "everything was there"
    lines: list[Part] = [Line(f"the coordinator is up in namespace {namespace} at {report.address}: {what}", "green")]
    for name, url in (("dashboard", report.dashboard_url), ("metrics", report.metrics_url)):
        if url:
            lines.append(Line(f"{name}: {url}"))
    return Outcome(document, [*lines, Line("next: scentfield claim FILE, scentfield status, scentfield down")])


def down(call: Invocation) -> Outcome:
    """Stop the coordinator, and the Ray that `up` started. The state is kept."""
    alive = _sessions(call)
    with _waiting(call, "stopping the coordinator"):
        stopped, head_stopped = call.house.down(call.settings)
    agents = [] if alive is None else [row.session_id for row in alive.rows]
    n_live = 0 if alive is None else alive.n_live
    document = {"stopped": stopped, "head_stopped": head_stopped, "agents_alive": agents, "n_agents_alive": n_live}
    also = ", and Ray's head" if head_stopped else ""
    lines: list[Part] = [Line(f"stopped {', '.join(stopped) or 'no actor'}{also}; the state is kept", "green")]
    notes = [f"{n_live} agents were alive: {', '.join(agents[:10])}{', ...' if n_live > 10 else ''}"] if n_live else []
    return Outcome(document, lines, notes)


def _sessions(call: Invocation) -> SessionList | None:
    """Who is alive; None if the actors are in trouble, which must not keep them from being stopped."""
    # The client is slow to import, and `--help` does without.
    from actors.sessions.messages import ListSessions
    from coordinator.asking import Asker
    from coordinator.domain import SCENT_FIELD
    from coordinator.session import AgentSession
    from coordinator.step import drive

    asker = Asker(SCENT_FIELD, timeout_s=_DESCRIBE_S, jitter=lambda: 0.5)
    try:
        nobody = AgentSession("", "", "decay", call.settings.ttl_s, 0.0)
        listed: SessionList = drive(asker.query(nobody, ListSessions(100)), call.house.connect(call.settings))
    except ScentfieldError:
        return None
    return listed


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
    view = agent.query(lambda core: core.sync(1))
    document: dict[str, Any] = {
        "namespace": call.settings.namespace,
        "address": call.house.address(call.settings),
        "space": agent.workspace.space,
        "strictness": view.strictness,
        "n_claims": view.n_claims,
        "n_waiters": view.n_waiters,
        "gauges": {one.name: one.value for one in counts.gauges},
        "counters": {one.name: one.value for one in counts.counters},
        "actors": accounts,
    }
    parts = _status_parts(document)
    if verbose:
        quality, statistics = (
            agent.query(lambda core: core.edit_quality()),
            agent.query(lambda core: core.quality_statistics()),
        )
        parts += [Line(line) for line in _quality_lines(quality)] + [Line(line) for line in _source_lines(statistics)]
        document |= {"edit_quality": _plain(quality), "quality_statistics": _plain(statistics)}
    is_well = all(account["trouble"] is None for account in accounts.values())
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
    gauges = ", ".join(f"{name} {value}" for name, value in document["gauges"].items())
    return [
        Line(f"coordinator {document['namespace']} at {document['address']}"),
        Grid(("actor", "state", "up for", "process", "commits", "queued"), rows),
        Line(
            f"space {document['space']}: {document['n_claims']} claimed, {document['n_waiters']} waiting, "
            f"strictness {document['strictness']}"
        ),
        Line(f"over all spaces: {gauges}"),
    ]


def _quality_lines(quality: Any) -> list[str]:
    # The report belongs to its domain; it is needed by -v only.
    from actors.quality_store.report import edit_quality_lines

    return ["", *edit_quality_lines(quality)]


def _source_lines(statistics: Statistics) -> list[str]:
    rows = [f"  {row.source or 'the mode itself'}: {row.n}" for row in statistics.sources]
    return ["", "Auto-mode sources", *(rows or ["  no automatic reads yet"])]


def _plain(message: Any) -> Any:
    """A message as dicts, lists and plain values."""
    if hasattr(message, "_asdict"):
        return {name: _plain(value) for name, value in message._asdict().items()}
    return [_plain(one) for one in message] if isinstance(message, tuple) else message


def metrics(call: Invocation) -> Outcome:
    """Print all metrics as Prometheus scrapes them."""
    # It brings the Prometheus client along.
    from coordinator.metrics.exposition import exposition

    text = exposition(call.settings)
    return Outcome({"exposition": text}, [Verbatim(text)])


def config(call: Invocation) -> Outcome:
    """Print each setting, and where its value came from."""
    # Settings are slow to import, and `--help` does without.
    from coordinator.settings import config_files, origins

    settings = call.settings
    found = origins(settings, call.flags.settings_flags)
    values = {name: _shown(getattr(settings, name)) for name in type(settings).model_fields}
    about = {name: field.description or "" for name, field in type(settings).model_fields.items()}
    files = [str(path) for path in config_files()]
    document = {
        "settings": {name: {"value": value, "origin": found[name]} for name, value in values.items()},
        "state_dir": str(settings.state_dir),
        "files": files,
    }
    rows = [(name, "" if value is None else value, found[name], about[name]) for name, value in values.items()]
    where = Line(f"state in {settings.state_dir}; files looked for: {', '.join(files)}")
    return Outcome(document, [Grid(("setting", "value", "from", "what it is"), rows), where])


def _shown(value: Any) -> Any:
    """A setting's value without the password that a URL may hold."""
    if not isinstance(value, str) or "://" not in value:
        return value if isinstance(value, (bool, int, float, str, type(None))) else str(value)
    # Only PostgreSQL stores get here.
    from sqlalchemy.engine import make_url
    from sqlalchemy.exc import ArgumentError

    try:
        return make_url(value).render_as_string(hide_password=True)
    except ArgumentError:
        return "(not a URL)"


@contextmanager
def _waiting(call: Invocation, what: str) -> Iterator[None]:
    """A spinner on a terminal; nothing else."""
    if call.flags.as_json or not sys.stderr.isatty():
        yield
        return
    # Rich is needed on terminals only.
    from rich.console import Console

    with Console(stderr=True).status(what):
        yield
