from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from actors.runtime.number import MAX_SHOWN, as_number, shown


@pytest.mark.parametrize("value", [1, 1.0, np.float32(1), np.int64(1), Fraction(1)])
def test_a_number_is_a_float(value: Any) -> None:
    assert as_number(value) == 1.0
    assert type(as_number(value)) is float


@pytest.mark.parametrize(
    "value", [True, "1", None, b"1", 1j, [1], np.array([1.0]), float("nan"), float("inf"), 10**400]
)
def test_what_is_no_finite_number_is_none(value: object) -> None:
    assert as_number(value) is None


def test_any_value_is_shown_in_a_few_characters() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise ValueError("no")

    assert shown("a") == "'a'"
    assert len(shown("a" * 10**6)) == MAX_SHOWN
    assert shown(10**5000) == "a value of int that cannot be shown"
    assert shown(Broken()) == "a value of Broken that cannot be shown"
