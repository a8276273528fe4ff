"""The rankers that views are held against: one that knows the hunks, and one that is plain."""

from __future__ import annotations

import pytest

from coordinator.reading.grammar import outline_of
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import decode
from coordinator.reading.token_count import count_tokens
from coordinator.replay.agent import Replayed
from coordinator.replay.reference import MAX_STRETCH_LINES, Printed, References

HUGE = 10**6


def references(text: str, budget: int, path: str = "a.py") -> References:
    source = decode(text.encode())
    return References(Replayed(source, path, outline_of(source, path)), budget)


def printed(text: str, *lines: tuple[int, int], path: str = "a.py") -> Printed:
    source = decode(text.encode())
    return Printed(Replayed(source, path, outline_of(source, path)), ShownLines.of(lines))


def test_the_perfect_ranker_shows_the_pieces_that_hold_the_hunks(module: str) -> None:
    best = references(module, HUGE).perfect([(40, 42), (70, 71)])
    # A function of 30 lines is a piece of 24 and one of 6.
    assert best.shown == ShownLines.of([(33, 56), (65, 88)])
    assert best.tokens == printed(module, (33, 56), (65, 88)).tokens


def test_it_takes_what_fits_the_cheapest_first_and_counts_all_that_is_printed(module: str) -> None:
    text = f"{module}\n\ndef tiny() -> int:\n    return 1\n"
    both = [(40, 42), (97, 98)]
    tiny = printed(text, (97, 98)).tokens
    assert references(text, tiny).perfect(both).shown.contains(97, 98)
    assert not references(text, tiny).perfect(both).shown.contains(40, 42)
    assert not references(text, tiny - 1).perfect(both).shown.contains(97, 98)
    everything = printed(text, (33, 56), (97, 98)).tokens
    assert references(text, everything).perfect(both).tokens == everything
    assert not references(text, everything - 1).perfect(both).shown.contains(40, 42)


def test_the_naive_one_cuts_a_long_unit_into_stretches() -> None:
    text = "def long() -> None:\n" + "".join(f"    call_{number}({number})\n" for number in range(99))
    assert MAX_STRETCH_LINES == 40
    one = printed(text, (1, 1), (41, 80))
    assert references(text, one.tokens).naive("call_50").shown == one.shown


def test_the_naive_ranker_shows_all_signatures_and_what_answers_the_query(module: str) -> None:
    one = printed(module, (1, 1), (33, 64), (65, 65))
    naive = references(module, one.tokens).naive("compute_beta 14")
    assert naive.shown == one.shown
    assert naive.tokens == one.tokens


def test_signatures_stay_even_where_nothing_else_fits(module: str) -> None:
    naive = references(module, 1).naive("beta")
    assert naive.shown == ShownLines.of([(1, 1), (33, 33), (65, 65)])
    assert naive.tokens > 1


def test_without_a_query_the_first_and_shortest_stretches_come(module: str) -> None:
    alpha = printed(module, (1, 32), (33, 33), (65, 65))
    assert references(module, alpha.tokens).naive("").shown.contains(1, 32)


CLASSES = """import os

class Store:
    limit = 3

    def put(self, key):
        return key

    def get(self, key):
        value = key
        return value

print(os.name)
"""
LISTED = "3-11 class Store:\n6-7 def put(self, key):\n9-11 def get(self, key):\n"


def lines_of(text: str, first: int, last: int) -> str:
    return "".join(text.splitlines(keepends=True)[first - 1 : last])


def test_from_a_naive_map_the_smallest_definition_that_holds_the_place_is_bought() -> None:
    bought = references(CLASSES, HUGE).naive_map([(10, 11), (9, 10)])
    assert bought.shown == ShownLines.of([(9, 11)])
    assert bought.tokens == count_tokens(LISTED) + count_tokens(lines_of(CLASSES, 9, 11))


def test_a_place_across_two_methods_takes_their_class_and_one_outside_of_all_itself_alone() -> None:
    bought = references(CLASSES, HUGE).naive_map([(7, 9), (13, 13)])
    assert bought.shown == ShownLines.of([(3, 11), (13, 13)])
    parts = lines_of(CLASSES, 3, 11), lines_of(CLASSES, 13, 13)
    assert bought.tokens == count_tokens(LISTED) + sum(map(count_tokens, parts))


def test_a_naive_map_of_a_file_without_definitions_lists_nothing() -> None:
    assert references("one\ntwo\n", HUGE, path="a.txt").naive_map([]) == (ShownLines(), 0)


@pytest.mark.parametrize("n_lines", [0, 1, 39, 40, 41, 120])
def test_stretches_tile_the_file(n_lines: int) -> None:
    text = "".join(f"word{number} and more\n" for number in range(n_lines))
    stretches = references(text, HUGE, path="a.txt")._stretches
    assert [number for first, last in stretches for number in range(first, last + 1)] == list(range(1, n_lines + 1))
    assert all(last - first < MAX_STRETCH_LINES for first, last in stretches)
