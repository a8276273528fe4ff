"""Playbooks and facts on real Ray: what was kept outlives the actor's process, and is found by the real model."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from actors.memory.entry import Entry
from coordinator.client import Coordinator
from coordinator.domain import MEMORY
from coordinator.ray_transport import RayTransport
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster]
DEADLINE_S = 60.0


@pytest.mark.timeout(180)
def test_what_was_kept_outlives_the_actor_and_is_found_by_meaning(coordinator_up: Settings, tree: Path) -> None:
    with Coordinator.connect(agent="ann", root=tree, settings=coordinator_up) as ann:
        ann.facts.remember("food", "breakfast", "the bakery sells fresh bread in the morning")
        ann.facts.remember("build", "release", "a release is cut on the last Friday of a month")
        ann.playbook.note("Strategy", "bake before you sell")
        text = ann.playbook.checkpoint().text
        _kill(coordinator_up)
        assert ann.playbook.render() == text == "[1] Strategy: bake before you sell\n"
        assert ann.facts.recall(key="release").found[0].fact.agent == ann.agent_id
        assert ann.wakeup("sell bread", max_tokens=200).placed[0].fact.key == "breakfast"
        _index_all(ann, 2)
        found = ann.facts.recall("loaves from the oven", by="meaning", n=1)
        assert (found.ways, found.note) == (("semantic",), "")
        assert [one.fact.key for one in found] == ["breakfast"]


@pytest.mark.timeout(180)
def test_agents_that_write_at_once_each_see_their_own_writes(coordinator_up: Settings, tree: Path) -> None:
    """Four agents remember, confirm and contradict under keys of their own and one shared key, and recall at once."""
    start = threading.Barrier(4)

    def work(name: str) -> list[str]:
        with Coordinator.connect(agent=name, root=tree, settings=coordinator_up) as agent:
            start.wait(DEADLINE_S)
            return [wrong for n in range(25) for wrong in _unseen(agent, name, n)]

    with ThreadPoolExecutor(4) as pool:
        wrong = list(pool.map(work, ("ann", "bob", "cyd", "dan")))
    assert wrong == [[], [], [], []]
    with Coordinator.connect(agent="eve", root=tree, settings=coordinator_up) as eve:
        assert eve.facts.recall(category="own", n=200).n_all == 100
        assert eve.facts.recall(key="shared").n_all == 4


def _unseen(agent: Coordinator, name: str, n: int) -> Iterator[str]:
    """What the agent wrote and does not find again at once."""
    agent.facts.remember("own", f"{name}_{n}", f"says {n}")
    if [one.fact.value for one in agent.facts.recall(key=f"{name}_{n}")] != [f"says {n}"]:
        yield f"{name}_{n}"
    agent.facts.remember("common", "shared", f"is {name}")
    if f"is {name}" not in {one.fact.value for one in agent.facts.recall(key="shared")}:
        yield f"shared after {n}"
    told = " ".join(f"{name}{n}{word}" for word in ("seeks", "finds", "tells"))  # no other entry says something like it
    agent.playbook.add("Fact", told, scope="project")
    if all(entry.content != told for entry in _project(agent)):
        yield f"entry {n}"


def _project(agent: Coordinator) -> tuple[Entry, ...]:
    return agent.playbook.view(scope="project").entries


def _kill(settings: Settings) -> None:
    """Kill the actor's process, and come back when another one serves."""
    transport = RayTransport(settings.namespace)
    before = transport.describe(MEMORY, DEADLINE_S)["pid"]
    os.kill(before, signal.SIGKILL)
    assert transport.describe(MEMORY, DEADLINE_S)["pid"] != before


def _index_all(agent: Coordinator, n_facts: int) -> None:
    """Wait until the model is there and every fact has its vector."""
    until_s = time.monotonic() + DEADLINE_S
    while agent._do(agent._core.playbook.statistics()).n_indexed < n_facts:
        assert time.monotonic() < until_s, agent.embedding_status()
        agent.facts.index()
        time.sleep(0.1)
