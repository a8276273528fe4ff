"""A set of lines, beside a plain Python set."""

from hypothesis import given
from hypothesis import strategies as st

from coordinator.reading.shown import ShownLines

RANGES = st.lists(st.tuples(st.integers(1, 40), st.integers(1, 40)), max_size=12)


def members(shown: ShownLines) -> set[int]:
    return {number for first, last in shown.ranges for number in range(first, last + 1)}


def twin(ranges: list[tuple[int, int]]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}


def test_ranges_that_overlap_or_touch_are_joined() -> None:
    assert ShownLines.of([(5, 9), (1, 2), (3, 4), (20, 30), (8, 12)]).ranges == ((1, 12), (20, 30))


def test_an_empty_range_is_left_out() -> None:
    assert ShownLines.of([(5, 4)]) == ShownLines()


def test_a_range_is_contained_only_as_a_whole() -> None:
    shown = ShownLines.of([(1, 3), (5, 9)])
    assert shown.contains(5, 9)
    assert not shown.contains(3, 5)
    assert not shown.contains(9, 10)
    assert shown.contains(4, 3)  # nothing is asked for


def test_plain_lists_give_the_set_back() -> None:
    shown = ShownLines.of([(1, 3), (7, 9)])
    assert shown.to_plain() == [[1, 3], [7, 9]]
    assert ShownLines.from_plain([[1, 3], [7, 9]]) == shown


def test_lines_move_with_the_stretches_that_a_change_kept() -> None:
    shown = ShownLines.of([(1, 10)])
    # lines 1-3 stay, line 4 is gone, 5-10 move down by five
    assert shown.carried([(1, 1, 3), (5, 10, 6)]).ranges == ((1, 3), (10, 15))
    assert ShownLines.of([(4, 4)]).carried([(1, 1, 3), (5, 10, 6)]) == ShownLines()


@given(RANGES, RANGES)
def test_union_is_that_of_sets(left: list[tuple[int, int]], right: list[tuple[int, int]]) -> None:
    union = ShownLines.of(left).union(ShownLines.of(right))
    assert members(union) == twin(left) | twin(right)
    assert all(a[1] + 1 < b[0] for a, b in zip(union.ranges, union.ranges[1:], strict=False))
    assert union.n_lines == len(members(union))


@given(RANGES, st.integers(0, 45))
def test_complement_is_that_of_sets(ranges: list[tuple[int, int]], n_lines: int) -> None:
    assert members(ShownLines.of(ranges).complement(n_lines)) == set(range(1, n_lines + 1)) - twin(ranges)


@given(RANGES, st.integers(1, 45), st.integers(1, 45))
def test_contains_is_that_of_sets(ranges: list[tuple[int, int]], first: int, last: int) -> None:
    assert ShownLines.of(ranges).contains(first, last) == (set(range(first, last + 1)) <= twin(ranges))


@given(RANGES, st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), st.integers(1, 6)), max_size=8))
def test_carried_lines_are_those_of_a_line_by_line_move(
    ranges: list[tuple[int, int]], steps: list[tuple[int, int, int]]
) -> None:
    kept, old, new = [], 1, 1
    for old_gap, new_gap, size in steps:
        kept.append((old + old_gap, new + new_gap, size))
        old, new = old + old_gap + size, new + new_gap + size
    expected = {b + i for a, b, size in kept for i in range(size) if a + i in twin(ranges)}
    assert members(ShownLines.of(ranges).carried(kept)) == expected
