"""Many processes want the same targets at the same time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("coordinator_up")]
N_PROCESSES = 8
TARGETS = [f"src/module_{number:03}.py" for number in range(200)]


@pytest.mark.parametrize(
    "n_rounds", [pytest.param(3, marks=pytest.mark.timeout(120)), pytest.param(20, marks=pytest.mark.soak)]
)
def test_each_target_has_one_winner_and_every_loser_learns_who(
    start_agent: Callable[..., Any], settings: Settings, n_rounds: int
) -> None:
    patient = settings.model_copy(update={"ttl_s": 30.0})
    agents = [start_agent(f"racer-{number}", settings=patient) for number in range(N_PROCESSES)]
    generations: dict[str, list[int]] = defaultdict(list)
    for turn in range(n_rounds):
        for number, agent in enumerate(agents):
            agent.tell("race", targets=TARGETS, seed=turn * N_PROCESSES + number)
        attempts = [(agent.id, attempt) for agent in agents for attempt in agent.answer(90.0)]
        winners = _winners(attempts)
        _check_losers(attempts, winners)
        for target in TARGETS:
            generations[target].append(winners[target][1])
        for agent in agents:
            own = [target for target in TARGETS if winners[target][0] == agent.id]
            assert not own or agent.ask("release", targets=own)["n_released"] == len(own)
    assert all(seen == sorted(set(seen)) for seen in generations.values())
    assert len({generation for seen in generations.values() for generation in seen}) == len(TARGETS) * n_rounds


def _winners(attempts: list[tuple[str, dict[str, Any]]]) -> dict[str, tuple[str, int]]:
    won = [(attempt["target"], agent_id, attempt["generation"]) for agent_id, attempt in attempts if attempt["granted"]]
    assert sorted(target for target, _, _ in won) == TARGETS
    return {target: (agent_id, generation) for target, agent_id, generation in won}


def _check_losers(attempts: list[tuple[str, dict[str, Any]]], winners: dict[str, tuple[str, int]]) -> None:
    lost = [attempt for _, attempt in attempts if not attempt["granted"]]
    assert len(lost) == len(TARGETS) * (N_PROCESSES - 1)
    for attempt in lost:
        (conflict,) = attempt["conflicts"]
        holder, generation = winners[attempt["target"]]
        assert (conflict["holder"], conflict["generation"]) == (holder, generation)
        assert conflict["age_s"] >= 0.0
        assert conflict["intent"] == f"win {attempt['target']}"
        assert attempt["next_step"]
