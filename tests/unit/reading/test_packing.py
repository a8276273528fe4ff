"""What fits: ten lines of 5 tokens, markers of 10, and 30 for what is printed anyhow."""

from coordinator.reading.packing import Packing


def packing() -> Packing:
    return Packing([5] * 10, marker_tokens=10, base_tokens=30)


def test_lines_in_the_middle_cost_themselves_and_a_second_marker() -> None:
    packed = packing()
    assert packed.try_add((4, 5), 50)
    assert packed.tokens == 30 + 2 * 5 + 10
    assert packed.shown.ranges == ((4, 5),)


def test_lines_at_the_edge_need_no_second_marker() -> None:
    packed = packing()
    assert packed.try_add((1, 2), 40)
    assert packed.tokens == 40


def test_lines_that_close_a_gap_save_its_marker() -> None:
    packed = packing()
    assert packed.try_add((1, 3), 1_000)
    assert packed.try_add((5, 10), 1_000)
    assert packed.tokens == 30 + 9 * 5  # one gap, as before
    assert packed.try_add((4, 4), 1_000)
    assert packed.tokens == 30 + 10 * 5 - 10


def test_lines_that_are_shown_already_cost_nothing_again() -> None:
    packed = packing()
    assert packed.try_add((4, 5), 1_000)
    assert packed.try_add((7, 7), 1_000)
    before = packed.tokens
    assert packed.try_add((4, 7), 1_000)
    assert packed.tokens == before + 5 - 10  # line 6, and the gap around it is gone


def test_what_does_not_fit_changes_nothing() -> None:
    packed = packing()
    assert not packed.try_add((4, 5), 49)
    assert packed.tokens == 30
    assert packed.shown.ranges == ()
