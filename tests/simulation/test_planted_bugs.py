"""Each planted bug is found, which shows that the checker would find it if somebody made it by mistake."""

import sys

import pytest

from coordinator.simulation.planted import N_SEEDS, Caught, hunt_all, planted_bugs

N_STEPS, N_AGENTS = 2_000, 8
MAX_S = 300.0
"""For all of them on two processors; about 100 s where nothing else runs."""


@pytest.fixture(scope="module")
def caught() -> dict[str, Caught]:
    found = hunt_all(planted_bugs(), n_steps=N_STEPS, n_agents=N_AGENTS)
    told = [f"{one.name}: seed {one.seed}, {one.seconds:.1f} s, {one.rule}: {one.message}\n" for one in found]
    sys.stdout.writelines(told)
    return {one.name: one for one in found}


@pytest.mark.timeout(2 * MAX_S)
@pytest.mark.parametrize("name", [bug.name for bug in planted_bugs()])
def test_a_planted_bug_is_found_within_200_seeds(caught: dict[str, Caught], name: str) -> None:
    seed = caught[name].seed
    assert seed is not None, f"{name} was not found in {N_SEEDS} seeds"
    assert seed < N_SEEDS
    assert caught[name].rule not in ("", "the world goes on")
