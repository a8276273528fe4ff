import pytest

from actors.runtime.errors import Misuse
from coordinator.feedback.extractive import Extractive
from coordinator.retrieval.passage import Passage

LEASES = "A lease lives with its session. It ends thirty seconds after the agent has died. Nobody renews it by hand."
COLOURS = "The board is green. Some like it blue."


def passage(text: str, path: str = "a.md") -> Passage:
    return Passage(path, "", text, 1.0, "0" * 64, 1, 9)


def test_the_sentences_that_speak_of_the_question_are_taken_word_for_word() -> None:
    text = Extractive(60)("When does a lease end after an agent died?", [passage(COLOURS), passage(LEASES, "b.md")])
    assert text == "It ends thirty seconds after the agent has died."


def test_what_it_says_stands_in_the_passages_in_their_order() -> None:
    text = Extractive()("lease board", [passage(LEASES), passage(COLOURS, "b.md")])
    assert text == f"{LEASES}\n\n{COLOURS}"


def test_the_earlier_passage_counts_more_among_equals() -> None:
    assert Extractive(21)("board", [passage("The board is old."), passage("The board is new.")]) == "The board is old."


def test_what_is_said_twice_is_taken_once() -> None:
    assert Extractive()("board", [passage(COLOURS), passage(COLOURS, "b.md")]) == COLOURS


@pytest.mark.parametrize("passages", [[], [passage("")], [passage(" \n\n ")]])
def test_without_passages_there_is_no_answer(passages: list[Passage]) -> None:
    assert Extractive()("lease", passages) == ""


@pytest.mark.parametrize("max_characters", [1, 7, 100, 800])
def test_an_answer_keeps_to_its_size_and_is_not_empty(max_characters: int) -> None:
    passages = [passage("word " * 4_000), passage(LEASES), passage(COLOURS)]
    text = Extractive(max_characters)("lease", passages)
    assert 0 < len(text) <= max_characters


def test_headings_and_gaps_are_no_sentences() -> None:
    one = Passage("a.md", "Leases", "## Leases\n\nA lease ends.\n…\nIt is short.\n", 1.0, "0" * 64, 1, 9)
    assert Extractive()("lease", [one]) == "A lease ends. It is short."
    assert Extractive()("lease", [passage("## Other\n\nA lease ends.")]) == "## Other A lease ends."


def test_a_passage_is_found_by_its_title_too() -> None:
    named = Passage("a.md", "The walrus", "It swims.", 1.0, "0" * 64, 1, 9)
    assert Extractive(12)("walrus?", [passage("It talks."), named]) == "It swims."


def test_a_megabyte_of_passages_is_looked_at_in_part() -> None:
    text = Extractive()("needle", [passage("Hay is here. " * 90_000)])
    assert len(text) <= 800


@pytest.mark.parametrize("max_characters", [0, -1, 10**9, 2.5])
def test_a_size_that_cannot_be_is_refused(max_characters: float) -> None:
    with pytest.raises(Misuse, match="max_characters="):
        Extractive(max_characters)  # type: ignore[arg-type]  # that is the point
