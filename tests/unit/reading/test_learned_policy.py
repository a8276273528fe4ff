"""What was learned, as readers hold it."""

import math

import pytest

from actors.runtime.errors import Misuse
from coordinator.reading.policy import NOTHING_LEARNED, LearnedCost, Policy

COST = LearnedCost(n=43.0, share=0.16, p_failure=0.12, extra_tokens=5_400.0)
POLICY = Policy("3f2a", {"rs": 0.041, "md": -0.06}, {("rs", "map", "<4000"): COST})


def test_a_delta_is_by_extension_and_zero_where_nothing_was_learned() -> None:
    assert POLICY.delta_of("rs") == 0.041
    assert POLICY.delta_of("py") == 0.0
    assert NOTHING_LEARNED.delta_of("rs") == 0.0


def test_a_view_that_is_held_out_has_no_delta() -> None:
    assert POLICY.delta_of("rs", use_delta=False) == 0.0


def test_a_cost_is_by_extension_mode_and_size() -> None:
    assert POLICY.cost_of("rs", "map", 2_000) == COST
    assert POLICY.cost_of("rs", "map", 3_999) == COST
    assert POLICY.cost_of("rs", "map", 1_999) is None
    assert POLICY.cost_of("rs", "map", 4_000) is None
    assert POLICY.cost_of("rs", "full", 2_000) is None
    assert POLICY.cost_of("py", "map", 2_000) is None


@pytest.mark.parametrize("delta", [0.151, -0.151, math.nan, math.inf])
def test_a_delta_over_its_bound_is_misuse(delta: float) -> None:
    with pytest.raises(Misuse, match="the delta of 'rs' is"):
        Policy("x", {"rs": delta})


@pytest.mark.parametrize(
    "numbers",
    [(-1, 0.1, 0.1, 1), (1, -0.1, 0.1, 1), (1, 0.1, -0.1, 1), (1, 0.1, 0.1, -1), (1, 0.1, 1.1, 1),
     (1, 0.1, math.nan, 1), (math.nan, 0.1, 0.1, 1), (1, math.inf, 0.1, 1)],
)  # fmt: skip
def test_a_cost_of_impossible_numbers_is_misuse(numbers: tuple[float, float, float, float]) -> None:
    with pytest.raises(Misuse, match="fetch the policy again"):
        LearnedCost(*numbers)


def test_a_sender_that_counts_no_outcomes_says_infinity() -> None:
    assert LearnedCost(math.inf, 0.1, 0.1, 1).n == math.inf
