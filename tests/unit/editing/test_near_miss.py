from __future__ import annotations

from coordinator.editing.near_miss import NearMiss, closest_stretch

TEXT = """\
class Stack:
    def push(self, item):
        self.items.append(item)
        self.size += 1

    def pop(self):
        self.size -= 1
        return self.items.pop()

    def peek(self):
        return self.items[-1]
"""


def test_a_changed_word_in_one_of_several_lines_leaves_the_stretch_recognisable() -> None:
    near = closest_stretch(TEXT, "    def pop(self):\n        self.count -= 1\n        return self.items.pop()\n")
    assert near is not None
    assert (near.first_line, near.last_line, near.is_whitespace_only) == (6, 8, False)
    assert 0.9 < near.ratio < 1.0


def test_the_ratio_counts_alike_characters_without_white_space() -> None:
    # "abcd" and "abce" share 3 of 4 characters each; the blanks around them do not count
    assert closest_stretch("  x abcd\n", "x abce") == NearMiss(1, 1, 0.8, yours="x abce", theirs="x abcd")


def test_indentation_that_differs_is_white_space_only() -> None:
    near = closest_stretch(TEXT, "def pop(self):\n    self.size -= 1\n")
    assert near is not None
    assert (near.first_line, near.last_line, near.ratio, near.is_whitespace_only) == (6, 7, 1.0, True)
    assert (near.difference, near.yours, near.theirs) == ("indentation", "    self.size -= 1", "        self.size -= 1")


def test_other_line_breaks_are_white_space_only() -> None:
    near = closest_stretch("f(a,\n  b)\n", "f(a, b)")
    assert near is not None
    assert (near.first_line, near.last_line, near.ratio, near.difference) == (1, 2, 1.0, "line breaks")


def test_a_text_within_longer_words_is_not_the_same_but_for_white_space() -> None:
    near = closest_stretch("max=10\n", "x = 1")
    assert near is None or not near.is_whitespace_only


def test_part_of_a_line_is_compared_with_part_of_a_line() -> None:
    near = closest_stretch(
        "a = 1\nresult = compute(first, second) if ready else fallback(None)\n", "compute(first, 2nd)"
    )
    assert near is not None
    assert (near.first_line, near.last_line) == (2, 2)
    assert near.ratio > 0.75


def test_an_added_line_does_not_hide_the_stretch() -> None:
    near = closest_stretch(TEXT, "    def pop(self):\n        # newest first\n        self.size -= 1\n")
    assert near is not None
    assert (near.first_line, near.last_line) == (6, 7)


def test_a_left_out_line_does_not_hide_the_stretch() -> None:
    near = closest_stretch(TEXT, "    def push(self, item):\n        self.size += 1\n\n    def pop(self):\n")
    assert near is not None
    assert (near.first_line, near.last_line) == (2, 6)


def test_of_equal_stretches_the_first_is_taken() -> None:
    near = closest_stretch("start(1)\nend()\n" * 3, "start(1)\nfinish()\n")
    assert near is not None
    assert near.first_line == 1


def test_a_foreign_text_is_close_to_nothing() -> None:
    assert closest_stretch(TEXT, "zzz qqq\nwww vvv\n") is None


def test_white_space_alone_is_close_to_nothing() -> None:
    assert closest_stretch(TEXT, "\n   \n\n") is None
    assert closest_stretch("", "x") is None


def test_a_quotation_longer_than_the_file_is_bounded_by_the_file() -> None:
    near = closest_stretch("one = 1\n", "zero = 0\none = 1\ntwo = 2\n")
    assert near is not None
    assert (near.first_line, near.last_line) == (1, 1)


def test_a_long_quotation_is_compared_line_by_line() -> None:
    lines = [f"value_{number} = {number}\n" for number in range(1000)]
    near = closest_stretch("".join(lines), "".join(lines[300:700]).replace("value_500 ", "other "))
    assert near is not None
    assert (near.first_line, near.last_line) == (301, 700)
    assert near.ratio > 0.99


def test_large_and_repetitive_inputs_end() -> None:
    # 1 MB of a 3 MB file of equal lines: each bound of the search is reached
    near = closest_stretch("x = 1\n" * 500_000, "x = 1\n" * 160_000 + "y")
    assert near is not None
    assert near.first_line == 1
    assert closest_stretch("var a=b+c;" * 100_000, "var a=b+d;" * 50) is not None
