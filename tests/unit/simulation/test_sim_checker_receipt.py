"""Hand-made histories of what clients count as received."""

from typing import Any

import pytest

from coordinator.simulation.history import IMPOSTOR

RULE = "what counts as received was heard"
CLAIM = ["claim", "house", ["docs/"], "exclusive", 0.0, ""]
HELD = ["held", "timeout", [], 0, "Ask again.", []]


def ask(story: Any, number: int, *, received: int = 0, abandoned: tuple[int, ...] = (), who: str = "ann") -> int:
    call = int(story.ask("ann#1", CLAIM, number=number))
    sent = story.records[-2]
    story.records[-2] = sent._replace(who=who, received_through=received, abandoned=abandoned)
    return call


def test_what_was_heard_counts_as_received(story: Any) -> None:
    story.hear(ask(story, 1), HELD)
    story.hear(ask(story, 2, received=1), HELD)
    ask(story, 3, received=2)
    assert story.broken() == []


def test_what_was_never_heard_does_not(story: Any) -> None:
    ask(story, 1)
    ask(story, 2)
    assert story.broken() == []
    ask(story, 3, received=1)
    assert story.broken() == [RULE]
    assert "ann#1 counts its request 1 as received" in story.messages()


@pytest.mark.parametrize("code", ["busy", "unavailable", "corrupt"])
def test_who_was_turned_away_has_heard_nothing_for_certain(story: Any, code: str) -> None:
    story.hear(ask(story, 1), ["busy", 0.05, "full"] if code == "busy" else ["failed", code, "nothing was done"])
    ask(story, 2)
    assert story.broken() == []
    ask(story, 3, received=1)
    assert story.broken() == [RULE]


def test_a_refusal_was_read(story: Any) -> None:
    story.hear(ask(story, 1), ["failed", "bad_target", "no"])
    ask(story, 2, received=1)
    assert story.broken() == []


def test_what_was_given_up_counts_once_the_answer_to_whoever_told_it_was_heard(story: Any) -> None:
    ask(story, 1)
    call = ask(story, 2, abandoned=(1,))
    before = len(story.records)
    ask(story, 3, received=1)
    assert story.broken() == [RULE]
    del story.records[before:]
    story.hear(call, ["busy", 0.05, "full"])
    ask(story, 3, received=1)
    assert story.broken() == [RULE]
    del story.records[before:]
    story.hear(call, HELD)
    ask(story, 3, received=2)
    assert story.broken() == []


def test_an_impostor_s_numbers_are_nobody_s(story: Any) -> None:
    ask(story, 7, who=IMPOSTOR)
    ask(story, 8, received=7)
    assert story.broken() == []
