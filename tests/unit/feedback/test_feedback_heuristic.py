import pytest

from coordinator.feedback.exchange import Exchange, content_words, sentences
from coordinator.feedback.heuristic import BaselineAccuracy, KeywordOverlap, LengthCompleteness, TransitionWords


def exchange(query: str = "how?", response: str = "") -> Exchange:
    return Exchange(query, (), response)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("How do I retry a failed claim?", ("retry", "failed", "claim")),
        ("What is the retryPolicy?", ("retry", "policy", "retrypolicy")),
        ("why?", ("why",)),  # nothing else is asked about
        ("???", ()),
        ("Wie groß ist die Höhe?", ("wie", "gross", "ist", "die", "höhe")),
    ],
)
def test_a_question_is_about_its_content_words(query: str, words: tuple[str, ...]) -> None:
    assert content_words(query) == words


@pytest.mark.parametrize(
    ("response", "relevance"),
    [
        ("A failed claim can be made again: retry it.", 1.0),
        ("A claim.", 1 / 3),
        ("RETRY_FAILED", 2 / 3),
        ("", 0.0),
    ],
)
def test_relevance_is_the_share_of_the_question_s_words(response: str, relevance: float) -> None:
    assert KeywordOverlap().score(exchange("How do I retry a failed claim?", response)) == relevance


def test_a_question_without_words_has_no_relevant_answer() -> None:
    assert KeywordOverlap().score(exchange("???", "anything")) == 0.0


@pytest.mark.parametrize(
    ("n_characters", "completeness"),
    [
        (0, 0.0),
        (10, 0.1),
        (25, 0.25),
        (49, 0.49),
        (50, 0.5),
        (275, 0.75),
        (499, 0.5 + 449 / 900),
        (500, 1.0),
        (900, 1.0),
    ],
)
def test_completeness_grows_from_50_to_500_characters(n_characters: int, completeness: float) -> None:
    assert LengthCompleteness().score(exchange(response="x" * n_characters)) == pytest.approx(completeness, abs=1e-12)


def test_white_space_around_an_answer_makes_it_no_longer() -> None:
    assert LengthCompleteness().score(exchange(response=" " * 600 + "x" * 10 + "\n" * 600)) == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("response", "coherence"),
    [
        ("It is free. However, it is old.", 1.0),
        ("One. Two. Three. Therefore four. Five. Six.", 0.5),
        ("One. Two. Three.", 0.0),
        ("As a  result it is HENCE so.", 1.0),  # two in one sentence are no more than one in three
        ("Thusly it is. Henceforth too.", 0.0),  # whole words
        ("", 0.0),
    ],
)
def test_coherence_counts_transition_words_by_sentence(response: str, coherence: float) -> None:
    assert TransitionWords().score(exchange(response=response)) == coherence


def test_accuracy_is_the_baseline_for_any_answer() -> None:
    assert {BaselineAccuracy().score(exchange(response=text)) for text in ("", "right", "wrong")} == {0.85}


def test_sentences_end_at_marks_blank_lines_and_items() -> None:
    text = "One is here. Two?\n\nThree\n- four\n- five v1.2\n\n\n"
    assert sentences(text) == ["One is here.", "Two?", "Three", "- four", "- five v1.2"]
