"""The cluster: finding it, putting the state actors on it, and taking them away again.

Only `up` creates state actors. Clients look them up by name and say what to do where there are none.
"""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import ray
from ray._private import ray_constants
from ray._raylet import Config as RayConfig  # type: ignore[attr-defined]  # compiled, without stubs
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from actors.runtime.actor import ActorConfig, StateActor
from actors.runtime.errors import Corrupt, Unavailable, error_from_code
from actors.runtime.ownership import adopt
from actors.runtime.store import Store
from coordinator.address import address_of, known_address
from coordinator.domain import DOMAINS, EMBEDDING, GATEWAY, Domain, machine_options
from coordinator.folder import private_folder
from coordinator.gateway.address_file import forget_address
from coordinator.head import Head, protect_token, recorded_head, start_head, stop_head
from coordinator.named_actor import await_gone, is_there
from coordinator.ray_messages import messages_logged
from coordinator.ray_transport import RayTransport, forked
from coordinator.settings import Settings
from coordinator.store_record import record_store, recorded_store
from coordinator.up_lock import up_lock

MAX_CONCURRENT_CALLS: Final = 4_096
_READY_S: Final = 60.0
_CONNECT_S: Final = 5.0
_SETTINGS_FRAME: Final = 4
_ATTACHING = threading.Lock()
_forked_from: list[int] = []  # the connected process that this one is a fork of


@dataclass(frozen=True, slots=True)
class UpReport:
    """What `up` found and did: where the cluster is, each state actor's account of itself, and what is served where.

    `gateway_differences` are what a gateway that was there already was started with other than these settings.
    """

    address: str
    dashboard_url: str
    started_head: bool
    created: tuple[str, ...]
    actors: dict[str, dict[str, Any]] = field(default_factory=dict)
    metrics_url: str = ""
    gateway_url: str = ""
    gateway_differences: tuple[str, ...] = ()


def attach(settings: Settings) -> str:
    """Connect this process to the cluster, once. Raises `Unavailable` and says what to do, `Misuse` after a fork."""
    if _forked_from:
        raise forked(_forked_from[0])
    with _ATTACHING:
        if ray.is_initialized():
            return str(ray.get_runtime_context().gcs_address)
        address = known_address(settings)
        if not _answers(address):
            raise Unavailable(f"no Ray cluster answers at {address}: start the coordinator with `scentfield up`")
        _connect(address, settings)
        return str(ray.get_runtime_context().gcs_address)


def _note_fork() -> None:
    if ray.is_initialized():
        _forked_from[:] = [os.getppid()]


os.register_at_fork(after_in_child=_note_fork)


def _connect(address: str, settings: Settings) -> None:
    _authenticate()
    try:
        with _neutral_folder(settings), _loopback_allowed(address), messages_logged():
            ray.init(address=address, logging_level=logging.ERROR, log_to_driver=False, configure_logging=False)
    except (ConnectionError, RayError, RuntimeError, ValueError) as error:
        raise Unavailable(
            f"the cluster at {address} does not answer, or not to this token ({error}): start it with `scentfield up`, "
            "or take its token (RAY_AUTH_TOKEN, or ~/.ray/auth_token)"
        ) from error


def _authenticate() -> None:
    """Use token authentication unless told otherwise: a driver that names an address does not by itself."""
    if "RAY_AUTH_MODE" in os.environ:
        return
    protect_token()
    os.environ["RAY_AUTH_MODE"] = "token"
    RayConfig.initialize("")  # what was read at import is read again


def _answers(address: str) -> bool:
    """Whether something that speaks gRPC listens there; spares the minute that Ray takes to find out."""
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        return True
    try:
        with socket.create_connection((host, int(port)), timeout=_CONNECT_S) as connection:
            return os.environ.get("RAY_USE_TLS") == "1" or _speaks_http2(connection)
    except OSError:
        return False


def _speaks_http2(connection: socket.socket) -> bool:
    """Exchange the connection prefaces of RFC 9113, section 3.4: both sides begin with a SETTINGS frame."""
    connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, _SETTINGS_FRAME, 0, 0, 0, 0, 0]))
    head = b""
    while len(head) < 4 and (more := connection.recv(4 - len(head))):
        head += more
    return head[3:] == bytes([_SETTINGS_FRAME])


@contextlib.contextmanager
def _loopback_allowed(address: str) -> Iterator[None]:
    """Ray replaces a loopback address by the machine's own unless its switch for single machines is set."""
    before = ray_constants.ENABLE_RAY_CLUSTER
    if address.startswith(("127.", "localhost", "[::1]")):
        ray_constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        ray_constants.ENABLE_RAY_CLUSTER = before


@contextlib.contextmanager
def _neutral_folder(settings: Settings) -> Iterator[None]:
    """Ray puts a driver's current folder first on its workers' path, where a foreign `actors` would shadow ours."""
    try:
        before = Path.cwd()
    except FileNotFoundError:
        before = private_folder(settings.state_dir)
    os.chdir(private_folder(settings.state_dir))
    try:
        yield
    finally:
        os.chdir(before)


def up(settings: Settings, *, num_cpus: int | None = None, root: Path | None = None) -> UpReport:
    """Start what is missing; safe to repeat. `root` is the tree that the gateway lets agents work in (default: here).

    Raises `Corrupt` for a store that cannot be trusted or is another than the cluster has on record, `Unavailable` for
    a cluster that does not start and for a port that was asked for and is taken.
    """
    with up_lock(settings.state_dir):
        return _up(settings, num_cpus, Path.cwd() if root is None else root)


def _up(settings: Settings, num_cpus: int | None, root: Path) -> UpReport:
    # A web server is a slow import and not needed by clients, who come here to attach.
    # So is the model's library.
    from coordinator.embedding.launch import launch_embedding
    from coordinator.gateway.launch import gateway_differences, gateway_url, start_gateway
    from coordinator.metrics.launch import exporter_url, start_exporter

    head, started = None, False
    if not ray.is_initialized() and address_of(settings) is None:
        head, started = start_head(settings.state_dir, num_cpus=num_cpus), True
    address = attach(settings)
    head = head or recorded_head(settings.state_dir)
    created: list[str] = []
    try:
        for name, domain in DOMAINS.items():
            if _create(domain, settings):
                created.append(name)
        if launch_embedding(settings, settings.model):
            created.append(EMBEDDING)
        start_exporter(settings)
        is_old = not start_gateway(settings, root)
        actors = {name: _await_service(domain, settings) for name, domain in DOMAINS.items()}
    except Corrupt:
        _take_back(created, head if started else None, settings)
        raise
    dashboard_url = "" if head is None else head.dashboard_url
    urls = exporter_url(settings), gateway_url(settings)
    others = tuple(gateway_differences(settings, root)) if is_old and settings.gateway.enabled else ()
    return UpReport(address, dashboard_url, started, tuple(created), actors, *urls, others)


def _take_back(created: list[str], head: Head | None, settings: Settings) -> None:
    """Leave nothing behind that was not there: an actor in trouble would stay so when its store was repaired."""
    for name in created:
        ray.kill(ray.get_actor(name, namespace=settings.namespace), no_restart=True)
        await_gone(name, settings.namespace)
    if head is not None:
        ray.shutdown()
        stop_head(settings.state_dir, head)


def _create(domain: Domain, settings: Settings) -> bool:
    """Create the actor unless it is there; True if it was created."""
    if is_there(domain.name, settings.namespace):
        return False
    owner = secrets.token_hex(16)
    config = ActorConfig(
        domain=domain.name,
        machine=domain.machine,
        store_url=settings.store_url_of(domain.name),
        store_key=settings.store_key_of(domain.name),
        options=machine_options(domain.name, settings),
        store_id=_adopted_store(domain, settings, owner),
        owner=owner,
        courier="coordinator.courier:RayCourier",
        courier_options={"namespace": settings.namespace},
        log=settings.log.config(),
        traces=settings.traces.config(),
    )
    ray.remote(StateActor).options(**_actor_options(domain.name, settings)).remote(config)
    return True


def _adopted_store(domain: Domain, settings: Settings, owner: str) -> str:
    """Settle, before the actor starts, which store is its own; returns that store's identity, which is then on record.

    From here on the actor never creates a store, and never writes one that somebody else has adopted since.
    """
    with contextlib.closing(Store(settings.store_url_of(domain.name), settings.store_key_of(domain.name))) as store:
        store_id = adopt(
            store,
            owner=owner,
            new_store_id=secrets.token_hex(16),
            recorded_store_id=recorded_store(settings.namespace, domain.name),
        )
    record_store(settings.namespace, domain.name, store_id, may_replace=False)
    return store_id


def _actor_options(name: str, settings: Settings) -> dict[str, Any]:
    options: dict[str, Any] = {
        "name": name,
        "namespace": settings.namespace,
        "lifetime": "detached",
        "get_if_exists": True,
        "max_restarts": -1,
        "max_task_retries": -1,
        "max_concurrency": MAX_CONCURRENT_CALLS,
        "num_cpus": 0,
    }
    if settings.store_url is None:
        # An SQLite store is a file on this node: the actor may only ever run beside it.
        node_id = ray.get_runtime_context().get_node_id()
        options["scheduling_strategy"] = NodeAffinitySchedulingStrategy(node_id, soft=False)
    return options


def _await_service(domain: Domain, settings: Settings) -> dict[str, Any]:
    """Wait until the actor serves; raise what keeps it from that."""
    account = RayTransport(settings.namespace).describe(domain.name, _READY_S)
    if account["trouble"] is not None:
        code, message = account["trouble"]
        raise error_from_code(code, message)
    return account


def actor_names(settings: Settings) -> list[str]:
    """Our actors that exist in this namespace, state actors first."""
    from coordinator.metrics.exporter import EXPORTER  # the same slow import

    entries = ray.util.list_named_actors(all_namespaces=True)
    there = {entry["name"] for entry in entries if entry["namespace"] == settings.namespace}
    return [name for name in (*DOMAINS, EMBEDDING, EXPORTER, GATEWAY) if name in there]


def down(settings: Settings) -> tuple[list[str], bool]:
    """Commit what is relaxed, stop our actors, and the head if `up` started it: (actors stopped, head stopped).

    The state stays in the stores. Raises `Unavailable` if there is no cluster.
    """
    address = attach(settings)
    stopped = []
    for name in actor_names(settings):
        handle = ray.get_actor(name, namespace=settings.namespace)
        if name in DOMAINS:
            with contextlib.suppress(RayError):
                ray.get(handle.drain.remote(), timeout=_READY_S)
        ray.kill(handle, no_restart=True)
        await_gone(name, settings.namespace)
        stopped.append(name)
    forget_address(settings.state_dir)
    head = recorded_head(settings.state_dir)
    if head is None or head.address != address:
        return stopped, False  # there is none of ours, or these actors ran somewhere else
    ray.shutdown()
    stop_head(settings.state_dir, head)
    return stopped, True
