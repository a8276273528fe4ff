"""Vectors in memory."""

import numpy as np
import pytest

from actors.memory.vector_table import quantised
from coordinator.retrieval.vector_rows import ROWS_AT_ONCE, VectorRows


def unit(*numbers: float) -> np.ndarray:
    row = np.array(numbers, "f4")
    return row / np.linalg.norm(row)


def test_the_nearest_come_first_with_their_cosines() -> None:
    rows = VectorRows()
    rows.extend([(3, quantised(unit(1, 0))), (5, quantised(unit(1, 1))), (8, quantised(unit(-1, 0)))])
    found = rows.nearest(unit(1, 0), 10)
    assert [section_id for section_id, _ in found] == [3, 5]
    assert [cosine for _, cosine in found] == pytest.approx([1.0, 0.7071], abs=1e-3)


def test_of_equal_ones_the_older_comes_first() -> None:
    rows = VectorRows()
    rows.extend([(number, quantised(unit(1, 2))) for number in (2, 4, 6)])
    assert [section_id for section_id, _ in rows.nearest(unit(1, 2), 3)] == [2, 4, 6]


def test_many_are_the_same_as_a_plain_product() -> None:
    numbers = np.arange(2 * (ROWS_AT_ONCE + 7), dtype="f4").reshape(-1, 2) % 13 - 6
    rows = VectorRows()
    rows.extend([(place + 1, quantised(row)) for place, row in enumerate(numbers[:50])])
    rows.extend([(place + 51, quantised(row)) for place, row in enumerate(numbers[50:])])
    (best, cosine), *_ = rows.nearest(unit(3, 4), 5)
    lengths = np.linalg.norm(numbers, axis=1)
    plain = numbers @ unit(3, 4) / np.where(lengths > 0, lengths, 1)
    assert plain[best - 1] == pytest.approx(plain.max(), abs=0.01)
    assert cosine == pytest.approx(plain.max(), abs=0.01)
    assert rows.last_id == len(rows) == len(numbers)


def test_a_text_that_the_model_knows_nothing_of_is_never_near() -> None:
    rows = VectorRows()
    rows.extend([(1, quantised(np.zeros(2, "f4")))])
    assert rows.nearest(unit(1, 0), 5) == []
    rows.extend([(2, quantised(unit(1, 0)))])
    assert rows.nearest(np.zeros(2, "f4"), 5) == []


def test_a_vector_of_another_length_is_near_nothing() -> None:
    rows = VectorRows()
    rows.extend([(1, quantised(unit(1, 0)))])
    assert rows.nearest(unit(1, 0, 0), 5) == []
    assert VectorRows().nearest(unit(1, 0), 5) == []
