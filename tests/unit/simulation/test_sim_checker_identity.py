"""Hand-made histories of who is who, and who ends with whom."""

from typing import Any

import pytest

from coordinator.simulation.history import IMPOSTOR


def test_a_number_that_is_given_twice_is_found(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.died("bob#2", "goodbye"))
    story.register("bob#3")
    assert story.broken() == []
    for again in ("bob#2", "cy#2", "bob#3"):
        story.register(again)
        assert story.broken() == ["a name that is used again is somebody else"], again
        del story.records[-1]
        story.seq -= 1


@pytest.mark.parametrize("kept_by", ["connection", "heartbeat", "decay"])
def test_those_end_with_a_parent_that_its_connection_keeps_and_no_others(story: Any, kept_by: str) -> None:
    story.commit(story.registered("ann#1"), story.registered("ann/kid#2", parent="ann#1", kept_by=kept_by))
    dead = (story.died("ann#1", "goodbye"), story.died("ann/kid#2", "parent"))
    for ended, is_right in ((dead, kept_by == "connection"), (dead[:1], kept_by != "connection")):
        story.commit(*ended)
        assert story.broken() == ([] if is_right else ["children end with whoever keeps them"]), ended
        del story.records[-1]
        story.seq -= 1


def test_who_is_said_to_end_with_a_parent_that_lives_is_found(story: Any) -> None:
    child = story.registered("ann/kid#2", parent="ann#1", kept_by="connection")
    story.commit(story.registered("ann#1"), child)
    story.commit(story.died("ann/kid#2", "parent"))
    assert story.broken() == ["children end with whoever keeps them"]
    assert "ann/kid#2, which a connection keeps, ended with its parent ann#1" in story.messages()


def pretend(story: Any) -> int:
    call = int(story.ask("ann#1", ["goodbye"], number=1_000_001))
    story.records[-2] = story.records[-2]._replace(who=IMPOSTOR)
    return call


def test_who_does_not_know_the_token_hears_so_and_anything_else_is_found(story: Any) -> None:
    story.register("ann#1")
    story.reply(pretend(story), ["failed", "unknown_agent", "the token is not that of agent 'ann#1'"])
    story.reply(pretend(story), ["busy", 0.05, "full"])
    assert story.broken() == []
    for answer in (["released", 0, []], ["failed", "misuse", "no"]):
        story.reply(pretend(story), answer)
        assert story.broken() == ["nobody speaks for another"], answer
        del story.records[-3:]
