from __future__ import annotations

import pytest

from coordinator.editing.shown_line import after_edit, covers, merged


def test_ranges_that_touch_or_overlap_become_one() -> None:
    assert merged([(5, 7), (1, 2), (3, 3), (6, 9), (12, 11)]) == ((1, 3), (5, 9))


@pytest.mark.parametrize(
    ("first", "last", "is_covered"),
    [(1, 4, True), (2, 3, True), (5, 5, False), (4, 6, False), (9, 8, True)],
)
def test_every_line_has_to_be_shown(first: int, last: int, is_covered: bool) -> None:
    assert covers([(1, 2), (3, 4), (6, 6)], first, last) is is_covered


def test_lines_below_an_edit_move_and_its_new_lines_are_known() -> None:
    shown = after_edit([(1, 10)], first_line=4, n_lines_replaced=2, n_lines_new=5)
    assert shown == ((1, 13),)


def test_an_edit_of_lines_that_were_not_all_shown_leaves_its_new_lines_unknown() -> None:
    shown = after_edit([(1, 4), (8, 10)], first_line=4, n_lines_replaced=2, n_lines_new=1)
    assert shown == ((1, 3), (7, 9))


def test_deleted_lines_are_gone() -> None:
    assert after_edit([(1, 3), (5, 6)], first_line=2, n_lines_replaced=2, n_lines_new=0) == ((1, 1), (3, 4))


def test_the_text_of_a_created_file_is_known_to_its_author() -> None:
    assert after_edit([], first_line=1, n_lines_replaced=0, n_lines_new=3) == ((1, 3),)
