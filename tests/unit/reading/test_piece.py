"""Files in pieces."""

from coordinator.reading.grammar import outline_of
from coordinator.reading.piece import MAX_PIECE_LINES, cut_pieces
from coordinator.reading.source import decode


def pieces(text: str, path: str = "a.py") -> list[tuple[str, tuple[int, int]]]:
    source = decode(text.encode())
    return [(piece.name, piece.lines) for piece in cut_pieces(source.lines, outline_of(source, path))]


def test_a_class_is_its_head_and_its_methods_and_blank_lines_end_a_piece() -> None:
    head = "import os\n\n\nclass A:\n    x = 1\n\n"
    text = head + "    def f(self):\n        pass\n\n    def g(self):\n        pass\n\n\ny = 2\n"
    assert pieces(text) == [("", (1, 3)), ("A", (4, 6)), ("A.f", (7, 9)), ("A.g", (10, 13)), ("", (14, 14))]


def test_a_long_unit_is_cut_at_its_least_indented_lines() -> None:
    body = "    if x:\n" + "        y = 1\n" * 9
    found = pieces("def f():\n" + body * 5)
    assert [name for name, _ in found] == ["f"] * len(found)
    assert [lines for _, lines in found] == [(1, 21), (22, 41), (42, 51)]
    assert max(last - first + 1 for _, (first, last) in found) <= MAX_PIECE_LINES


def test_blank_lines_before_everything_belong_to_the_first_piece() -> None:
    assert pieces("\n\n\nx = 1\n") == [("", (1, 4))]
    assert pieces("\n\n") == [("", (1, 2))]
    assert pieces("") == []
