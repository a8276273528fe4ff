"""The commands about the coordinator itself: start it, stop it, look at it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import ScentfieldError
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Grid, Line, Outcome, Part, Verbatim

if TYPE_CHECKING:
    from actors.sessions.messages import SessionList

_DESCRIBE_S: Final = 10.0
_MAX_NAMED: Final = 10
_MAX_ROWS: Final = 1_000


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
        report = call.house.up(call.settings, num_cpus, call.flags.root)
    namespace = call.settings.namespace
    document = {
        "namespace": namespace,
        "address": report.address,
        "dashboard_url": report.dashboard_url,
        "metrics_url": report.metrics_url,
        "gateway_url": report.gateway_url,
        "gateway_differences": list(report.gateway_differences),
        "started_head": report.started_head,
        "created": list(report.created),
        "actors": report.actors,
    }
    what = f"started {', '.join(report.created)}" if report.created else "everything was there"
    lines: list[Part] = [Line(f"the coordinator is up in namespace {namespace} at {report.address}: {what}", "green")]
    for name, url in (
        ("dashboard", report.dashboard_url),
        ("metrics", report.metrics_url),
        ("gateway", report.gateway_url),
    ):
        if url:
            lines.append(Line(f"{name}: {url}"))
    next_line = Line("next: scentfield claim FILE, scentfield status, scentfield down")
    return Outcome(document, [*lines, next_line], notes=_gateway_notes(report.gateway_differences))


def _gateway_notes(differences: Sequence[str]) -> list[str]:
    """A gateway that was there keeps its settings, and somebody has to know."""
    if not differences:
        return []
    # The gateway's settings are slow to import, and `--help` does without.
    from coordinator.gateway.as_started import NEXT_STEP

    return [*(f"the gateway was there already: {one}" for one in differences), f"to change that: {NEXT_STEP}"]


def down(call: Invocation) -> Outcome:
    """Stop the coordinator, and the Ray that `up` started. The state is kept. Safe to repeat."""
    if call.house.address(call.settings) is None:
        return _down_outcome([], [], head_stopped=False)
    alive = _processes(_sessions(call))
    with _waiting(call, "stopping the coordinator"):
        stopped, head_stopped = call.house.down(call.settings)
    return _down_outcome(alive, stopped, head_stopped=head_stopped)


def _down_outcome(alive: list[str], stopped: list[str], *, head_stopped: bool) -> Outcome:
    named = alive[:_MAX_NAMED]
    document = {
        "stopped": stopped,
        "head_stopped": head_stopped,
        "agents_alive": named,
        "n_agents_alive": len(alive),
    }
    if not stopped and not head_stopped:
        return Outcome(document, [Line("nothing runs")])
    also = ", and Ray's head" if head_stopped else ""
    line = Line(f"stopped {', '.join(stopped) or 'no actor'}{also}; the state is kept", "green")
    return Outcome(document, [line], _alive_notes(alive, named, head_stopped=head_stopped))


def _alive_notes(alive: list[str], named: list[str], *, head_stopped: bool) -> list[str]:
    if not alive:
        return []
    more = ", ..." if len(alive) > len(named) else ""
    were = "1 agent was" if len(alive) == 1 else f"{len(alive)} agents were"
    end = ["Ray ends processes that stay connected about a minute after its head is gone"] if head_stopped else []
    return [f"{were} alive: {', '.join(named)}{more}", *end]


def _processes(listed: SessionList | None) -> list[str]:
    """The agents that are processes: a shell's session is kept by decay, and no process stands behind it."""
    rows = () if listed is None else listed.rows
    return [row.session_id for row in rows if row.kept_by in ("heartbeat", "connection")]


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
        listed: SessionList = drive(asker.query(nobody, ListSessions(_MAX_ROWS)), call.house.connect(call.settings))
    except ScentfieldError:
        return None
    return listed


def serve(call: Invocation) -> Outcome:
    """Run the gateway here, until Ctrl-C; for a coordinator that was started without one."""
    # A web server, and Ray.
    from coordinator.gateway.launch import serve as serve_here

    call.screen.note("the gateway serves until Ctrl-C")
    serve_here(call.settings, call.flags.root or Path.cwd(), call.screen.note)
    return Outcome({"served": True})


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
        shown = make_url(value).difference_update_query(["password", "sslpassword"])
        return shown.render_as_string(hide_password=True)
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
