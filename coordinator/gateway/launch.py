"""Puts the gateway beside the state actors of a namespace, or runs it in this process."""

from __future__ import annotations

import contextlib
import signal
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Final

import uvicorn

from actors.runtime.errors import Unavailable
from coordinator.domain import GATEWAY
from coordinator.gateway.address_file import forget_address, read_address
from coordinator.gateway.as_started import differences
from coordinator.gateway.gateway import ADVICE, Gateway, gateway_site, tell_address
from coordinator.gateway.site import Premises
from coordinator.gateway.token import own_token
from coordinator.named_actor import is_there
from coordinator.settings import Settings
from coordinator.web.launch import WebActor
from coordinator.web.listener import listen, origin
from coordinator.web.server import server_config
from coordinator.workspace import Workspace

_MAX_CALLS: Final = 16  # to the actor itself, which is only ever asked where it serves


def start_gateway(settings: Settings, root: Path) -> bool:
    """Create the gateway unless it is there or not wanted; True if it was created. Does not wait for it."""
    if not settings.gateway.enabled:
        return False
    if not is_there(GATEWAY, settings.namespace):
        forget_address(settings.state_dir)  # of one that has gone; somebody else may serve there now
    return _gateway(settings).start(Gateway, premises(settings, root), max_concurrency=_MAX_CALLS)


def gateway_url(settings: Settings) -> str:
    """Where the gateway serves, once it does; empty if there is none. Raises `Unavailable` as `WebActor.url`."""
    return _gateway(settings).url(was_asked_for=bool(settings.gateway.model_fields_set & {"host", "port"}))


def gateway_differences(settings: Settings, root: Path) -> list[str]:
    """What the gateway that runs was started with other than it would be now; nothing where none runs."""
    if not is_there(GATEWAY, settings.namespace):
        return []
    told = _gateway(settings).account().get("started_with", {})
    return differences(told, settings.gateway, Workspace.discover(root).root)


def premises(settings: Settings, root: Path) -> Premises:
    """What a gateway is made of; draws the token on first use."""
    return Premises(settings, Workspace.discover(root).root, own_token(settings.state_dir))


def serve(settings: Settings, root: Path, note: Callable[[str], None]) -> None:
    """Run the gateway in this process until it is interrupted or told to end; `note` is told where it serves.

    Raises `Unavailable` without a coordinator, and for a port that is taken.
    """
    from coordinator.cluster import attach  # it comes here itself

    settings.log.open(GATEWAY)
    attach(settings)
    gateway = settings.gateway
    try:
        listener = listen(gateway.host, gateway.port)
    except OSError as error:
        raise Unavailable(
            f"the gateway cannot listen on {gateway.host}:{gateway.port} ({error.strerror}): "
            f"{ADVICE}, if `scentfield up` runs one there"
        ) from error
    with listener:
        site = gateway_site(premises(settings, root))
        url = origin(gateway.host, listener.getsockname()[1])
        told = tell_address(settings, url)
        note(url)
        try:
            _run_until_interrupted(server_config(site.app, lifespan="on", head_s=gateway.body_s), listener)
        finally:
            if read_address(settings.state_dir) == told:  # else somebody else serves by now
                forget_address(settings.state_dir)


def _run_until_interrupted(config: uvicorn.Config, listener: socket.socket) -> None:
    """Serve; the server ends in order, gives all back that its agents hold, and then hands the signal on."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with contextlib.suppress(KeyboardInterrupt):
            uvicorn.Server(config).run(sockets=[listener])
    finally:
        signal.signal(signal.SIGTERM, before)


def _gateway(settings: Settings) -> WebActor:
    return WebActor(GATEWAY, settings.namespace, "set enabled under [gateway] to false")
