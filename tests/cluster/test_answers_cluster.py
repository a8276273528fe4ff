"""The feedback loop on real Ray: on the real index, by all agents, and what was told outlives the actor's process."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from actors.quality_store.answer_message import RecordAnswer, StepTaken
from coordinator.aio import AsyncCoordinator
from coordinator.client import Coordinator
from coordinator.domain import QUALITY_STORE
from coordinator.feedback.answer import Answer
from coordinator.feedback.extractive import Extractive
from coordinator.feedback.iteration import Origin
from coordinator.feedback.loop import QualityFeedbackLoop
from coordinator.ray_transport import RayTransport
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster]
DEADLINE_S = 60.0
QUESTION = "which animal swims?"
PAGES = "# Pets\n\n## Parrot\n\nIt talks.\n\n## Walrus\n\nThis animal swims. It is large.\n"


@pytest.mark.timeout(180)
def test_what_one_agent_has_learned_helps_another_and_outlives_the_actor(coordinator_up: Settings, tree: Path) -> None:
    (tree / "pets.md").write_text(PAGES, encoding="utf-8")
    report = RecordAnswer(0.9, 0.5, "converged", 2, 0, (StepTaken("coherence", "full_requery", 0.4),))
    with (
        Coordinator.connect(agent="ann", root=tree, settings=coordinator_up) as ann,
        Coordinator.connect(agent="bob", root=tree, settings=coordinator_up) as bob,
    ):
        for _ in range(10):
            ann.answers.record(report)
        before = ann.answers.quality()
        _kill(coordinator_up)
        assert bob.answers.quality() == before
        question = next(text for n in range(100) if not bob.answers.advice(text := f"{QUESTION} {n}").is_held_out)
        answer = QualityFeedbackLoop(0.95, top_k=1, agent=bob).run(question, retriever=bob, generator=Extractive())
        assert answer.notes == ()
        assert answer.text.startswith("This animal swims.")
        assert answer.iterations[1].tried.origin is Origin.LEARNED
        assert [window.name for window in bob.answers.quality().agents] == [ann.agent_id, bob.agent_id]


@pytest.mark.timeout(180)
def test_the_async_client_asks_and_tells_too(coordinator_up: Settings, tree: Path) -> None:
    (tree / "pets.md").write_text(PAGES, encoding="utf-8")

    async def ask() -> tuple[Answer, int]:
        async with AsyncCoordinator.connect(agent="cyd", root=tree, settings=coordinator_up) as cyd:
            loop = QualityFeedbackLoop(agent=cyd)
            answer = await loop.run_async(QUESTION, retriever=cyd, generator=Extractive())
            return answer, sum(row.n for row in (await cyd.answers.quality()).counts.arms)

    answer, n_counted = asyncio.run(ask())
    assert (answer.notes, n_counted) == ((), 1)
    assert answer.text.startswith("This animal swims.")


def _kill(settings: Settings) -> None:
    """Kill the actor's process, and come back when another one serves."""
    transport = RayTransport(settings.namespace)
    before = transport.describe(QUALITY_STORE, DEADLINE_S)["pid"]
    os.kill(before, signal.SIGKILL)
    assert transport.describe(QUALITY_STORE, DEADLINE_S)["pid"] != before
