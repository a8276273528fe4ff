"""Agents inside Ray tasks and Ray actors: connected there, handed there, cancelled there, and left there."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import ray

from coordinator.aio import AsyncCoordinator
from coordinator.client import Coordinator
from coordinator.settings import Settings

SHARED_COORDINATOR = True
pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]
FILE = "src/a.py"
WITHIN_S = 45.0


@pytest.fixture
def ann(coordinator_up: Settings, patient: Settings, tree: Path) -> Iterator[Coordinator]:
    with Coordinator.connect(agent="ann", root=tree, settings=patient) as agent:
        yield agent


def _result(reference: Any) -> Any:
    return ray.get(reference, timeout=WITHIN_S)


def test_an_agent_connects_inside_a_task(ann: Coordinator, patient: Settings, tree: Path) -> None:
    @ray.remote(num_cpus=0)
    def work(settings: Settings, root: str) -> tuple[str, bool, str]:
        with Coordinator.connect(agent="tess", root=root, settings=settings) as tess:
            granted = bool(tess.claim("src/b.py"))
            return tess.agent_id, granted, tess.claim(FILE).to_dict()["conflicts"][0]["holder"]

    assert ann.claim(FILE)
    agent_id, granted, holder = _result(work.remote(patient, str(tree)))
    assert agent_id.startswith("tess#")
    assert granted
    assert holder == ann.agent_id
    assert ann.claim("src/b.py")


@pytest.mark.parametrize("how", ["returns", "raises"])
def test_a_task_that_ends_without_closing_gives_back_what_it_claimed(
    ann: Coordinator, patient: Settings, tree: Path, how: str
) -> None:
    @ray.remote(num_cpus=0, max_retries=0)
    def work(settings: Settings, root: str) -> bool:
        tess = Coordinator.connect(agent="tess", root=root, settings=settings)
        granted = bool(tess.claim(FILE))
        if how == "raises":
            raise ValueError("the task has failed")
        return granted

    if how == "returns":
        assert _result(work.remote(patient, str(tree)))
    else:
        with pytest.raises(ValueError, match="the task has failed"):
            _result(work.remote(patient, str(tree)))
    assert ann.claim(FILE, wait_s=20.0)


def test_an_agent_handed_to_other_processes_becomes_children_that_block_each_other_only(ann: Coordinator) -> None:
    @ray.remote(num_cpus=0)
    class Child:
        def __init__(self, agent: Coordinator) -> None:
            self.agent = agent

        def claim(self, target: str) -> tuple[str, dict[str, Any]]:
            return self.agent.agent_id, self.agent.claim(target).to_dict()

    assert ann.claim("src/")
    first, second = Child.remote(ann), Child.remote(ann)
    first_id, granted = _result(first.claim.remote(FILE))
    second_id, refused = _result(second.claim.remote(FILE))
    assert first_id != second_id
    assert first_id.startswith("ann/")
    assert second_id.startswith("ann/")
    assert granted["granted"]
    assert not refused["granted"]
    assert refused["conflicts"][0]["holder"] == first_id
    rows = {row.session_id: row.parent for row in ann.sessions().rows}
    assert rows[first_id] == rows[second_id] == ann.agent_id


def test_a_cancelled_waiter_leaves_the_line_at_once(ann: Coordinator, patient: Settings, tree: Path) -> None:
    @ray.remote(num_cpus=0)
    class Waiter:
        async def start(self, settings: Settings, root: str) -> str:
            self.agent = await AsyncCoordinator.connect(agent="will", root=root, settings=settings)
            return self.agent.agent_id

        async def wait_and_cancel(self, target: str) -> str:
            waiting = asyncio.create_task(self.agent.claim(target, wait_s=60.0))
            while not (await self.agent.sync()).n_waiters:
                await asyncio.sleep(0.02)
            waiting.cancel()
            try:
                await waiting
            except asyncio.CancelledError:
                return "cancelled"
            return "not cancelled"

        async def claim(self, target: str) -> bool:
            return bool(await self.agent.claim(target))

    held = ann.claim(FILE)
    waiter = Waiter.remote()
    assert _result(waiter.start.remote(patient, str(tree))).startswith("will#")
    assert _result(waiter.wait_and_cancel.remote(FILE)) == "cancelled"
    until_s = time.monotonic() + 10.0
    while ann.sync().n_waiters and time.monotonic() < until_s:
        time.sleep(0.02)
    assert ann.sync().n_waiters == 0
    assert held.release().n_released == 1
    assert ann.sync().n_claims == 0
    assert _result(waiter.claim.remote(FILE))


def test_many_async_agents_of_one_actor_work_side_by_side(ann: Coordinator, patient: Settings, tree: Path) -> None:
    @ray.remote(num_cpus=0)
    class Crew:
        async def work(self, settings: Settings, root: str) -> list[bool]:
            async def one(number: int) -> bool:
                async with await AsyncCoordinator.connect(agent=f"c{number}", root=root, settings=settings) as agent:
                    claim = await agent.claim("task:only", wait_s=30.0)
                    await asyncio.sleep(0.01)
                    return bool(claim)

            return list(await asyncio.gather(*(one(number) for number in range(8))))

    assert _result(Crew.remote().work.remote(patient, str(tree))) == [True] * 8
    assert ann.sync().n_claims == 0
