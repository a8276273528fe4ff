"""What a comparison says, and when it says nothing."""

from __future__ import annotations

from math import sqrt

import pytest

from actors.quality_store.evidence import ArmRow
from actors.quality_store.trial import Moments, moments_of
from coordinator.efficacy.interval import MIN_EVENTS, MIN_UNITS, compare


def arm(side: str, units: list[tuple[int, int]], measure: str = "loss_rate") -> ArmRow:
    m = sum((moments_of(*unit) for unit in units), Moments())
    return ArmRow("edit_penalty", measure, side, m.n_units, m.n, m.y, m.n_effective, m.residual)


def arms(treated: list[tuple[int, int]], held_out: list[tuple[int, int]]) -> tuple[ArmRow, ArmRow]:
    return arm("treatment", treated), arm("holdout", held_out)


EVEN = [(4, 0), (4, 2)]


def test_with_units_of_one_size_the_interval_is_the_familiar_one():
    found = compare(*arms(EVEN * 500, EVEN * 500), holdout_share=0.5)
    assert (found.treatment, found.holdout, found.difference) == (0.25, 0.25, 0.0)
    # A unit's rate is 0 or 0.5: its deviation is 0.25, of the difference of two means of 1,000 each
    assert found.high == pytest.approx(1.9611 * 0.25 * sqrt(2 / 999), rel=1e-4)
    assert found.low == -found.high


def test_outcomes_that_come_together_tell_less_than_as_many_apart():
    together = compare(*arms([(4, 0), (4, 4)] * 100, [(4, 0), (4, 4)] * 100), holdout_share=0.5)
    apart = compare(*arms([(1, 0), (1, 1)] * 400, [(1, 0), (1, 1)] * 400), holdout_share=0.5)
    assert together.high == pytest.approx(2 * apart.high, rel=0.02)


@pytest.mark.parametrize(
    ("treated", "held_out", "verdict"),
    [
        ([(4, 0), (4, 2)] * 2_000, [(4, 0), (4, 2)] * 2_000, "no_difference"),
        ([(4, 0), (4, 1)] * 2_000, [(4, 0), (4, 2)] * 2_000, "helps"),
        ([(4, 0), (4, 2)] * 2_000, [(4, 0), (4, 1)] * 2_000, "harms"),
        ([(4, 0), (4, 1)] * 50, [(4, 0), (4, 2)] * 50, "not_yet_known"),
    ],
)
def test_a_layer_that_does_not_help_is_said_to_once_there_are_units_enough(treated, held_out, verdict):
    found = compare(*arms(treated, held_out), holdout_share=0.5)
    assert found.verdict == verdict
    assert (found.n_units_missing == 0) == (verdict != "not_yet_known")
    assert found.difference is not None


def test_what_is_missing_shrinks_with_what_is_there_and_goes_by_the_effect_that_matters():
    small, large = (compare(*arms(EVEN * n, EVEN * n), holdout_share=0.5) for n in (100, 200))
    assert small.n_units_needed == pytest.approx(large.n_units_needed, rel=0.01)
    assert small.n_units_missing - large.n_units_missing == pytest.approx(400, rel=0.05)
    coarse = compare(*arms(EVEN * 100, EVEN * 100), holdout_share=0.5, min_effect=0.2)
    assert coarse.n_units_needed == pytest.approx(small.n_units_needed / 4, rel=0.01)


@pytest.mark.parametrize(
    "held_out",
    [
        [],
        [(1, 1)] * (MIN_UNITS - 1),
        [(4, 0)] * 100,
        [(4, 0)] * 100 + [(1, 1)] * (MIN_EVENTS - 1),
        [(1, 1)] * 100 + [(10_000, 100)],  # one unit has nearly all
    ],
)
def test_there_is_no_interval_where_it_would_be_a_guess(held_out):
    found = compare(*arms(EVEN * 500, held_out), holdout_share=0.05)
    assert (found.difference, found.low, found.high, found.verdict) == (None, None, None, "not_yet_known")
    assert found.n_units_missing > 0


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_without_a_holdout_nothing_will_be_known(share):
    found = compare(*arms(EVEN * 5_000, []), holdout_share=share)
    assert (found.verdict, found.n_units_missing) == ("not_yet_known", 1)
    assert found.holdout is None


def test_costs_need_no_losses():
    treated, held_out = (
        arm(side, [(1_000, 300), (1_000, 500)] * 400, "cost_share") for side in ("treatment", "holdout")
    )
    assert compare(treated, held_out, holdout_share=0.5).verdict == "no_difference"


def test_all_units_alike_leave_no_doubt():
    found = compare(*arms([(2, 1)] * 200, [(4, 2)] * 200), holdout_share=0.5)
    assert (found.low, found.high, found.verdict) == (0.0, 0.0, "no_difference")


def test_a_layer_after_which_nothing_is_lost_helps():
    held_out = [(4, 1), (4, 3)] * 200
    found = compare(*arms([(4, 0)] * 8_000, held_out), holdout_share=0.05)
    assert (found.treatment, found.difference, found.verdict) == (0.0, -0.5, "helps")


def test_where_few_losses_were_to_be_expected_their_absence_says_nothing():
    few, enough = (
        compare(*arms([(1, 0)] * n, [(4, 1), (4, 3)] * 200), holdout_share=0.5) for n in (39, 40)
    )  # half of them would have been lost
    assert (few.low, few.verdict) == (None, "not_yet_known")
    assert enough.low is not None


@pytest.mark.parametrize(("n_losses", "needed"), [(0, 44_000), (1, 44_000), (10, 4_400), (19, 2_316)])
def test_what_is_missing_goes_by_the_losses_too(n_losses, needed):
    held_out = [(4, 1)] * n_losses + [(4, 0)] * (200 - n_losses)
    found = compare(*arms(EVEN * 1_000, held_out), holdout_share=0.1)
    assert (found.low, found.n_units_needed, found.n_units_missing) == (None, needed, needed - 2_200)
