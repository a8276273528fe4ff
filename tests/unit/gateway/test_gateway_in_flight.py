"""Which ids of a session's requests are taken."""

from __future__ import annotations

import pytest

from coordinator.gateway.in_flight import InFlight, is_too_long, request_id


def test_an_id_is_taken_until_its_answer_is_there() -> None:
    in_flight = InFlight()
    assert in_flight.took("a", 7)
    assert not in_flight.took("a", 7)
    assert not in_flight.took("a", "7"), "the library does not tell these apart"
    assert in_flight.took("b", 7), "another session's"
    in_flight.answered("a", 7)
    in_flight.answered("a", 7)
    assert in_flight.took("a", "7")
    in_flight.answered("a", "7")
    in_flight.answered("b", 7)
    assert len(in_flight) == 0


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (b'{"jsonrpc":"2.0","id":7,"method":"ping"}', 7),
        (b'{"jsonrpc":"2.0","id":"x","method":"ping"}', "x"),
        (b'{"jsonrpc":"2.0","id":"","method":"ping"}', ""),
        (b'{"jsonrpc":"2.0","id":7,"result":{}}', None),
        (b'{"jsonrpc":"2.0","method":"notifications/initialized"}', None),
        (b'{"id":true,"method":"ping"}', None),
        (b'{"id":1.5,"method":"ping"}', None),
        (b'{"id":{},"method":"ping"}', None),
        (b'[{"id":7,"method":"ping"}]', None),
        (b"7", None),
        (b"{", None),
        (b"\xff\xfe", None),
        (b"", None),
        (b"[" * 100_000, None),
    ],
)
def test_only_a_request_has_an_id_to_answer_under(body: bytes, found: str | int | None) -> None:
    assert request_id(body) == found


def test_an_id_that_nobody_can_write_down_is_too_long() -> None:
    assert not is_too_long("x" * 200)
    assert is_too_long("x" * 201)
    assert not is_too_long(-(10**200) + 1)
    assert is_too_long(10**200)
    assert is_too_long(-(10**5_000))
