"""Who is let in at the gateway, and who is not; over real HTTP."""

from __future__ import annotations

import http.client
import socket
import time
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from coordinator.domain import DOMAINS
from coordinator.gateway.pace import MAX_ADDRESSES, Pace
from coordinator.gateway.settings import GatewaySettings

TOKEN = "a-token-of-this-test-0123456789abcdef"


def test_health_says_of_every_actor_that_a_write_was_read_back(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    told = gateway.get("/healthz")
    assert (told.status_code, set(told.json()["actors"].values())) == (200, {"serves"})
    assert sorted(gateway.line.proved) == sorted(DOMAINS)


def test_ready_means_that_questions_get_through_too(open_gateway: Callable[..., Any]) -> None:
    told = open_gateway().get("/readyz")
    assert (told.status_code, told.json()) == (200, {"status": "ok", "problems": {}})
    told = open_gateway(gone=("scent_field",)).get("/readyz")
    assert told.status_code == 503
    assert told.json()["problems"] == {
        "scent_field": "scent_field cannot be reached",
        "gateway": "scent_field cannot be reached",
    }


def test_metrics_are_those_of_the_exporter(open_gateway: Callable[..., Any]) -> None:
    told = open_gateway().get("/metrics")
    assert told.status_code == 200
    assert 'scentfield_up{domain="scent_field"} 1.0' in told.text


def test_this_machine_s_own_names_are_let_in(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    for host in ("127.0.0.1", "localhost:7464", "LOCALHOST", "[::1]:80"):
        assert gateway.get("/metrics", Host=host).status_code == 200, host


def test_a_name_that_is_not_ours_is_refused_as_dns_rebinding(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    for host in ("evil.example", "evil.example:7464", "127.0.0.1.evil.example", "me@127.0.0.1"):
        told = gateway.get("/metrics", Host=host)
        assert told.status_code == 421, host
        assert "add the name to hosts" in told.json()["error"]


def test_a_name_from_the_settings_is_let_in(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(hosts=("Build.example",))
    assert gateway.get("/metrics", Host="build.example:7464").status_code == 200
    assert gateway.get("/metrics", Origin="https://build.example").status_code == 200


def test_only_a_page_of_this_machine_may_ask(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway()
    for origin in ("https://evil.example", "null", "http://localhost.evil.example", "file://"):
        assert gateway.get("/metrics", Origin=origin).status_code == 403, origin
    assert gateway.get("/metrics", Origin="http://localhost:3000").status_code == 200


def test_who_needs_the_token() -> None:
    assert not GatewaySettings().needs_token
    assert not GatewaySettings(host="::1").needs_token
    assert not GatewaySettings(host="localhost").needs_token
    assert GatewaySettings(token="always").needs_token
    assert GatewaySettings(host="0.0.0.0").needs_token
    assert GatewaySettings(host="10.0.0.7").needs_token
    assert GatewaySettings(host="build.example").needs_token


def test_without_the_token_nobody_is_let_in(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(token="always")
    assert gateway.get("/metrics").status_code == 401
    for given in (b"Bearer", b"Bearer wrong", b"Basic " + TOKEN.encode(), f"Bearer {TOKEN}x".encode(), b"Bearer \xff"):
        told = gateway.get("/metrics", Authorization=given)
        assert told.status_code == 401, given
        assert told.headers["www-authenticate"].startswith("Bearer")
        assert TOKEN not in told.text


def test_the_token_opens_and_is_not_taken_from_a_url(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(token="always")
    assert gateway.get("/metrics", Authorization=f"Bearer {TOKEN}").status_code == 200
    assert gateway.get(f"/metrics?token={TOKEN}").status_code == 401


def test_health_is_told_to_whoever_watches_over_the_process(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(token="always")
    for path in ("/healthz", "/readyz"):
        assert gateway.get(path, Host="10.0.0.7").status_code == 200


def test_a_body_that_is_too_large_is_refused_before_it_is_read(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(max_body_bytes=2_000)
    assert gateway.post("/metrics", b"x" * 2_001).status_code == 413
    assert gateway.post("/metrics", b"x" * 2_000).status_code == 405


def test_a_body_that_does_not_say_how_large_it_is_is_cut_off_at_the_limit(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(max_body_bytes=2_000)
    connection = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=30.0)
    connection.request("POST", "/metrics", body=iter([b"x" * 1_500, b"x" * 1_500]), encode_chunked=True)
    assert connection.getresponse().status == 413
    connection.close()


def test_a_body_that_is_slow_is_given_up(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(body_s=0.2)
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=30.0) as connection:
        connection.sendall(b"POST /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        started_s = time.monotonic()
        assert connection.recv(4_096).startswith(b"HTTP/1.1 408")
        assert time.monotonic() - started_s < 10.0


def test_a_request_whose_head_does_not_come_is_given_up(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(body_s=0.3)
    for began in (b"", b"GET /metrics HTTP/1.1\r\nHost: loc"):
        with socket.create_connection(("127.0.0.1", gateway.port), timeout=30.0) as connection:
            connection.sendall(began)
            assert connection.recv(65_536) == b"", began


def test_a_request_that_is_at_work_may_take_longer_than_a_head(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(body_s=0.3)
    with httpx2.Client(timeout=30.0) as client:
        begun = client.post(f"{gateway.url}/mcp", json=_INITIALIZE, headers=_ACCEPT)
        session = {**_ACCEPT, "mcp-session-id": begun.headers["mcp-session-id"]}
        with (
            client.stream("GET", f"{gateway.url}/mcp", headers=session, timeout=1.0) as stream,
            pytest.raises(httpx2.ReadTimeout),  # it stays open, three times as long
        ):
            next(stream.iter_raw())


def test_the_token_is_in_no_log_and_in_no_description(
    open_gateway: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    gateway = open_gateway(token="always")
    gateway.get(f"/metrics?token={TOKEN}")
    gateway.get("/metrics", Authorization=f"Bearer {TOKEN}")
    gateway.get("/metrics", Host="evil.example", Authorization=f"Bearer {TOKEN}")
    ours = [one.getMessage() for one in caplog.records if one.name.startswith(("coordinator", "mcp", "uvicorn"))]
    assert any("refused GET 401" in message for message in ours)
    assert not any(TOKEN in message for message in ours)
    assert TOKEN not in repr(gateway.premises)


def test_who_asks_too_often_is_told_when_to_come_back(open_gateway: Callable[..., Any]) -> None:
    gateway = open_gateway(requests_per_s=0.5)
    assert [gateway.get("/healthz").status_code for _ in range(2)] == [200, 429]
    told = gateway.get("/healthz")
    assert 1 <= int(told.headers["retry-after"]) <= 2


def test_an_address_that_rested_may_ask_again() -> None:
    pace = Pace(2.0)
    assert [pace.wait_s("a", 10.0) for _ in range(5)] == [0.0, 0.0, 0.0, 0.0, 0.5]
    assert pace.wait_s("b", 10.0) == 0.0
    assert pace.wait_s("a", 10.5) == 0.0
    assert pace.wait_s("a", 10.5) == 0.5


def test_the_pace_remembers_a_bounded_number_of_addresses() -> None:
    pace = Pace(1.0)
    for number in range(MAX_ADDRESSES + 10):
        pace.wait_s(str(number), 1.0)
    assert len(pace) == MAX_ADDRESSES


_ACCEPT = {"Accept": "application/json, text/event-stream"}
_INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "raw", "version": "1"},
    },
}
