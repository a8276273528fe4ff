"""A process carries a request out and dies before it answers; the next one turns the same request away unread."""

from collections.abc import Callable
from typing import Any

import pytest

from actors.runtime.errors import InvariantBroken, Unavailable
from actors.runtime.wire import encode_reply, pack

BUSY = encode_reply([pack([("busy", 0.0, "2000 requests are queued")])])
UNAVAILABLE = encode_reply([pack([("failed", "unavailable", "the store does not answer: nothing was done")])])
BROKEN = encode_reply([pack([("failed", "invariant_broken", "a bug")])])


@pytest.fixture
def carried_out_and_turned_away(transport: Any, monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes, int], None]:
    """The next calls are carried out, and what their caller hears is another reply."""
    call = transport.call
    replies: list[bytes] = []

    def call_or_turn_away(domain: str, raw: bytes, timeout_s: float) -> bytes:
        reply: bytes = call(domain, raw, timeout_s)
        return replies.pop() if replies else reply

    monkeypatch.setattr(transport, "call", call_or_turn_away)
    return lambda reply, n_calls: replies.extend([reply] * n_calls)


def test_who_was_turned_away_comes_again_with_the_same_request(
    agent: Any, carried_out_and_turned_away: Callable[[bytes, int], None]
) -> None:
    ann = agent("ann")
    carried_out_and_turned_away(BUSY, 3)
    assert ann.deposit("a.py", "STUCK", intensity=0.5) == 0.5, "left once, though it was asked for four times"


def test_a_release_that_was_carried_out_before_it_was_turned_away_is_told(
    agent: Any, carried_out_and_turned_away: Callable[[bytes, int], None]
) -> None:
    ann = agent("ann")
    ann.claim("a.py")
    carried_out_and_turned_away(BUSY, 1)
    assert ann.release("a.py").n_released == 1


@pytest.mark.parametrize(
    ("reply", "error"), [(UNAVAILABLE, Unavailable), (BROKEN, InvariantBroken)], ids=["unavailable", "a bug"]
)
def test_what_was_carried_out_before_its_caller_heard_that_nothing_was_done_is_undone(
    agent: Any,
    carried_out_and_turned_away: Callable[[bytes, int], None],
    reply: bytes,
    error: type[Exception],
) -> None:
    ann, bob = agent("ann"), agent("bob")
    carried_out_and_turned_away(reply, 1)
    with pytest.raises(error):
        ann.claim("a.py")
    assert not bob.claim("a.py")
    ann.heartbeat()
    assert bob.claim("a.py"), "ann knows of no claim, and nobody else would ever end it while she lives"


def test_the_next_request_tells_it_too(agent: Any, carried_out_and_turned_away: Callable[[bytes, int], None]) -> None:
    ann, bob = agent("ann"), agent("bob")
    carried_out_and_turned_away(UNAVAILABLE, 1)
    with pytest.raises(Unavailable):
        ann.claim("a.py")
    assert ann.claim("long.py")
    assert bob.claim("a.py")
