"""Who is held out: as many as was asked for, independently for each layer, and the same ones all day."""

from math import sqrt

import pytest

from actors.runtime.holdout import EDIT_PENALTY, ENTROPY_DELTA, EXPECTED_COST, SHARE, is_held_out, utc_day

NOON = 20_000 * 86_400.0 + 43_200.0
PATHS = [f"src/pkg{n % 97}/module_{n}.py" for n in range(20_000)]
LAYERS = (EDIT_PENALTY, ENTROPY_DELTA, EXPECTED_COST)


def held_out(layer: str, utc_s: float = NOON, share: float = SHARE) -> set[str]:
    return {path for path in PATHS if is_held_out(layer, path, utc_s, share)}


@pytest.mark.parametrize("layer", LAYERS)
@pytest.mark.parametrize("share", [0.05, 0.3])
def test_the_share_is_within_four_standard_errors_of_what_was_asked_for(layer: str, share: float) -> None:
    error = sqrt(share * (1 - share) / len(PATHS))
    assert abs(len(held_out(layer, share=share)) / len(PATHS) - share) < 4 * error


@pytest.mark.parametrize(("one", "other"), [(EDIT_PENALTY, ENTROPY_DELTA), (ENTROPY_DELTA, EXPECTED_COST)])
def test_two_layers_are_independent(one: str, other: str) -> None:
    share = 0.3
    both = len(held_out(one, share=share) & held_out(other, share=share)) / len(PATHS)
    assert abs(both - share * share) < 4 * sqrt(share**2 * (1 - share**2) / len(PATHS))


def test_a_unit_keeps_its_arm_for_a_day_and_draws_anew_the_next() -> None:
    midnight = 20_000 * 86_400.0
    today = held_out(ENTROPY_DELTA, midnight)
    assert today == held_out(ENTROPY_DELTA, midnight + 86_399.0)
    tomorrow = held_out(ENTROPY_DELTA, midnight + 86_400.0)
    assert len(today & tomorrow) < 0.2 * len(today)


def test_no_share_holds_nobody_out_and_the_whole_everybody() -> None:
    assert held_out(ENTROPY_DELTA, share=0.0) == set()
    assert held_out(ENTROPY_DELTA, share=1.0) == set(PATHS)


def test_an_arm_is_the_same_in_every_process() -> None:
    assert [n for n in range(60) if is_held_out("entropy_delta", f"a{n}.py", NOON)] == [3, 5, 10, 21, 41]
    assert utc_day(NOON) == 20_000
    assert SHARE == 0.05
