"""Which lines are kept."""

import pytest

from actors.runtime.errors import Misuse
from coordinator.reading.query import Query
from coordinator.reading.sieve import LineFilter, Sieve

EIGHT = "one two three four five six seven eight"
THIRTEEN = f"{EIGHT} nine ten eleven twelve thirteen"
# Bits of the tokens:  0.0       2.58           3.0        0.92     -         3.70
LINES = ["x\n", "total = base + 1\n", f"{EIGHT}\n", "0,0\n", "\n", f"{THIRTEEN}\n"]


def kept(extension: str = "rs", lines: list[str] = LINES, **asked: object) -> list[int]:
    return Sieve(lines, extension, LineFilter(**asked)).kept()  # type: ignore[arg-type]  # named in each test


def test_a_line_is_kept_from_the_base_of_its_extension_on() -> None:
    assert kept("rs") == [2, 3, 6]  # 0.85 x 3 bits
    assert kept("other") == [3, 6]  # 3 bits, which are just those of eight different tokens
    assert kept("py") == [6]  # 3.6


def test_the_delta_is_added_to_the_base() -> None:
    assert kept("rs", delta=0.01) == [2, 3, 6]  # 2.58
    assert kept("rs", delta=0.02) == [3, 6]  # 2.61
    assert kept("other", delta=-0.15) == [2, 3, 6]  # 2.55
    assert kept("rs", delta=2.0) == []


def test_a_query_keeps_as_many_tokens_as_base_and_delta_do() -> None:
    sieve = Sieve(LINES, "other", LineFilter(query=Query("total")))
    # Base and delta keep lines 3 and 6, 9 + 14 tokens with their endings. The line with the word comes first, 7 tokens,
    # then as many of the others, the one that says most before the next.
    assert [sieve.weights[number - 1].n_tokens for number in (2, 3, 6)] == [7, 9, 14]
    assert sieve.kept() == [2, 6]


def test_a_query_that_no_line_holds_leaves_the_order_to_the_bits() -> None:
    assert kept("other", query=Query("elsewhere")) == kept("other") == [3, 6]
    assert not Sieve(LINES, "py", LineFilter(query=Query("elsewhere"))).holds_query
    assert Sieve(LINES, "py", LineFilter(query=Query("base"))).holds_query


def test_the_delta_acts_under_a_query_too() -> None:
    assert kept("rs", query=Query("total"), delta=0.0) == [2, 3, 6]
    assert kept("rs", query=Query("total"), delta=0.10) == [2, 6]


def test_lines_are_ranked_by_bits_then_by_their_place_and_blank_ones_not_at_all() -> None:
    sieve = Sieve(["b b\n", "a = 1\n", "\n", "c = 2\n", "x\n"], "py", LineFilter(budget=9))
    assert [sieve.best(n_lines) for n_lines in range(6)] == [[], [2], [2, 4], [1, 2, 4], [1, 2, 4, 5], [1, 2, 4, 5]]
    assert sieve.n_ranked == 4


def test_the_query_and_the_bits_count_half_each() -> None:
    # Different tokens of the file: 4 + 1, so a line of 2 bits has 2 / log2(5) = 0.86, half of which is 0.43 < 0.5.
    sieve = Sieve(["a = 1\n", "word\n"], "py", LineFilter(query=Query("word")))
    assert sieve.best(1) == [2]


def test_empty_and_blank_files_keep_nothing() -> None:
    for lines in ([], ["\n"], ["   \n", "\t\n"]):
        for query in (None, Query("x")):
            assert kept("py", lines, query=query) == []


def test_redundant_lines_go_by_their_text_without_indentation() -> None:
    asked: list[list[str]] = []
    sieve = Sieve(LINES, "py", LineFilter(vectors_of=lambda texts: asked.append(list(texts))))
    assert sieve.without_redundant([2, 6]) == [2, 6]
    assert asked == [["total = base + 1", THIRTEEN]]


@pytest.mark.parametrize("delta", [float("nan"), float("inf")])
def test_a_delta_that_is_no_number_is_misuse(delta: float) -> None:
    with pytest.raises(Misuse, match="is no number"):
        LineFilter(delta=delta)


@pytest.mark.parametrize("budget", [0, -1])
def test_a_budget_that_holds_nothing_is_misuse(budget: int) -> None:
    with pytest.raises(Misuse, match="give 1 or more"):
        LineFilter(budget=budget)
