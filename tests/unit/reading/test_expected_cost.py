"""Which mode costs least in the end, with sums that a reader can do."""

import math

import pytest

from coordinator.reading.expected_cost import CANDIDATES, Candidate, Choice, choose_mode
from coordinator.reading.policy import NOTHING_LEARNED, LearnedCost, Policy


def chosen(policy: Policy, *, n_lines: int = 500, total_tokens: int = 5_000, use_costs: bool = True) -> Choice:
    return choose_mode(policy, extension="py", n_lines=n_lines, total_tokens=total_tokens, use_costs=use_costs)


def learned(bucket: str = "<8000", **costs: LearnedCost) -> Policy:
    return Policy("v", {}, {("py", mode, bucket): cost for mode, cost in costs.items()})


FAILING_MAP = LearnedCost(n=20, share=0.1, p_failure=0.9, extra_tokens=6_000)  # 500 + 0.9 x 6000 = 5900


def test_without_evidence_long_files_come_as_a_map_and_small_ones_whole() -> None:
    choice = chosen(NOTHING_LEARNED, n_lines=401)
    assert (choice.mode, choice.source) == ("map", "map_over_400_lines")
    assert chosen(NOTHING_LEARNED, n_lines=400) == Choice("full", "small_file")
    assert chosen(NOTHING_LEARNED, n_lines=0, total_tokens=0) == Choice("full", "small_file")


@pytest.mark.parametrize("total_tokens", [401, 1_000, 3_000, 5_000, 12_000, 1_000_000])
def test_what_is_believed_beforehand_favours_the_map_too(total_tokens: int) -> None:
    candidates = chosen(NOTHING_LEARNED, total_tokens=total_tokens).candidates
    assert min(candidates, key=lambda candidate: candidate.expected_tokens).mode == "map"


def test_beliefs_are_the_view_and_a_call_and_the_reading_of_such_a_file_for_a_failure() -> None:
    by_mode = {candidate.mode: candidate for candidate in chosen(NOTHING_LEARNED).candidates}
    assert tuple(by_mode) == CANDIDATES
    assert by_mode["map"] == Candidate("map", 300.0, 0.15, 6_200)  # 6% of 5000; a file of 4,000 to 7,999 is 6,000
    assert by_mode["map"].expected_tokens == 300 + 930
    assert by_mode["full"].expected_tokens == 5_000 + 124  # 2%


def test_a_mode_that_keeps_failing_gives_way_to_the_next_cheapest() -> None:
    choice = chosen(learned(map=FAILING_MAP))
    assert (choice.mode, choice.source) == ("signatures", "expected_cost")  # 1000 + 0.15 x 6200 = 1930


def test_the_file_comes_whole_where_every_other_mode_costs_more() -> None:
    policy = learned(map=FAILING_MAP, signatures=FAILING_MAP, entropy=FAILING_MAP)
    assert chosen(policy).mode == "full"
    assert chosen(policy).source == "expected_cost"


def test_a_mode_that_was_seen_to_work_is_chosen_on_evidence() -> None:
    good = LearnedCost(n=30, share=0.1, p_failure=0.02, extra_tokens=5_000)
    choice = chosen(learned(entropy=good))
    assert (choice.mode, choice.source) == ("entropy", "expected_cost")  # 500 + 100


def test_fewer_than_ten_outcomes_are_no_evidence() -> None:
    def with_outcomes(n: float) -> Choice:
        return chosen(learned(map=LearnedCost(n, 0.1, 0.9, 6_000)))

    assert (with_outcomes(9.9).mode, with_outcomes(9.9).source) == ("map", "map_over_400_lines")
    assert (with_outcomes(10.0).mode, with_outcomes(10.0).source) == ("signatures", "expected_cost")


def test_evidence_of_files_of_another_size_does_not_count() -> None:
    assert chosen(learned("<4000", map=FAILING_MAP)).mode == "map"


def test_a_view_of_a_file_of_400_lines_has_to_earn_it() -> None:
    good = LearnedCost(n=10, share=0.3, p_failure=0.1, extra_tokens=2_000)  # 1500 + 200
    choice = chosen(learned(map=good), n_lines=400)
    assert (choice.mode, choice.source) == ("map", "expected_cost")
    assert [candidate.mode for candidate in choice.candidates] == [
        "full",
        "map",
    ]  # what is only believed is not weighed
    few = LearnedCost(n=9.9, share=0.3, p_failure=0.1, extra_tokens=2_000)
    assert chosen(learned(map=few), n_lines=400) == Choice("full", "small_file")
    whole = LearnedCost(n=50, share=1.0, p_failure=0.0, extra_tokens=0)
    assert chosen(learned(full=whole), n_lines=400) == Choice("full", "small_file")


def test_a_file_of_100_lines_comes_whole_whatever_was_learned() -> None:
    cheap = LearnedCost(n=99, share=0.01, p_failure=0.0, extra_tokens=0)
    assert chosen(learned(map=cheap), n_lines=101).mode == "map"
    assert chosen(learned(map=cheap), n_lines=100) == Choice("full", "small_file")


def test_a_file_that_is_held_out_goes_by_the_base_rule() -> None:
    assert chosen(learned(map=FAILING_MAP), use_costs=False) == Choice("map", "map_over_400_lines")


def test_of_equal_costs_the_mode_that_shows_more_is_chosen() -> None:
    same = LearnedCost(n=20, share=0.1, p_failure=0.0, extra_tokens=0)
    assert chosen(learned(map=same, entropy=same)).mode == "map"
    assert chosen(learned(signatures=same, map=same, full=same)).mode == "full"


def test_a_failure_in_the_open_bucket_costs_more_the_larger_the_file() -> None:
    policy = learned(">=8000", map=LearnedCost(n=20, share=0.1, p_failure=0.5, extra_tokens=12_400))

    def extra_tokens(total_tokens: int) -> float:
        (candidate,) = (c for c in chosen(policy, total_tokens=total_tokens).candidates if c.mode == "map")
        return candidate.extra_tokens

    assert extra_tokens(8_000) == extra_tokens(12_000) == 12_400
    assert extra_tokens(120_000) == 124_000


def test_a_choice_explains_itself() -> None:
    told = str(chosen(learned(map=FAILING_MAP)))
    assert told.startswith("signatures (expected_cost); full: 5000 + 0.02 x 6200 = 5124 tokens (nothing learned); ")
    assert "map: 500 + 0.90 x 6000 = 5900 tokens (20 outcomes)" in told


def test_evidence_that_nobody_counted_is_said_to_be_learned() -> None:
    told = str(chosen(learned(map=LearnedCost(math.inf, 0.1, 0.9, 6_000))))
    assert "map: 500 + 0.90 x 6000 = 5900 tokens (learned)" in told


def test_units_are_a_choice_only_where_the_reader_says_what_for() -> None:
    good = LearnedCost(n=30, share=0.25, p_failure=0.05, extra_tokens=2_000)  # 1250 + 100
    policy = learned(units=good, map=FAILING_MAP)
    asked = {"extension": "py", "n_lines": 500, "total_tokens": 5_000}
    with_query = choose_mode(policy, has_query=True, **asked)
    assert (with_query.mode, with_query.source) == ("units", "expected_cost")
    without = choose_mode(policy, has_query=False, **asked)
    assert without.mode == "signatures"
    assert "units" not in [candidate.mode for candidate in without.candidates]


def test_a_query_alone_changes_nothing_before_something_was_learned() -> None:
    choice = choose_mode(NOTHING_LEARNED, extension="py", n_lines=500, total_tokens=5_000, has_query=True)
    assert choice.source == "map_over_400_lines"
