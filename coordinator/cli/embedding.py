"""`scentfield embedding`: whether the embedding model is ready, why not, and how to make it so."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from actors.runtime.errors import Unavailable
from coordinator.cli.exit_code import ExitCode
from coordinator.cli.invocation import Invocation
from coordinator.cli.outcome import Line, Outcome
from coordinator.cli.status import plain

if TYPE_CHECKING:
    from actors.embedding.status import Status
    from coordinator.embedding.embedder import Embedder

_POLL_S: Final = 0.1


def status(call: Invocation) -> Outcome:
    """Show which model there is, how far it is, and why no further."""
    return _told(find_embedder(call).status())


def warm(
    call: Invocation,
    wait: Annotated[float, typer.Option(help="Wait so many seconds until it is ready.", min=0.0, max=3_600.0)] = 60.0,
) -> Outcome:
    """Load the model, and fetch it if that is allowed. Exit code 4: it is not ready in time, and why."""
    embedder = find_embedder(call)
    seen = embedder.warm()
    until_s = time.monotonic() + wait
    while not seen.is_ready and seen.state in ("loading", "downloading") and time.monotonic() < until_s:
        time.sleep(_POLL_S)
        seen = embedder.status()
    return _told(seen)


def find_embedder(call: Invocation) -> Embedder:
    """The way to the model. Raises `Unavailable` where it is switched off or nothing runs."""
    if not call.settings.model.is_wanted:
        raise Unavailable("the embedding model is switched off: set model = 'static' under [embedding]")
    _ = call.agent.transport  # connects
    # Ray is a slow import.
    from coordinator.embedding.connect import ray_embedder

    return ray_embedder(call.settings.namespace)


def _told(seen: Status) -> Outcome:
    document: dict[str, Any] = plain(seen)
    code = ExitCode.OK if seen.is_ready else ExitCode.UNAVAILABLE
    return Outcome(document, [Line(line) for line in status_lines(seen)], exit_code=code)


def status_lines(seen: Status) -> list[str]:
    """The section `Embedding` of the report."""
    if seen.is_ready:
        return ["Embedding", f"  {seen.model}: ready, {seen.n_dims} dimensions ({seen.model_id})"]
    return ["Embedding", f"  {seen.model or 'no model'}: {seen.state}: {seen.reason}"]
