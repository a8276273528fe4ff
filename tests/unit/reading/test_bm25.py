"""BM25 by hand: two texts of two words each, so no text is longer than the mean."""

from math import isclose, log

from coordinator.reading.bm25 import bm25


def test_a_text_scores_by_the_rarity_of_the_words_it_holds() -> None:
    texts = [{"retry": 1, "policy": 1}, {"retry": 1, "parse": 1}]
    common, rare = log(1 + 0.5 / 2.5), log(1 + 1.5 / 1.5)
    scores = bm25(["retry", "policy", "absent"], texts)
    assert isclose(scores[0], common + rare)
    assert isclose(scores[1], common)


def test_a_word_that_comes_again_adds_less_each_time() -> None:
    once, twice, thrice = (bm25(["a"], [{"a": n, "b": 3 - n}, {"c": 3}])[0] for n in (1, 2, 3))
    assert 0 < thrice - twice < twice - once


def test_of_two_texts_that_hold_a_word_the_shorter_scores_more() -> None:
    short, long, _ = bm25(["a"], [{"a": 1}, {"a": 1, "b": 9}, {"c": 5}])
    assert short > long > 0


def test_nothing_scores_without_words_or_texts() -> None:
    assert bm25(["a"], []) == []
    assert bm25([], [{"a": 1}]) == [0.0]
    assert bm25(["a"], [{}, {}]) == [0.0, 0.0]
