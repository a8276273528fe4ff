"""Lines that say what a line shortly before them says, by vectors that can be multiplied by hand."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from actors.runtime.errors import InvariantBroken
from coordinator.reading.redundancy import MAX_COMPARED_LINES, PROSE, redundant_lines

Vectors = npt.NDArray[np.float32]


def at(*cosines: float) -> Vectors:
    """Unit vectors in a plane with these cosines to the first axis."""
    return np.array([[cosine, (1 - cosine**2) ** 0.5] for cosine in cosines], dtype=np.float32)


def redundant(vectors: Vectors | None) -> frozenset[int]:
    n_lines = 3 if vectors is None else len(vectors)
    return redundant_lines(["a line"] * n_lines, lambda _: vectors)


def test_a_cosine_of_092_or_more_is_redundant() -> None:
    assert redundant(at(1.0, 0.93)) == {1}
    assert redundant(at(1.0, 0.91)) == frozenset()


def near(*texts: str, extension: str = "py") -> frozenset[int]:
    """What is redundant if all texts point the same way."""
    return redundant_lines(texts, lambda _: at(*[1.0] * len(texts)), extension)


def test_a_line_of_code_that_names_something_new_is_kept() -> None:
    assert near("left = 1", "right = 2", "left = 1", "left == 1") == {2, 3}
    assert near("call(first, second)", "call(second)", "call(third)") == {1}
    assert near("size = 1", "Size = 1") == frozenset()


def test_a_nearer_line_that_may_not_stand_for_it_hides_no_other() -> None:
    vectors = at(1.0, 0.5, 0.97)  # the third is nearest to the first, whose words are others
    texts = ["alpha(x)", "omega(y)", "beta(z)"]
    assert redundant_lines(texts, lambda _: vectors, "py") == frozenset()
    vectors = at(1.0, 0.99, 0.97)
    assert redundant_lines(["beta(z)", "alpha(x)", "beta(z)"], lambda _: vectors, "py") == {2}


def test_in_prose_other_words_may_say_the_same_and_names_and_numbers_may_not_differ() -> None:
    for extension in sorted(PROSE):
        assert near("Close the file first.", "Shut the file before that.", extension=extension) == {1}
    assert near("It answers 404 then.", "It answers 410 then.", extension="md") == frozenset()
    assert near("Set max_retries.", "Set max_tries.", extension="md") == frozenset()
    assert near("A RetryPolicy says so.", "A retryPolicy says so.", extension="md") == frozenset()


def test_a_dropped_line_drops_no_other() -> None:
    # 0.94 is near 1.0 and so dropped; 0.80 is near 0.94 only: 0.94 x 0.80 + 0.34 x 0.60 = 0.96
    assert redundant(at(1.0, 0.94, 0.80)) == {1}


def test_a_line_is_compared_with_the_last_64_kept_ones() -> None:
    kept = np.eye(65, dtype=np.float32)
    assert redundant(np.vstack([kept[:64], kept[:1]])) == {64}
    assert redundant(np.vstack([kept, kept[:1]])) == frozenset()
    assert redundant(np.vstack([kept[:1], kept[:1], kept[1:64], kept[:1]])) == {1, 65}


def test_a_zero_vector_is_near_nothing() -> None:
    assert redundant(np.zeros((3, 4), dtype=np.float32)) == frozenset()


def test_without_vectors_nothing_is_redundant() -> None:
    assert redundant(None) == frozenset()
    assert redundant_lines(["a", "a"], None) == frozenset()


def test_nobody_is_asked_for_what_cannot_be_compared() -> None:
    asked: list[int] = []

    def vectors_of(texts: Sequence[str]) -> Vectors | None:
        asked.append(len(texts))
        return None

    for n_lines in (0, 1, 2, MAX_COMPARED_LINES, MAX_COMPARED_LINES + 1):
        redundant_lines(["a"] * n_lines, vectors_of)
    assert asked == [2, MAX_COMPARED_LINES]


@pytest.mark.parametrize("shape", [(2, 4), (3,), (3, 1, 4)])
def test_vectors_of_another_shape_are_our_bug(shape: tuple[int, ...]) -> None:
    with pytest.raises(InvariantBroken, match="vectors of 3 lines have the shape"):
        redundant_lines(["a", "b", "c"], lambda _: np.zeros(shape, dtype=np.float32))
