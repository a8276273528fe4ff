"""Vectors that were computed before."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from actors.embedding.cache import LONGEST_KEY, VectorCache, keys_of


def rows(*values: float) -> np.ndarray:
    return np.array([[value, -value] for value in values], dtype=np.float32)


def test_what_was_put_is_found_and_the_rest_is_named() -> None:
    cache = VectorCache(10, 2)
    cache.put([b"a", b"b"], rows(1.0, 2.0))
    found, missing = cache.find([b"b", b"x", b"a", b"b"])
    assert missing == [1]
    assert found[[0, 2, 3]].tolist() == [[2.0, -2.0], [1.0, -1.0], [2.0, -2.0]]


def test_found_rows_are_copies() -> None:
    cache = VectorCache(10, 2)
    cache.put([b"a"], rows(1.0))
    cache.find([b"a"])[0][0, 0] = 9.0
    assert cache.find([b"a"])[0].tolist() == [[1.0, -1.0]]


def test_the_least_recently_used_goes_first() -> None:
    cache = VectorCache(2, 2)
    cache.put([b"a", b"b"], rows(1.0, 2.0))
    cache.find([b"a"])
    cache.put([b"c"], rows(3.0))
    assert cache.find([b"a", b"b", b"c"])[1] == [1]
    assert len(cache) == 2


def test_of_more_than_fit_the_last_are_kept() -> None:
    cache = VectorCache(2, 2)
    cache.put([b"a", b"b", b"c"], rows(1.0, 2.0, 3.0))
    found, missing = cache.find([b"a", b"b", b"c"])
    assert missing == [0]
    assert found[1:].tolist() == [[2.0, -2.0], [3.0, -3.0]]


def test_a_cache_of_nothing_keeps_nothing() -> None:
    cache = VectorCache(0, 2)
    cache.put([b"a"], rows(1.0))
    assert cache.find([b"a"])[1] == [0]


def test_texts_have_keys_of_their_own_and_long_ones_short_keys() -> None:
    long = "x" * (LONGEST_KEY + 1)
    keys = keys_of(["", "a", long, f"{long}a", "x" * LONGEST_KEY])
    assert len(set(keys)) == 5
    assert keys == keys_of(["", "a", long, f"{long}a", "x" * LONGEST_KEY])
    assert [len(key) for key in keys] == [0, 1, 16, 16, LONGEST_KEY]


@hypothesis_settings(deadline=None)
@given(
    st.integers(1, 4),
    st.lists(st.tuples(st.booleans(), st.lists(st.sampled_from([b"a", b"b", b"c", b"d", b"e"]), max_size=6))),
)
def test_the_cache_agrees_with_an_ordered_dict(n_most: int, steps: list[tuple[bool, list[bytes]]]) -> None:
    cache = VectorCache(n_most, 2)
    twin: OrderedDict[bytes, float] = OrderedDict()
    number = 0.0
    for is_put, keys in steps:
        if is_put:
            values = [number + place for place in range(len(keys))]
            number += len(keys)
            cache.put(keys, rows(*values) if keys else np.empty((0, 2), np.float32))
            last = dict(zip(keys[-n_most:], values[-n_most:], strict=True))
            for key, value in last.items():
                twin.pop(key, None)
                if len(twin) == n_most:
                    twin.popitem(last=False)
                twin[key] = value
        else:
            found, missing = cache.find(keys)
            assert missing == [place for place, key in enumerate(keys) if key not in twin]
            for place, key in enumerate(keys):
                if key in twin:
                    assert found[place, 0] == twin[key]
                    twin.move_to_end(key)
        assert len(cache) == len(twin)
