"""`scentfield embedding`: whether the embedding model is ready, why not, and how to make it so."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.embedding.status import State, Status
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Line, Outcome, plain
from coordinator.embedding.report import status_lines

if TYPE_CHECKING:
    from coordinator.embedding.embedder import Embedder

SWITCHED_OFF: Final = Status(State.OFF, "", "it is switched off: set model under [embedding], 'static' for example")
DISABLED: Final = Status(State.OFF, "", "SCENTFIELD_DISABLED is set")
_POLL_S: Final = 0.1


def status(call: Invocation) -> Outcome:
    """Show which model there is, how far it is, and why no further. Exit code 4: it is not ready."""
    return _told(call, model_status(call))


def warm(
    call: Invocation,
    wait: Annotated[float, typer.Option(help="Wait so many seconds until it is ready.", min=0.0, max=3_600.0)] = 60.0,
) -> Outcome:
    """Load the model, and fetch it if that is allowed. Exit code 4: it is not ready in time, and why."""
    off = _off(call)
    if off is not None:
        return _told(call, off)
    embedder = _embedder(call)
    seen = embedder.warm()
    until_s = time.monotonic() + wait
    while seen.state in (State.LOADING, State.DOWNLOADING) and time.monotonic() < until_s:
        time.sleep(_POLL_S)
        seen = embedder.status()
    return _told(call, seen)


def model_status(call: Invocation) -> Status:
    """How the model is; being switched off is a state too. Raises `Unavailable` where no coordinator runs."""
    return _off(call) or _embedder(call).status()


def _off(call: Invocation) -> Status | None:
    """What there is to say where nobody has to be asked."""
    if call.settings.disabled:
        return DISABLED
    return None if call.settings.model.is_wanted else SWITCHED_OFF


def _embedder(call: Invocation) -> Embedder:
    """The way to the model. Raises `Unavailable` where nothing runs."""
    call.house.connect(call.settings)
    # Ray is a slow import.
    from coordinator.embedding.connect import ray_embedder

    return ray_embedder(call.settings.namespace)


def _told(call: Invocation, seen: Status) -> Outcome:
    wanted = call.settings.model.model
    document: dict[str, Any] = {**plain(seen), "wanted": wanted}
    code = ExitCode.OK if seen.is_ready else ExitCode.UNAVAILABLE
    return Outcome(document, [Line(line) for line in status_lines(seen, wanted)], exit_code=code)
