"""`doctor` and `up` on the gateway: whether it runs, answers, and with which settings."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from coordinator.gateway.address_file import GatewayAddress, write_address
from coordinator.gateway.as_started import as_started
from coordinator.gateway.settings import GatewaySettings
from coordinator.gateway.token import own_token


class Front(http.server.BaseHTTPRequestHandler):
    """Answers as a gateway does, or as nothing that we know."""

    status, body = 200, b"{}"

    def do_GET(self) -> None:  # the library's name
        self.send_response(self.status)
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def front() -> Iterator[type[Front]]:
    class Own(Front):
        url = ""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Own)
    Own.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield Own
    server.shutdown()
    thread.join(30.0)
    server.server_close()


def run_gateway(scentfield: Any, front: Any, root: Path, **settings: Any) -> None:
    scentfield.house.web["gateway"] = {
        "pid": 1,
        "url": front.url,
        "trouble": "",
        "started_with": as_started(GatewaySettings(**settings), root),
    }
    own_token(scentfield.state_dir)


def finding(scentfield: Any, expect: int = 0) -> tuple[str, str, str]:
    document = scentfield.json("doctor", expect=expect)
    (found,) = [one for one in document["findings"] if one["name"] == "gateway"]
    return found["state"], found["what"], found["next_step"]


def test_a_gateway_that_answers_as_it_is_set_is_well(scentfield: Any, front: Any, tree: Path) -> None:
    run_gateway(scentfield, front, tree)
    assert finding(scentfield) == ("ok", f"serves at {front.url}, the page for people too", "")


def test_one_that_was_never_started_is_said_and_is_no_fault(scentfield: Any) -> None:
    assert finding(scentfield) == ("skipped", "none was started: `scentfield up` starts one", "")


def test_one_that_is_not_wanted_is_not_looked_for(scentfield: Any, tree: Path) -> None:
    (tree / "scentfield.toml").write_text("[gateway]\nenabled = false\n")
    assert finding(scentfield)[:2] == ("skipped", "none is wanted: enabled under [gateway] is false")


def test_one_that_has_served_and_is_gone_is_a_fault(scentfield: Any) -> None:
    write_address(scentfield.state_dir, GatewayAddress("http://127.0.0.1:1", "scentfield", False))
    state, what, next_step = finding(scentfield, expect=4)
    assert (state, next_step) == ("failed", "`scentfield up` starts one")
    assert what.startswith("it has served here, and is gone: ")


def test_one_that_cannot_listen_says_why(scentfield: Any, front: Any, tree: Path) -> None:
    run_gateway(scentfield, front, tree)
    scentfield.house.web["gateway"] |= {"url": "", "trouble": "the port is taken"}
    assert finding(scentfield, expect=4)[:2] == ("failed", "the port is taken")


def test_one_that_does_not_answer_where_it_says_is_a_fault(scentfield: Any, front: Any, tree: Path) -> None:
    run_gateway(scentfield, front, tree)
    scentfield.house.web["gateway"]["url"] = "http://127.0.0.1:1"
    state, what, _ = finding(scentfield, expect=4)
    assert (state, what) == (
        "failed",
        "it says that it serves at http://127.0.0.1:1, and does not answer there (ConnectionRefusedError)",
    )


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (503, json.dumps({"problems": {"memory": "memory is gone"}}).encode(), "answers 503: memory is gone"),
        (200, b"<html>", "does not answer there (JSONDecodeError)"),
    ],
)
def test_what_it_answers_is_told(scentfield: Any, front: Any, tree: Path, status: int, body: bytes, why: str) -> None:
    run_gateway(scentfield, front, tree)
    front.status, front.body = status, body
    state, what, _ = finding(scentfield, expect=4)
    assert state == "failed"
    assert why in what


def test_settings_that_it_was_not_started_with_are_named_with_what_to_do(
    scentfield: Any, front: Any, tree: Path
) -> None:
    run_gateway(scentfield, front, tree)
    (tree / "scentfield.toml").write_text('[gateway]\ntoken = "always"\n')
    state, what, next_step = finding(scentfield, expect=1)
    assert state == "failed"
    assert "token is 'elsewhere' there, and 'always' in the settings" in what
    assert next_step.startswith("`scentfield down`, then `scentfield up`")


def test_a_tree_that_it_does_not_serve_is_named(scentfield: Any, front: Any, tree: Path, tmp_path: Path) -> None:
    run_gateway(scentfield, front, tmp_path / "elsewhere")
    assert f"and not in {tree}: add it to roots under [gateway]" in finding(scentfield, expect=1)[1]


def test_a_token_that_others_can_read_or_that_is_gone_is_a_fault(scentfield: Any, front: Any, tree: Path) -> None:
    run_gateway(scentfield, front, tree)
    token = scentfield.state_dir / "gateway.token"
    token.chmod(0o644)
    assert "has mode 0644" in finding(scentfield, expect=1)[1]
    token.unlink()
    assert "its token is not in the state folder any more" in finding(scentfield, expect=1)[1]


def test_up_says_that_a_gateway_that_was_there_keeps_its_settings(scentfield: Any) -> None:
    scentfield.house.gateway_differences = ("port is 1 there, and 2 in the settings",)
    told = scentfield("up")
    assert "the gateway was there already: port is 1 there, and 2 in the settings" in told.stderr
    assert "to change that: `scentfield down`, then `scentfield up`" in told.stderr
    assert scentfield.json("up")["gateway_differences"] == ["port is 1 there, and 2 in the settings"]
    scentfield.house.gateway_differences = ()
    assert "the gateway was there" not in scentfield("up").stderr
