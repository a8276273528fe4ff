"""Which lines speak of what an agent is looking for."""

import pytest

from coordinator.reading.query import MAX_QUERY_WORDS, Query, overlaps, split_words


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("retry", ["retry"]),
        ("retry_policy", ["retry", "policy", "retry_policy"]),
        ("RetryPolicy", ["retry", "policy", "retrypolicy"]),
        ("HTTPServer2", ["http", "server", "2", "httpserver2"]),
        ("_x", ["x"]),
        ("__", []),
        ("a.b(c)", ["a", "b", "c"]),
        ("Übergröße groß", ["übergrösse", "gross"]),
        ("日本語", ["日本語"]),
    ],
)
def test_identifiers_are_split_and_case_is_folded(text: str, words: list[str]) -> None:
    assert list(split_words(text)) == words


def test_a_line_that_holds_all_words_has_one_and_a_line_without_any_zero() -> None:
    assert overlaps(["retry the policy\n", "nothing\n", ""], Query("retry policy")) == [1.0, 0.0, 0.0]


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    lines = ["x = 1", "x = 2", "x = 3", "backoff = 4"]
    # log(1 + 4/3) = 0.847 for x, log(1 + 4/1) = 1.609 for backoff
    assert overlaps(lines, Query("x backoff")) == pytest.approx([0.345, 0.345, 0.345, 0.655], abs=1e-3)


def test_words_that_no_line_holds_do_not_count() -> None:
    lines = ["retry", "policy"]
    assert overlaps(lines, Query("retry elsewhere")) == overlaps(lines, Query("retry")) == [1.0, 0.0]
    assert overlaps(lines, Query("elsewhere")) == [0.0, 0.0]
    assert overlaps(lines, Query("")) == [0.0, 0.0]
    assert overlaps([], Query("retry")) == []


def test_a_part_of_a_word_is_not_the_word() -> None:
    assert overlaps(["retrying", "MAX_RETRY", "maxRetry"], Query("retry")) == [0.0, 1.0, 1.0]


def test_a_query_has_its_first_64_different_words() -> None:
    query = Query("again again " + " ".join(f"w{'x' * number}" for number in range(100)))
    assert len(query.words) == MAX_QUERY_WORDS == 64
    assert query.words[:2] == ("again", "w")


def test_a_query_is_named_with_its_origin_on_one_short_line() -> None:
    assert str(Query("retry\nthe call", "task")) == 'query (task) "retry the call"'
    assert str(Query("x" * 61)) == f'query (given) "{"x" * 57}..."'
    assert str(Query("x" * 60)) == f'query (given) "{"x" * 60}"'
