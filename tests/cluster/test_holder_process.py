"""Processes that hold claims and end: by a kill, by a normal exit, by an exception, or by falling asleep."""

from __future__ import annotations

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


def test_claims_of_a_killed_process_are_free_within_ttl_plus_lock_delay(start_agent: Start, settings: Settings) -> None:
    ann, bob, cat = (start_agent(name) for name in ("ann", "bob", "cat"))
    held = ann.ask("claim", targets=[FILE], intent="fix a")
    bob.tell("claim", targets=[FILE], wait_s=20.0)
    ann.kill()
    killed_s = time.monotonic()
    got = bob.answer()
    took_s = time.monotonic() - killed_s
    assert got["granted"]
    assert got["generation"] == held["generation"] + 1
    assert settings.lock_delay_s <= took_s < settings.ttl_s + settings.lock_delay_s + 1.0
    refused = cat.ask("check", path=FILE, generation=held["generation"])
    assert not refused["holds"]
    assert refused["holder"] == bob.id
    assert "expired" in refused["why"]


def test_a_process_that_takes_a_dead_ones_name_is_somebody_else(start_agent: Start) -> None:
    ann, second = start_agent("ann"), start_agent("ann")
    held = ann.ask("claim", targets=[FILE])
    assert second.id != ann.id
    assert second.id.partition("#")[0] == ann.id.partition("#")[0] == "ann"
    not_released = second.ask("release", targets=[FILE])
    assert not_released["n_released"] == 0
    assert ann.id in not_released["not_released"][0][1]
    ann.kill()
    assert not second.ask("check", path=FILE, generation=held["generation"])["holds"]
    got = second.ask("claim", targets=[FILE], wait_s=20.0)
    assert not got["renewed"]
    assert got["generation"] > held["generation"]
    assert second.ask("losses") == []


@pytest.mark.parametrize("how", ["exit", "crash"])
def test_a_process_that_ends_by_itself_gives_back_at_once(start_agent: Start, how: str) -> None:
    ann, bob = start_agent("ann"), start_agent("bob")
    assert ann.ask("claim", targets=[FILE])["granted"]
    ann.tell(how)
    assert ann.wait() == (0 if how == "exit" else 1)
    assert bob.ask("claim", targets=[FILE])["granted"]


@pytest.mark.parametrize("how", ["python", "c"])
def test_an_agent_that_thinks_for_longer_than_its_ttl_keeps_its_claims(
    start_agent: Start, settings: Settings, how: str
) -> None:
    ann, bob = start_agent("ann"), start_agent("bob")
    held = ann.ask("claim", targets=[FILE])
    ann.ask("think", how=how, for_s=settings.ttl_s * 2.0)
    assert ann.ask("valid") == [True]
    assert ann.ask("check", path=FILE, generation=held["generation"])["holds"]
    assert not bob.ask("claim", targets=[FILE])["granted"]


def test_a_paused_process_is_overtaken_and_knows_it_before_it_asks(start_agent: Start, tree: Path) -> None:
    ann, bob = start_agent("ann"), start_agent("bob")
    held = ann.ask("claim", targets=[FILE])
    ann.signal(signal.SIGSTOP)
    overtaken = bob.ask("claim", targets=[FILE], wait_s=20.0)
    assert overtaken["generation"] == held["generation"] + 1
    ann.tell("valid")
    ann.tell("edit", path=FILE, old="return 1", new="return 2")
    ann.signal(signal.SIGCONT)
    assert ann.answer() == [False]
    with pytest.raises(ann.Refusal, match=r"UnknownAgent.*register anew") as refused:
        ann.answer()
    assert bob.id in refused.value.message
    assert "return 1" in (tree / FILE).read_text(encoding="utf-8")
    with pytest.raises(ann.Refusal, match="UnknownAgent"):
        ann.ask("claim", targets=["src/b.py"])
    anew = ann.ask("register_anew")
    assert anew != ann.id
    assert ann.ask("claim", targets=["src/b.py"])["granted"]
    assert not ann.ask("claim", targets=[FILE])["granted"]
