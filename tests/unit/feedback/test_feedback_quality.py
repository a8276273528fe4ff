from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from actors.runtime.errors import Misuse
from coordinator.feedback.quality import NOTHING, WEIGHTS, Dimension, Quality


def test_the_weights_are_the_contract_s() -> None:
    assert {str(dimension): weight for dimension, weight in WEIGHTS.items()} == {
        "relevance": 0.30,
        "completeness": 0.30,
        "coherence": 0.20,
        "accuracy": 0.20,
    }
    assert sum(WEIGHTS.values()) == 1.0


@pytest.mark.parametrize(
    ("quality", "overall"),
    [
        (Quality(1.0, 1.0, 1.0, 1.0), 1.0),
        (Quality(1.0, 0.0, 0.0, 0.0), 0.3),
        (Quality(0.0, 1.0, 0.0, 0.0), 0.3),
        (Quality(0.0, 0.0, 1.0, 0.0), 0.2),
        (Quality(0.0, 0.0, 0.0, 1.0), 0.2),
        (Quality(0.5, 0.8, 0.4, 0.85), 0.64),
        (NOTHING, 0.0),
    ],
)
def test_the_overall_quality_is_the_weighted_sum(quality: Quality, overall: float) -> None:
    assert quality.overall == overall


def test_a_quality_that_adds_up_to_the_threshold_is_the_threshold() -> None:
    assert 0.3 * 0.5 + 0.3 * 1.0 + 0.2 * 0.35 + 0.2 * 0.4 < 0.6  # as floats add up
    assert Quality(0.5, 1.0, 0.35, 0.4).overall == 0.6


@pytest.mark.parametrize(
    "value", [-0.1, 1.1, float("nan"), float("inf"), "0.5", None, True, pytest.param(10**5000, id="huge")]
)
@pytest.mark.parametrize("dimension", list(Dimension))
def test_what_is_no_measure_is_refused_and_named(dimension: Dimension, value: object) -> None:
    measures: dict[str, object] = dict.fromkeys(map(str, Dimension), 0.5) | {str(dimension): value}
    with pytest.raises(Misuse, match=f"{dimension} is"):
        Quality(**measures)  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize("value", [np.float32(0.5), np.float64(0.5), Fraction(1, 2)])
def test_a_measure_is_a_float_whatever_number_a_scorer_gives(value: Any) -> None:
    quality = Quality(value, value, value, value)
    assert [type(quality[dimension]) for dimension in Dimension] == [float] * 4
    assert quality.overall == 0.5
