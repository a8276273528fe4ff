from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest

from actors.runtime.errors import Misuse
from coordinator.feedback.exchange import Exchange
from coordinator.feedback.meaning import MAX_SENTENCES, EmbeddingRelevance
from coordinator.feedback.quality import NOTHING, Quality
from coordinator.feedback.question_term import TermCompleteness
from coordinator.feedback.scorer import Scorecard

AXES = {"north": (1.0, 0.0), "east": (0.0, 1.0), "south": (-1.0, 0.0), "between": (0.6, 0.8)}


class Fixed:
    def __init__(self, value: float) -> None:
        self.value = value
        self.asked: list[Exchange] = []

    def score(self, exchange: Exchange) -> float:
        self.asked.append(exchange)
        return self.value


def rows_of(texts: Sequence[str]) -> npt.NDArray[np.float32]:
    """A text points where its first known word says; one without points nowhere."""
    known = [next((AXES[word] for word in text.lower().split() if word in AXES), (0.0, 0.0)) for text in texts]
    return np.array(known, dtype=np.float32)


def exchange(query: str, response: str) -> Exchange:
    return Exchange(query, (), response)


def test_each_dimension_can_have_a_scorer_of_the_caller_s() -> None:
    card = Scorecard(Fixed(0.1), Fixed(0.2), Fixed(0.3), Fixed(0.4))
    assert card.measure(exchange("q", "a")) == Quality(0.1, 0.2, 0.3, 0.4)


def test_the_others_stay_the_contract_s() -> None:
    assert Scorecard(accuracy=Fixed(0.2)).measure(exchange("north pole", "north")) == Quality(0.5, 0.05, 0.0, 0.2)


def test_an_answer_without_text_is_worth_nothing_and_no_scorer_is_asked() -> None:
    scorer = Fixed(1.0)
    assert Scorecard(scorer, scorer, scorer, scorer).measure(exchange("q", " \n")) == NOTHING
    assert scorer.asked == []


def test_a_scorer_that_gives_no_share_is_refused() -> None:
    with pytest.raises(Misuse, match="completeness is 7"):
        Scorecard(completeness=Fixed(7.0)).measure(exchange("q", "a"))


@pytest.mark.parametrize(
    ("response", "relevance"),
    [
        ("north", 1.0),
        ("east", 0.0),
        ("south", 0.0),  # not less than nothing
        ("between", 0.6),
        ("east is here. north is there.", 0.5),  # the mean of the nearest sentences, 1 and 0
        ("north. north. north. east. east. east. east.", 1.0),  # what else it says does not count against it
        ("nowhere at all", 0.0),
    ],
)
def test_relevance_by_meaning_is_the_nearness_of_the_answer_or_of_its_nearest_sentences(
    response: str, relevance: float
) -> None:
    found = EmbeddingRelevance(rows_of).score(exchange("north?  north", response.replace(".", " .")))
    assert found == pytest.approx(relevance, abs=1e-6)


def test_relevance_by_meaning_looks_at_a_bounded_number_of_sentences() -> None:
    asked: list[int] = []

    def counted(texts: Sequence[str]) -> npt.NDArray[np.float32]:
        asked.append(len(texts))
        return rows_of(texts)

    EmbeddingRelevance(counted).score(exchange("north", "It is so. " * 500))
    assert asked == [MAX_SENTENCES + 2]


def test_a_model_that_gives_too_few_rows_is_refused() -> None:
    with pytest.raises(Misuse, match="3 texts were embedded as 1 rows"):
        EmbeddingRelevance(lambda texts: rows_of(texts[:1])).score(exchange("north", "north"))


@pytest.mark.parametrize(
    ("response", "completeness"),
    [
        ("A claim ends thirty seconds after its agent died.", 0.5),
        ("A claim ends thirty seconds after. The lease decays with its session too.", 1.0),
        ("Claim lease? Claim lease!", 0.0),  # repeats the question
        ("", 0.0),
    ],
)
def test_completeness_by_terms_is_the_share_of_which_something_is_said(response: str, completeness: float) -> None:
    assert TermCompleteness().score(exchange("claim and lease?", response)) == completeness


def test_completeness_by_terms_does_not_grow_with_length() -> None:
    assert TermCompleteness().score(exchange("claim?", "Other things are said here at length. " * 50)) == 0.0
    assert TermCompleteness().score(exchange("???", "anything at all is said")) == 0.0
