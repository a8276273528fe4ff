"""Which vectors are near each other; angles are chosen so that a reader knows the cosines."""

from __future__ import annotations

import math

import numpy as np
import pytest

from actors.embedding.nearness import Duplicate, Similar, most_similar, near_duplicates
from actors.runtime.errors import Misuse


def at(*degrees: float) -> np.ndarray:
    """Unit vectors at these angles."""
    return np.array([[math.cos(math.radians(d)), math.sin(math.radians(d))] for d in degrees], dtype=np.float32)


def places(dropped: tuple[Duplicate, ...]) -> list[tuple[int, int]]:
    return [(duplicate.place, duplicate.of) for duplicate in dropped]


def test_the_nearest_come_first() -> None:
    nearest = most_similar(at(0)[0], at(90, 60, 0), 2)
    assert [similar.place for similar in nearest] == [2, 1]
    assert [similar.cosine for similar in nearest] == pytest.approx([1.0, 0.5], abs=1e-6)


def test_ties_go_by_place() -> None:
    assert [similar.place for similar in most_similar(at(0)[0], at(60, 10, 60, 10), 4)] == [1, 3, 0, 2]


def test_fewer_texts_than_asked_for_are_all_there_are() -> None:
    assert most_similar(at(0)[0], at(0), 10) == (Similar(0, 1.0),)
    assert most_similar(at(0)[0], np.empty((0, 2), np.float32), 10) == ()


def test_a_row_near_to_one_that_stays_is_dropped() -> None:
    assert places(near_duplicates(at(0, 90, 10, 100), 0.92)) == [(2, 0), (3, 1)]


def test_a_dropped_row_drops_no_other() -> None:
    # cos 20 = 0.94, cos 40 = 0.77: the row at 40 is near to the dropped one at 20, and not to the kept one at 0.
    assert places(near_duplicates(at(0, 20, 40), 0.92)) == [(1, 0)]


def test_the_nearest_of_those_that_stay_is_named() -> None:
    assert places(near_duplicates(at(0, 30, 20), 0.92)) == [(2, 1)]


def test_a_row_is_compared_with_the_last_window_only() -> None:
    rows = at(0, 90, 180, 0)
    assert places(near_duplicates(rows, 0.92, window=3)) == [(3, 0)]
    assert places(near_duplicates(rows, 0.92, window=2)) == []


def test_the_window_counts_what_stays() -> None:
    assert places(near_duplicates(at(0, 1, 2, 90, 3), 0.92, window=2)) == [(1, 0), (2, 0), (4, 0)]


def test_zero_is_near_nothing() -> None:
    assert near_duplicates(np.zeros((3, 2), np.float32), 0.01) == ()


def test_no_rows_have_no_duplicates() -> None:
    assert near_duplicates(np.empty((0, 2), np.float32)) == ()


@pytest.mark.parametrize("threshold", [0.0, -0.5, 1.01, math.nan])
def test_an_impossible_threshold_is_refused(threshold: float) -> None:
    with pytest.raises(Misuse, match="threshold"):
        near_duplicates(at(0), threshold)


def test_an_empty_window_and_an_empty_wish_are_refused() -> None:
    with pytest.raises(Misuse, match="window of 0"):
        near_duplicates(at(0), 0.9, window=0)
    with pytest.raises(Misuse, match="0 similar texts"):
        most_similar(at(0)[0], at(0), 0)
