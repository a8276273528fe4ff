"""Texts of different lengths in micro-batches."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from actors.embedding.batch import micro_batches
from actors.runtime.errors import InvariantBroken


def test_like_goes_with_like_shortest_first() -> None:
    assert micro_batches([9, 2, 3, 2, 10], max_tokens=20, is_padded=True) == [[1, 3, 2], [0, 4]]


def test_the_longest_times_the_size_stays_within_the_limit() -> None:
    assert micro_batches([5, 5, 5, 5], max_tokens=10, is_padded=True) == [[0, 1], [2, 3]]


def test_without_padding_a_batch_has_one_length() -> None:
    assert micro_batches([2, 1, 2, 1, 3], max_tokens=100, is_padded=False) == [[1, 3], [0, 2], [4]]


def test_a_text_over_the_limit_is_alone() -> None:
    assert micro_batches([50, 1], max_tokens=10, is_padded=True) == [[1], [0]]


def test_no_text_makes_no_batch() -> None:
    assert micro_batches([], max_tokens=10, is_padded=True) == []


def test_a_limit_of_nothing_is_a_bug() -> None:
    with pytest.raises(InvariantBroken, match="0 tokens"):
        micro_batches([1], max_tokens=0, is_padded=True)


@hypothesis_settings(deadline=None)
@given(st.lists(st.integers(0, 40)), st.integers(1, 100), st.booleans())
def test_every_text_is_in_one_batch_within_the_limit(lengths: list[int], max_tokens: int, is_padded: bool) -> None:
    batches = micro_batches(lengths, max_tokens=max_tokens, is_padded=is_padded)
    assert sorted(index for batch in batches for index in batch) == list(range(len(lengths)))
    for batch in batches:
        sizes = [lengths[index] for index in batch]
        assert len(batch) == 1 or max(sizes) * len(batch) <= max_tokens
        assert is_padded or len(set(sizes)) == 1
