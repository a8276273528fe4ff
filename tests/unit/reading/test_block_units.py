"""Blocks of files without a grammar."""

from coordinator.reading.block_units import MAX_BLOCK_LINES, block_outline
from coordinator.reading.grammar import outline_of
from coordinator.reading.source import decode

RUST = """\
use std::fmt;

fn main() {
    let x = 1;

    run(x);
}

// why
fn run(x: i32) {
}
"""


def names(text: str) -> list[str]:
    return [unit.name for unit in outline_of(decode(text.encode()), "main.zig").units]


def test_a_block_starts_at_a_line_that_follows_a_blank_one_and_is_indented_least() -> None:
    assert names(RUST) == ["L1-1", "L3-7", "L9-11"]


def test_the_fallback_names_the_extension() -> None:
    assert outline_of(decode(b"x"), "a/b.ZIG").fallback == "no grammar for .zig: indentation blocks"
    assert outline_of(decode(b"x"), "Makefile").fallback == "no grammar for this file: indentation blocks"
    assert outline_of(decode(b"x"), "a.b\nc").fallback == "no grammar for this file: indentation blocks"


def test_a_file_that_is_indented_throughout_has_blocks_too() -> None:
    assert names("  a\n    b\n\n  c\n") == ["L1-2", "L4-4"]


def test_a_blank_file_has_no_blocks() -> None:
    assert names("") == []
    assert names(" \n\t\n") == []


def test_a_long_block_is_cut_before_its_least_indented_line() -> None:
    lines = ["start\n", *["    x\n"] * 40, "  mid\n", *["    x\n"] * 40]
    assert [unit.lines for unit in block_outline(lines, "").units] == [(1, 41), (42, 82)]


def test_of_several_places_to_cut_the_latest_is_taken() -> None:
    assert block_outline(["x\n"] * 100, "").units[0].lines == (1, MAX_BLOCK_LINES)


def test_a_flat_file_is_cut_into_blocks_in_bounds() -> None:
    units = block_outline(["1,2\n"] * 1_000, "").units
    sizes = [unit.lines[1] - unit.lines[0] + 1 for unit in units]
    assert sum(sizes) == 1_000
    assert max(sizes) <= MAX_BLOCK_LINES


def test_a_long_stretch_of_blank_lines_inside_a_block_is_crossed() -> None:
    lines = ["a\n", "  b\n", *["\n"] * 100, "  c\n"]
    assert [unit.lines for unit in block_outline(lines, "").units] == [(1, 2), (103, 103)]
