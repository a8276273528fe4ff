"""Processes that wait for each other, hand over to each other, watch each other, and give up."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coordinator.settings import Settings

SHARED_COORDINATOR = True
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120), pytest.mark.usefixtures("coordinator_up")]
Start = Callable[..., Any]
FILE = "src/a.py"


def _line_up(agents: list[Any], observer: Any, wait_until: Any, n_before: int = 0) -> None:
    """Have them wait for the file, one after the other."""
    for number, agent in enumerate(agents, start=n_before + 1):
        agent.tell("claim", targets=[FILE], wait_s=40.0)
        wait_until(lambda number=number: observer.ask("sync")["n_waiters"] == number)


def test_who_came_first_is_served_first(start_agent: Start, patient: Settings, wait_until: Any) -> None:
    ann, *line = (start_agent(name, settings=patient) for name in ("ann", "bob", "cat", "dan"))
    generations = [ann.ask("claim", targets=[FILE])["generation"]]
    _line_up(line, ann, wait_until)
    holder = ann
    for position, agent in enumerate(line):
        assert not any(other.has_answer for other in line[position:])
        assert holder.ask("release", targets=[FILE])["n_released"] == 1
        got = agent.answer(20.0)
        assert got["granted"]
        generations.append(got["generation"])
        holder = agent
    assert generations == sorted(set(generations))


def test_a_waiter_that_was_killed_leaves_the_line(start_agent: Start, wait_until: Any, join: Any) -> None:
    ann, bob, cat = (start_agent(name) for name in ("ann", "bob", "cat"))
    ann.ask("claim", targets=[FILE])
    _line_up([bob, cat], ann, wait_until)
    bob.kill()
    wait_until(lambda: ann.ask("sync")["n_waiters"] == 1)
    ann.ask("release", targets=[FILE])
    assert cat.answer(20.0)["granted"]


def test_a_hand_over_fences_the_giver(start_agent: Start, patient: Settings, tree: Path) -> None:
    ann, bob = start_agent("ann", settings=patient), start_agent("bob", settings=patient)
    old = ann.ask("claim", targets=[FILE])["generation"]
    given = ann.ask("transfer", generation=old, to_agent=bob.id, note="tests are red")
    assert given["granted"]
    assert given["generation"] > old
    stale = ann.ask("check", path=FILE, generation=old)
    assert (stale["holds"], stale["holder"]) == (False, bob.id)
    assert bob.ask("check", path=FILE, generation=given["generation"])["holds"]
    refused = ann.ask("edit", path=FILE, old="return 1", new="return 2")
    assert (refused["applied"], refused["cause"]) == (False, "claimed")
    assert bob.id in refused["message"]
    assert bob.ask("edit", path=FILE, old="return 1", new="return 3")["applied"]
    assert "return 3" in (tree / FILE).read_text(encoding="utf-8")


def test_who_watches_hears_of_a_claim_in_another_process(start_agent: Start, patient: Settings) -> None:
    ann, bob = start_agent("ann", settings=patient), start_agent("bob", settings=patient)
    version = bob.ask("sync")["version"]
    bob.tell("watch", version=version, timeout_s=30.0)
    time.sleep(0.2)  # not a wait for something: nothing happens meanwhile, and so nothing may be answered
    assert not bob.has_answer
    ann.ask("claim", targets=[FILE])
    changes = bob.answer(20.0)
    assert not changes["resync"]
    assert [(one["what"], one["target"], one["agent"]) for one in changes["changes"]] == [("claimed", FILE, ann.id)]
    assert bob.ask("watch", version=changes["version"], timeout_s=0.0)["changes"] == []


@pytest.mark.parametrize("wait_s", [0.0, 0.5])
def test_a_claim_that_was_given_up_is_not_held_in_the_end(
    start_agent: Start, patient: Settings, actor_pid: Callable[[str], int], wait_until: Any, wait_s: float
) -> None:
    hasty = patient.model_copy(update={"call_timeout_s": 1.0})
    ann, bob = start_agent("ann", settings=hasty), start_agent("bob", settings=patient)
    pid = actor_pid("scent_field")
    os.kill(pid, signal.SIGSTOP)
    try:
        started_s = time.monotonic()
        with pytest.raises(ann.Refusal, match=r"Unavailable.*no permission"):
            ann.ask("claim", targets=[FILE], wait_s=wait_s)
        assert time.monotonic() - started_s < 10.0
    finally:
        os.kill(pid, signal.SIGCONT)
    later = wait_until(lambda: _claimed(ann, "src/c.py"))
    assert later["granted"]
    wait_until(lambda: bob.ask("sync")["n_claims"] == 1)
    assert bob.ask("claim", targets=[FILE])["granted"]
    assert bob.ask("check", path="src/c.py")["holder"] == ann.id


def _claimed(agent: Any, target: str) -> Any:
    """The answer, or None while the actor that was stopped has not caught up."""
    try:
        return agent.ask("claim", targets=[target])
    except agent.Refusal:
        return None
