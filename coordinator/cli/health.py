"""What `doctor` looks at: this machine, its files, the cluster, and each actor, with a write that is read back."""

from __future__ import annotations

import ipaddress
import os
import platform
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import psutil

from actors.runtime.errors import ScentfieldError, Unavailable
from actors.scent_field.messages import Check, Claim, Granted
from coordinator.asking import Asker
from coordinator.cli.exit_code import ExitCode, exit_code_of
from coordinator.cli.finding import Finding, failed, ok, skipped
from coordinator.cli.gateway_check import gateway_finding
from coordinator.cli.screen import NEXT_STEPS
from coordinator.domain import DOMAINS, GATEWAY, SCENT_FIELD
from coordinator.head import recorded_head
from coordinator.heart import monotonic_s
from coordinator.session import AgentSession, new_token, register, say_goodbye
from coordinator.settings import Settings
from coordinator.step import Operation, Transport, drive

OLDEST_PYTHON: Final = (3, 11)
PROBE_SPACE: Final = "scentfield:doctor"
_ANSWER_S: Final = 10.0


def machine_findings(settings: Settings) -> Iterator[Finding]:
    """Versions, and who can read the state and the token. Asks nobody."""
    yield python_finding(sys.version_info[:2])
    yield ray_finding()
    yield folder_finding(settings.state_dir)
    yield token_finding(os.environ, Path.home())


def python_finding(found: tuple[int, int]) -> Finding:
    """Whether this Python is new enough."""
    if found >= OLDEST_PYTHON:
        return ok("python", f"Python {platform.python_version()} on {platform.system()}")
    return failed("python", f"Python {found[0]}.{found[1]}", "install Python 3.11 or newer")


def ray_finding() -> Finding:
    """Whether Ray is installed."""
    try:
        return ok("ray", f"Ray {version('ray')}")
    except PackageNotFoundError:
        return failed("ray", "Ray is not installed", "install scentfield anew, with what it depends on")


def folder_finding(folder: Path) -> Finding:
    """Whether only its owner can look into the state folder."""
    try:
        mode = stat.S_IMODE(folder.stat().st_mode)
    except FileNotFoundError:
        return skipped("state folder", f"{folder} is not there yet: `scentfield up` makes it")
    if mode & 0o077:
        return failed("state folder", f"{folder} has mode {mode:04o}: others can look into it", f"chmod 700 {folder}")
    return ok("state folder", f"{folder} has mode {mode:04o}")


def token_finding(environment: Any, home: Path) -> Finding:
    """Whether only its owner can read Ray's token."""
    if "RAY_AUTH_TOKEN" in environment:
        return ok("token", "Ray's token comes from RAY_AUTH_TOKEN")
    path = Path(environment.get("RAY_AUTH_TOKEN_PATH") or home / ".ray" / "auth_token")
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return skipped("token", f"{path} is not there yet: `scentfield up` makes it")
    if mode & 0o077:
        return failed("token", f"{path} has mode {mode:04o}: others can read it", f"chmod 600 {path}")
    return ok("token", f"{path} has mode {mode:04o}")


def listener_finding(settings: Settings) -> Finding:
    """Whether the head that `up` started, and all that it started, listens on loopback only."""
    name = "listeners"
    head = recorded_head(settings.state_dir)
    if head is None:
        return skipped(
            name, "no head of ours runs on this machine; who may reach a named cluster is its owner's business"
        )
    open_ones = sorted({address for address in _listening(head.pid) if not is_loopback(address[0])})
    if open_ones:
        named = ", ".join(f"{host}:{port} (process {pid})" for host, port, pid in open_ones[:10])
        return failed(
            name, f"reachable from other machines: {named}", "stop it with `scentfield down`, then `scentfield up`"
        )
    return ok(name, "the head and its processes listen on loopback only")


def _listening(pid: int) -> Iterator[tuple[str, int, int]]:
    with suppress(psutil.Error):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.Error):
                for socket in one.net_connections(kind="inet"):
                    if socket.status == psutil.CONN_LISTEN:
                        yield socket.laddr.ip, socket.laddr.port, one.pid


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    address = ipaddress.ip_address(host.partition("%")[0])
    mapped = getattr(address, "ipv4_mapped", None)
    return (mapped or address).is_loopback


def actor_finding(transport: Transport, domain: str) -> Finding:
    """What an actor says of itself."""
    try:
        account = transport.describe(domain, _ANSWER_S)
    except Unavailable as error:
        return _of(domain, error)
    if account["trouble"] is not None:
        code, message = account["trouble"]
        exit_code = ExitCode.CORRUPT if code == "corrupt" else ExitCode.UNAVAILABLE
        return failed(domain, message, "look with `scentfield doctor --store`", exit_code)
    return ok(domain, f"serves; process {account['pid']}, {account['seq']} commits, store {account['store']}")


def probe_finding(transport: Transport, settings: Settings) -> Finding:
    """Write through the whole path, wait for the commit, and read it back: a check that writes nothing is none."""
    name = "write and read back"
    try:
        before = transport.describe(SCENT_FIELD, _ANSWER_S)["seq"]
        holds = drive(_probe(settings), transport)
        after = transport.describe(SCENT_FIELD, _ANSWER_S)["seq"]
    except ScentfieldError as error:
        return _of(name, error)
    if not holds:
        return failed(name, "a claim was acknowledged and is not there", "look with `scentfield doctor --store`")
    if not before < after:
        return failed(name, f"the journal stands at {after} after a write", "look with `scentfield doctor --store`")
    return ok(name, f"a claim was committed (journal {before} -> {after}) and read back")


def _probe(settings: Settings) -> Operation[bool]:
    """Claim a label of a space of our own, look whether it holds, and leave."""
    timeout_s = settings.call_timeout_s
    session: AgentSession = yield from register(
        name="doctor",
        parent="",
        kept_by="heartbeat",
        ttl_s=max(60.0, timeout_s),
        token=new_token(),
        now_s=monotonic_s(),
        timeout_s=timeout_s,
    )
    asker = Asker(SCENT_FIELD, timeout_s=timeout_s, jitter=lambda: 0.5)
    target = f"probe:{uuid4().hex}"
    claimed = yield from asker.request(session, Claim(PROBE_SPACE, (target,), "exclusive", 0.0, "doctor"))
    generation = claimed.generation if isinstance(claimed, Granted) else 0
    checked = yield from asker.query(session, Check(PROBE_SPACE, target, generation, session.session_id))
    yield from say_goodbye(session, timeout_s)
    return bool(checked.holds)


def _of(name: str, error: ScentfieldError) -> Finding:
    return failed(name, " ".join(error.message.split()), NEXT_STEPS.get(error.code, ""), exit_code_of(error))


def cluster_findings(settings: Settings, connect: Callable[[Settings], Transport], root: Path) -> Iterator[Finding]:
    """The cluster, its actors, a write, and the gateway. Without a cluster the rest is skipped."""
    try:
        transport = connect(settings)
    except ScentfieldError as error:
        yield _of("cluster", error)
        for name in (*DOMAINS, "write and read back", GATEWAY):
            yield skipped(name, "there is no cluster to ask")
        return
    yield ok("cluster", f"reachable, namespace {settings.namespace}")
    actors = [actor_finding(transport, domain) for domain in DOMAINS]
    yield from actors
    if all(one.state == "ok" for one in actors):
        yield probe_finding(transport, settings)
    else:
        yield skipped("write and read back", "an actor does not serve")
    yield gateway_finding(transport, settings, root)
