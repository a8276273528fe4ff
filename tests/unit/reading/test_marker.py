"""Markers are told from every line of the file, and found again in what an agent pastes."""

import pytest

from actors.runtime.errors import Misuse
from coordinator.reading.marker import find_markers, format_marker, is_printed, marker_tag
from coordinator.reading.source import SourceText, decode

HASH = "a3f19c00" * 8


def source_with(text: str) -> SourceText:
    return SourceText(text, "utf-8", b"", HASH)


def test_the_tag_is_the_first_four_digits_of_the_hash() -> None:
    assert marker_tag(source_with("nothing here")) == "a3f1"
    assert marker_tag(decode(b"")) == "e3b0"  # SHA-256 of nothing


def test_the_tag_grows_until_the_file_does_not_hold_it() -> None:
    assert marker_tag(source_with("see a3f1 and\n…a3f19 1-2 f\n")) == "a3f19c"


def test_a_file_that_holds_its_own_hash_is_refused() -> None:
    with pytest.raises(Misuse, match="its own hash"):
        marker_tag(source_with(HASH))


def test_a_marker_names_the_lines_and_the_unit() -> None:
    assert format_marker("a3f1", 12, 85, "Parser.parse") == "…a3f1 12-85 Parser.parse\n"
    assert format_marker("a3f1", 12, 85) == "…a3f1 12-85\n"


def test_only_lines_with_the_tag_of_the_view_are_printed_by_it() -> None:
    assert is_printed("…a3f1 12-85 f\n", "a3f1")
    assert not is_printed("…a3f1 12-85 f\n", "a3f19")
    assert not is_printed("x = 1  # …a3f1 12-85 f\n", "a3f1")


def test_markers_of_issued_views_are_found() -> None:
    text = "def f():\n…a3f1 2-9 f\ndef g():\r\n…beef 11-20\r\n…0000 1-2 other\n"
    assert find_markers(text, ["a3f1", "beef"]) == ["…a3f1 2-9 f", "…beef 11-20"]


@pytest.mark.parametrize(
    "line", ["    …a3f1 2-9 f", "# …a3f1 2-9", "...a3f1 2-9 f", "… a3f1 2-9", "x = 1 …a3f1 2-9 f trailing"]
)
def test_a_marker_is_found_however_it_was_pasted(line: str) -> None:
    assert find_markers(f"a\n{line}\nb", ["a3f1"]) == [line]


@pytest.mark.parametrize(
    "header", ["…a3f1 full (explicit): all 12 tokens", "…a3f1 lines:2-3 (explicit): 9 of 12 tokens"]
)
def test_a_pasted_header_is_found_too(header: str) -> None:
    assert find_markers(f"{header}\nx = 1\n", ["a3f1"]) == [header]


@pytest.mark.parametrize(
    "line", ["a3f1 2-9", "commit a3f1 2-9", "…a3f1", "…a3f1x 2-9", "wait… a3f1c 2-9", "2024 10-12"]
)
def test_text_that_merely_holds_the_tag_is_not_a_marker(line: str) -> None:
    assert find_markers(line, ["a3f1", "2024"]) == []


def test_a_long_line_is_searched_in_one_pass() -> None:
    assert find_markers("…" * 300_000 + "." * 300_000, ["a3f1"]) == []
