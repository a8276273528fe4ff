"""A seed that does not come to an end is broken off, and told as what it is."""

import threading
from typing import Any

import pytest

from coordinator.simulation import verdict
from coordinator.simulation.disk import DiskRoom
from coordinator.simulation.verdict import run_seed
from coordinator.simulation.watchdog import TooSlow, patience_s, watched
from coordinator.simulation.world import World


def loop_for_ever(*_: Any) -> None:
    while True:
        try:
            while True:
                pass
        except Exception:  # as a mailbox does: it must not stop the watchdog
            continue


def test_a_loop_is_broken_off() -> None:
    with pytest.raises(TooSlow, match=r"no end after 0\.05 s"), watched(0.05):
        loop_for_ever()


def test_what_ends_in_time_is_left_alone_and_so_is_another_thread() -> None:
    with watched(5.0):
        assert patience_s(2_000) == 100.0
    done: list[bool] = []

    def elsewhere() -> None:
        with watched(0.01):
            done.append(True)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert done == [True]


def test_a_world_that_hangs_or_raises_is_a_broken_promise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict, "patience_s", lambda _n_steps: 0.05)
    with DiskRoom() as room:
        for run, told in ((loop_for_ever, "TooSlow: no end"), (lambda _world: 1 / 0, "ZeroDivisionError")):
            monkeypatch.setattr(World, "run", run)
            broken = run_seed(0, n_steps=10, n_agents=1, room=room).violations()
            assert [violation.rule for violation in broken] == ["the world goes on"]
            assert broken[0].message.startswith(told)
