"""Reciprocal rank fusion."""

import pytest

from coordinator.retrieval.fusion import fused


def test_the_sum_of_reciprocal_places_after_sixty() -> None:
    scores = fused([["a", "b"], ["b", "c"]])
    assert scores == pytest.approx({"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62})


def test_what_both_orders_have_comes_before_what_one_puts_first() -> None:
    scores = fused([["a", "b"], ["c", "b"]])
    assert max(scores, key=scores.__getitem__) == "b"


def test_no_orders_score_nothing() -> None:
    assert fused([]) == {}
    assert fused([[], []]) == {}
