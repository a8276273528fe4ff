"""What a seed decides before it begins."""

from coordinator.simulation.chance import Chance
from coordinator.simulation.plan import MEAN_S, draw_plan


def test_each_fault_is_in_some_seeds_and_not_in_others() -> None:
    plans = [draw_plan(Chance(seed), seed) for seed in range(60)]
    for name in MEAN_S:
        assert 10 < sum(name in plan.faults for plan in plans) < 40, name


def test_some_queues_are_short_and_hold_a_request_of_each_agent_at_least() -> None:
    for n_agents, shortest in ((2, 6), (8, 8), (1_000, 1_000)):
        lengths = {draw_plan(Chance(seed), seed, n_agents=n_agents).limits.max_queue for seed in range(30)}
        assert lengths == {shortest, 2_000}


def test_a_seed_is_the_same_plan_each_time() -> None:
    assert draw_plan(Chance(7), 7) == draw_plan(Chance(7), 7)
    assert draw_plan(Chance(7), 7) != draw_plan(Chance(8), 7)
