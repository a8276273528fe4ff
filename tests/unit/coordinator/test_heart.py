"""The thread that keeps a session alive, on real threads and a coordinator in this process."""

from __future__ import annotations

import gc
import threading
import time
import weakref

import pytest

from actors.runtime.errors import Unavailable
from coordinator.heart import Heart


@pytest.fixture
def beats(agent, transport):
    """An agent with a TTL of one second and its heart; `heard` are the times of its calls, `lost` answers to lose."""
    ann = agent("ann", ttl_s=1.0)
    heard: list[float] = []
    beaten = threading.Event()
    call = transport.call

    def note(domain: str, raw: bytes, timeout_s: float) -> bytes:
        heard.append(time.monotonic())
        beaten.set()
        if len(heard) == 1:
            raise Unavailable("lost")
        return call(domain, raw, timeout_s)

    transport.call = note
    heart = Heart(ann._core.session, transport, monotonic=lambda: transport.now_s, owner=ann)
    yield ann, heart, heard, beaten
    heart.stop()


def wait_for(condition, deadline_s: float = 10.0) -> None:
    until_s = time.monotonic() + deadline_s
    while not condition():
        assert time.monotonic() < until_s
        threading.Event().wait(0.01)


def test_a_heartbeat_that_was_not_taken_is_repeated_soon(beats):
    _, heart, heard, _ = beats
    heart.start()
    wait_for(lambda: len(heard) >= 3)
    assert heard[1] - heard[0] < heard[2] - heard[1]


def test_a_heart_whose_owner_is_gone_says_goodbye(agent, transport):
    class Owner:
        pass

    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py")
    owner = Owner()
    heart = Heart(ann._core.session, transport, monotonic=lambda: transport.now_s, owner=owner)
    heart.start()
    del owner
    wait_for(lambda: bob.claim("a.py"))


def test_an_agent_that_nobody_holds_any_more_is_gone_at_once(agent, tree):
    """Without waiting for Python to look for rings: in a worker that idles nothing makes it look."""
    ann = agent("ann")
    gc.collect()
    gc.disable()
    try:
        ann.read("long.py")
        ann.learning()
        with ann.claim("a.py"):
            ann.edit("a.py", old="return 1", new="return 2")
        owner = weakref.ref(ann._core)
        del ann
        assert owner() is None
    finally:
        gc.enable()
