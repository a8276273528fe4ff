"""Many seeds: what is counted, what is told first, and who does the work."""

import pytest

from coordinator.simulation import campaign as campaign_module
from coordinator.simulation.campaign import Campaign, explore
from coordinator.simulation.verdict import Verdict, Violation


def broken(seed: int) -> Verdict:
    violations = tuple(Violation(seed, "one holder", 1.0, f"message {n}", ("1: a line",)) for n in range(3))
    return Verdict(seed, 100, 7, violations)


def test_a_campaign_counts_seeds_and_tells_the_lowest_first() -> None:
    campaign = Campaign(4, 100)
    for verdict in (broken(3), Verdict(0, 100, 7, ()), broken(1)):
        campaign.take(verdict)
    assert campaign.document() == {
        "seeds": 4,
        "steps": 100,
        "violations": 2,
        "first_violation": {
            "seed": 1,
            "rule": "one holder",
            "at_s": 1.0,
            "message": "message 0",
            "lines": ["1: a line"],
        },
    }


def test_a_campaign_without_a_violation_says_so() -> None:
    assert Campaign(2, 50).document() == {"seeds": 2, "steps": 50, "violations": 0, "first_violation": None}


def test_few_seeds_are_run_here_and_told_one_by_one() -> None:
    told: list[tuple[int, int]] = []
    campaign = explore(range(2), n_steps=60, n_agents=3, told=lambda *so_far: told.append(so_far))
    assert told == [(1, 0), (2, 0)]
    assert campaign.document()["violations"] == 0
    assert campaign.n_records > 100


def test_many_seeds_are_spread_over_processes_and_come_out_the_same() -> None:
    spread = explore(range(12), n_steps=40, n_agents=3, n_workers=2)
    alone = explore(range(12), n_steps=40, n_agents=3, n_workers=1)
    assert spread == alone


def test_a_violation_is_sorted_in_by_its_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    verdicts = iter([broken(1), broken(0)])
    monkeypatch.setattr(campaign_module, "judge_seed", lambda *_args, **_sizes: next(verdicts))
    campaign = explore(range(2), n_steps=1, n_agents=1)
    assert [violation.seed for violation in campaign.violations] == [0, 1]
