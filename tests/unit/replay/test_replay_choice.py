"""What `auto` would have chosen and paid, in numbers that can be added up."""

from __future__ import annotations

import pytest

from actors.thresholds.cost import CostKey, Outcomes
from coordinator.reading.expected_cost import CANDIDATES
from coordinator.replay.choice import Learner, chosen_modes, key_of, outcome_of, policy_document
from coordinator.replay.question import NONE
from coordinator.replay.trial import Shown, Trial

WHOLE = Shown(1, 5_000, 0, 0, 0, 0)


def trial(at: int, n_lines: int = 500, **extra_tokens: int) -> Trial:
    """A file of 5,000 tokens with one hunk; any other view prints 1,000 and costs 300 on top, or as named."""
    others = {mode: Shown(0, 1_000, 1, 0, extra_tokens.get(mode, 300), 100) for mode in CANDIDATES if mode != "full"}
    return Trial(at, "py", n_lines, 5_000, 1, {NONE: {"full": WHOLE, **others}}, {})


def test_an_outcome_is_a_view_with_all_its_edits() -> None:
    one = trial(0)
    assert outcome_of(one, one.by_kind[NONE]["map"]) == Outcomes(1, 1, 1_000, 5_000, 300)
    assert outcome_of(one, WHOLE) == Outcomes(1, 0, 5_000, 5_000, 0)
    assert key_of(one, "map") == CostKey("py", "map", "<8000")


def test_a_file_is_chosen_for_by_earlier_commits_alone() -> None:
    # Newest first, as they are walked: the map is dear in all of them, and only what came before can tell.
    trials = [trial(at, map=9_000) for at in range(30)]
    modes = [mode for _, mode in chosen_modes(trials, NONE)]
    assert modes[0] == "map"  # the rule for long files, before anything is learned
    first_other = next(place for place, mode in enumerate(modes) if mode != "map")
    assert first_other == 10  # ten outcomes are as much as is believed beforehand
    assert "map" not in modes[first_other:]


def test_changes_of_one_commit_do_not_teach_each_other() -> None:
    trials = [trial(0, map=9_000) for _ in range(30)]
    assert {mode for _, mode in chosen_modes(trials, NONE)} == {"map"}


def test_each_way_is_told_beside_full_and_the_cheapest() -> None:
    trials = [trial(1), trial(0, n_lines=100, signatures=0)]
    told = policy_document(trials, NONE)
    # The long file by the map, 1,300; the short one whole, 5,000; the cheapest would have been 1,300 and 1,000.
    assert told["edits"] == 2
    assert told["chosen"] == {"full": 1, "map": 1}
    assert told["cost_share_of_full"] == pytest.approx(6_300 / 10_000)
    assert told["regret"] == pytest.approx(6_300 / 2_300 - 1, abs=1e-4)
    assert told["tokens_an_edit"] == 3_150.0
    ways = told["ways"]
    assert ways["full"] == {"cost_share_of_full": 1.0, "regret": 3.3478, "tokens_an_edit": 5_000.0}
    assert ways["cheapest"] == {"cost_share_of_full": 0.23, "regret": 0.0, "tokens_an_edit": 1_150.0}
    assert ways["map"]["tokens_an_edit"] == 1_300.0
    assert ways["auto_untrained"] == ways["auto"]


def test_a_kind_of_file_that_nothing_is_learned_for_goes_by_the_rule() -> None:
    one = trial(0)
    learner = Learner()
    assert not learner.policy_for(one, CANDIDATES).costs
    learner.learn(one, dict(one.by_kind[NONE]))
    assert {mode for _, mode, _ in learner.policy_for(one, CANDIDATES).costs} == set(CANDIDATES)
    other = one._replace(extension="rs")
    assert not learner.policy_for(other, CANDIDATES).costs
