"""The coordinator stands still for many times the TTL: the living keep what they hold, the dead do not."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from coordinator.domain import SCENT_FIELD
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster]
TTL_S = 4.0  # field time goes on by up to 2 s when the actor goes on, before it has heard anybody
SLACK_S = 8.0  # for a busy machine; the promise is the TTL and the lock delay


@contextmanager
def standing_still(pid: int) -> Iterator[None]:
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


@pytest.mark.parametrize(
    "outage_s",
    [
        pytest.param(20.0, marks=pytest.mark.timeout(180)),
        pytest.param(600.0, marks=[pytest.mark.soak, pytest.mark.timeout(900)]),
    ],
)
def test_an_outage_ends_no_live_agent_s_claim_and_a_dead_one_s_ends_within_its_ttl_after(
    start_agent: Callable[..., Any],
    coordinator_up: Settings,
    actor_pid: Callable[[str], int],
    wait_until: Callable[..., Any],
    outage_s: float,
) -> None:
    hasty = coordinator_up.model_copy(update={"call_timeout_s": 1.0, "ttl_s": TTL_S})
    patient = hasty.model_copy(update={"call_timeout_s": 30.0})
    ann, bob, cat = (
        start_agent(name, settings=one) for name, one in (("ann", hasty), ("bob", hasty), ("cat", patient))
    )
    held = ann.ask("claim", targets=["src/a.py"])
    assert bob.ask("claim", targets=["src/b.py"])["granted"]
    with standing_still(actor_pid(SCENT_FIELD)):
        until_s = time.monotonic() + outage_s
        wait_until(lambda: ann.ask("valid") == [False])  # past its own deadline a client believes nothing
        with pytest.raises(ann.Refusal, match="Unavailable"):
            ann.ask("edit", path="src/a.py", old="return 1", new="return 2")
        bob.kill()
        wait_until(lambda: time.monotonic() > until_s, deadline_s=outage_s + 1.0)
        assert ann.ask("valid") == [False]
    back_s = time.monotonic()
    overtaken = cat.ask("claim", targets=["src/b.py"], wait_s=30.0)
    assert overtaken["granted"]
    assert time.monotonic() - back_s < TTL_S + hasty.lock_delay_s + SLACK_S
    assert wait_until(lambda: ann.ask("valid") == [True])
    assert ann.ask("check", path="src/a.py", generation=held["generation"])["holds"]
    refused = cat.ask("claim", targets=["src/a.py"])
    (conflict,) = refused["conflicts"]
    assert (conflict["holder"], conflict["generation"]) == (ann.id, held["generation"])
    assert ann.ask("edit", path="src/a.py", old="return 1", new="return 2")["applied"]
