from __future__ import annotations

import pytest

from coordinator.editing.match import MAX_PLACES, Place, find_places, written_in_place


def test_an_exact_text_is_found_with_its_offsets() -> None:
    assert find_places("one two three", "two") == [Place(4, 7)]


def test_overlapping_places_are_all_counted() -> None:
    assert find_places("aaa", "aa") == [Place(0, 2), Place(1, 3)]


def test_nothing_stands_nowhere() -> None:
    assert find_places("abc", "") == []


def test_lf_in_the_wanted_text_means_the_line_break_of_a_crlf_file() -> None:
    assert find_places("x\r\na\r\nb\r\n", "a\nb") == [Place(3, 7, is_exact=False)]


def test_crlf_in_the_wanted_text_finds_the_lines_of_an_lf_file() -> None:
    assert find_places("x\na\nb\n", "a\r\nb") == [Place(2, 5, is_exact=False)]


def test_in_a_mixed_file_places_that_differ_only_in_endings_are_two_places_for_a_plain_line_break() -> None:
    # whoever read the second one may quote it with \n, and must not hit the first
    assert find_places("a\nb|a\r\nb", "a\nb") == [Place(0, 3), Place(4, 8, is_exact=False)]


def test_in_a_mixed_file_who_writes_the_endings_himself_is_taken_literally() -> None:
    assert find_places("a\nb|a\r\nb", "a\r\nb") == [Place(4, 8)]


def test_so_many_hits_between_cr_and_lf_that_some_stay_unseen_are_never_one_place() -> None:
    text = "a\n\rb\r" + "\r\n\r" * 1500
    assert len(find_places(text, "\n\r")) > 1


def test_a_match_takes_both_characters_of_a_line_break() -> None:
    assert find_places("x\r\nfoo", "\nfoo") == [Place(1, 6, is_exact=False)]
    assert find_places("foo\r\nx", "foo\r") == [Place(0, 5, is_exact=False)]


def test_places_are_counted_up_to_a_limit() -> None:
    assert len(find_places("a" * 5000, "a")) == MAX_PLACES
    assert len(find_places("\r\n" * 5000, "\n")) == MAX_PLACES


@pytest.mark.parametrize(
    ("stretch", "old", "new", "newline", "written"),
    [
        ("a", "a", "b\nc", "\r\n", "b\r\nc"),
        ("a", "a", "b\nc", "\r", "b\rc"),
        ("a\nb", "a\nb", "c\nd", "\r\n", "c\nd"),  # the stretch's own ending before the file's
        ("a\r\nb", "a\r\nb", "a\nb", "\r\n", "a\nb"),  # who writes CR himself is taken literally
    ],
)
def test_new_text_gets_the_line_endings_of_its_place(
    stretch: str, old: str, new: str, newline: str, written: str
) -> None:
    assert written_in_place(stretch, Place(0, len(stretch)), old=old, new=new, newline=newline) == written


def test_lines_that_a_mixed_stretch_keeps_also_keep_their_endings() -> None:
    stretch = "a\r\nb\nc\r\nd\n"
    place = Place(0, len(stretch), is_exact=False)

    written = written_in_place(stretch, place, old="a\nb\nc\nd\n", new="a\nB\nc\nX\nd\n", newline="\n")

    assert written == "a\r\nB\nc\r\nX\nd\n"


def test_a_very_long_mixed_stretch_keeps_the_endings_of_its_head_and_tail() -> None:
    head, tail = "a\r\n" * 700, "c\n" * 700
    stretch = head + "b\n" + tail
    place = Place(0, len(stretch), is_exact=False)

    written = written_in_place(stretch, place, old=stretch, new="a\n" * 700 + "B\n" + "c\n" * 700, newline="\n")

    assert written == head + "B\n" + tail
