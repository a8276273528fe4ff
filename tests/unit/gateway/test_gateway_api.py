"""Agents that come through the gateway's URL: the same client, without Ray in their process."""

from __future__ import annotations

import asyncio
import pickle
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.errors import Misuse, Unavailable
from coordinator import AsyncCoordinator, Coordinator, Settings
from coordinator.gateway.address_file import GatewayAddress, write_address
from coordinator.gateway.token import own_token
from coordinator.http_transport import HttpTransport, token_for

TOKEN = "a-token-of-this-test-0123456789abcdef"


@pytest.fixture
def agent_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Coordinator]:
    """`agent_of(gateway, "ann")` connects through a gateway."""
    monkeypatch.setenv("SCENTFIELD_GATEWAY_TOKEN", TOKEN)

    def connect(gateway: Any, name: str, **options: Any) -> Coordinator:
        settings = Settings(data_dir=gateway.root.parent / "client", space="test", ttl_s=2.0, call_timeout_s=10.0)
        return Coordinator.connect(gateway.url, agent=name, root=gateway.root, settings=settings, **options)

    return connect


def test_agents_claim_edit_and_leave_through_the_gateway(
    open_gateway: Callable[..., Any], agent_of: Callable[..., Coordinator]
) -> None:
    gateway = open_gateway()
    with agent_of(gateway, "bob") as bob:
        with agent_of(gateway, "ann") as ann:
            assert ann.claim("src/a.py", intent="tidy up")
            refused = bob.claim("src/a.py")
            assert not refused
            assert "ann#2 holds src/a.py" in refused.message
            assert "return 1" in ann.read("src/a.py", "full").text
            assert ann.edit("src/a.py", "return 1", "return 2").applied
        assert bob.claim("src/a.py"), "a goodbye frees at once"
    assert "return 2" in (gateway.root / "src" / "a.py").read_text()


def test_a_heartbeat_thread_keeps_the_agent_alive(
    open_gateway: Callable[..., Any], agent_of: Callable[..., Coordinator]
) -> None:
    gateway = open_gateway()
    with agent_of(gateway, "ann") as ann, agent_of(gateway, "bob") as bob:
        claim = ann.claim("src/a.py")
        assert not bob.claim("src/a.py", wait_s=3.0), "longer than the TTL"
        assert claim.valid


def test_the_async_client_waits_for_many_things_at_once(
    open_gateway: Callable[..., Any], agent_of: Callable[..., Coordinator]
) -> None:
    gateway = open_gateway()
    settings = Settings(data_dir=gateway.root.parent / "client", space="test", ttl_s=30.0)

    async def story() -> int:
        with agent_of(gateway, "ann") as ann:
            ann.claim("src/")
            async with AsyncCoordinator.connect(gateway.url, agent="bob", root=gateway.root, settings=settings) as bob:
                waiting = [asyncio.create_task(bob.claim(f"src/{n}.py", wait_s=30.0)) for n in range(20)]
                view = await bob.sync()
                assert view.n_claims == 1
                await asyncio.to_thread(ann.release, "src/")
                return sum(map(bool, await asyncio.gather(*waiting)))

    assert asyncio.run(story()) == 20


def test_a_pickled_agent_becomes_a_child_over_the_same_gateway(
    open_gateway: Callable[..., Any], agent_of: Callable[..., Coordinator]
) -> None:
    gateway = open_gateway()
    with agent_of(gateway, "ann") as ann:
        assert ann.claim("src/a.py")
        with pickle.loads(pickle.dumps(ann)) as child:
            assert child.agent_id.startswith("ann/")
            assert child.claim("src/a.py"), "a parent's claim blocks no child"


def test_no_ray_comes_into_the_process(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    code = f"""
import os, sys
os.environ["SCENTFIELD_GATEWAY_TOKEN"] = {TOKEN!r}
from coordinator import Coordinator
with Coordinator.connect({gateway.url!r}, agent="ann", root={str(gateway.root)!r}) as ann:
    assert ann.claim("src/a.py")
print("ray" in sys.modules)
"""
    environment = {"PATH": "/usr/bin:/bin", "SCENTFIELD_DATA_DIR": str(gateway.root.parent / "client")}
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, timeout=60, check=False
    )
    assert (ended.stdout.strip(), ended.returncode) == ("False", 0), ended.stderr


def test_the_api_wants_the_token_on_loopback_too(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    for headers in ({}, {"Authorization": "Bearer wrong"}):
        assert gateway.post("/api/v1/submit/scent_field", b"", **headers).status_code == 401
        assert gateway.get("/api/v1/describe/scent_field", **headers).status_code == 401
    with pytest.raises(Unavailable, match="did not take the request: a token is needed"):
        HttpTransport(gateway.url, "").describe("scent_field", 5.0)


def test_bad_requests_are_refused_with_the_reason(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    token = {"Authorization": f"Bearer {TOKEN}"}
    assert gateway.post("/api/v1/submit/nobody", b"", **token).status_code == 404
    assert gateway.get("/api/v1/describe/nobody", **token).status_code == 404
    assert gateway.get("/api/v1/describe/scent_field", **token).json()["trouble"] is None
    told = gateway.post("/api/v1/submit/scent_field", b"\x00garbage", **token)
    assert (told.status_code, "error" in told.json()) == (400, True)
    for wrong in ("0", "-1", "x", "nan", "inf", "1e9"):
        told = gateway.post("/api/v1/submit/scent_field", b"", **token, **{"Scentfield-Timeout-S": wrong})
        assert told.status_code == 400, wrong
        assert "is no time" in told.json()["error"]


def test_an_actor_that_cannot_be_reached_gives_no_permission(
    open_gateway: Callable[..., Any], agent_of: Callable[..., Coordinator]
) -> None:
    gateway = open_gateway(gone=("scent_field",))
    with pytest.raises(Unavailable, match="did not take the request: scent_field cannot be reached"):
        agent_of(gateway, "ann")


def test_a_gateway_that_is_not_there_gives_no_permission() -> None:
    transport = HttpTransport("http://127.0.0.1:1", "")
    with pytest.raises(Unavailable, match=r"cannot be reached \(ConnectionRefusedError\): this is no permission"):
        transport.call("scent_field", b"", 1.0)


def test_a_connection_that_was_kept_and_has_gone_is_made_anew(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    transport = HttpTransport(gateway.url, TOKEN)
    transport.describe("scent_field", 5.0)
    transport._pool._idle[0].sock.shutdown(socket.SHUT_RDWR)  # as a server does that has waited long enough
    assert transport.describe("scent_field", 5.0)["trouble"] is None


def test_what_is_no_address_is_said_to() -> None:
    for wrong in ("127.0.0.1:7464", "ftp://x", "http://", "http://user@host"):
        with pytest.raises(Misuse, match="is no address of a gateway"):
            HttpTransport(wrong, "")


def test_a_token_is_shown_to_its_own_gateway_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCENTFIELD_GATEWAY_TOKEN", raising=False)
    token = own_token(tmp_path)
    assert token_for("http://127.0.0.1:7464", tmp_path) == ""
    write_address(tmp_path, GatewayAddress("http://127.0.0.1:7464", "scentfield", needs_token=False))
    assert token_for("http://127.0.0.1:7464/", tmp_path) == token
    assert token_for("http://evil.example", tmp_path) == ""
    monkeypatch.setenv("SCENTFIELD_GATEWAY_TOKEN", "given")
    assert token_for("http://elsewhere.example", tmp_path) == "given"
