"""Unified diffs of lines with their endings."""

from coordinator.reading.line_diff import diff_lines

NUMBERS = [f"{number}\n" for number in range(1, 21)]


def test_equal_versions_have_an_empty_diff() -> None:
    diff = diff_lines(NUMBERS, NUMBERS)
    assert diff.body == ""
    assert diff.shown.ranges == ()
    assert diff.kept == ((1, 1, 20),)


def test_a_changed_line_is_shown_with_three_lines_around_it() -> None:
    new = [*NUMBERS[:9], "ten\n", *NUMBERS[10:]]
    diff = diff_lines(NUMBERS, new)
    assert diff.body == "@@ -7,7 +7,7 @@\n 7\n 8\n 9\n-10\n+ten\n 11\n 12\n 13\n"
    assert diff.shown.ranges == ((7, 13),)
    assert diff.kept == ((1, 1, 9), (11, 11, 10))


def test_removed_lines_are_named_by_the_line_before_them() -> None:
    diff = diff_lines(["a\n", "b\n"], [])
    assert diff.body == "@@ -1,2 +0,0 @@\n-a\n-b\n"
    assert diff.shown.ranges == ()


def test_a_last_line_without_an_ending_is_said() -> None:
    diff = diff_lines(["a\n"], ["a"])
    assert diff.body == "@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n"


def test_a_changed_line_ending_is_a_change() -> None:
    assert diff_lines(["a\r\n", "b\n"], ["a\n", "b\n"]).body == "@@ -1,2 +1,2 @@\n-a\r\n+a\n b\n"


def test_a_carriage_return_ends_a_line() -> None:
    assert diff_lines(["a\r"], ["b\r"]).body == "@@ -1,1 +1,1 @@\n-a\r+b\r"
