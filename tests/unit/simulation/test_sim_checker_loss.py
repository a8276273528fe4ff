"""Hand-made histories of claims that are lost, and of what their holders hear of it."""

from typing import Any

import pytest

RULE = "losses are told"


def loss(number: int = 1, *, reason: str = "faded", generation: int = 1, holder: str = "") -> list[Any]:
    return [number, "house", ["docs/"], generation, reason, 0.0, holder]


def alive(*losses: list[Any]) -> list[Any]:
    return ["alive", 6.0, list(losses), []]


@pytest.fixture
def lost(story: Any) -> Any:
    """Ann, whom no heartbeat keeps, has lost docs/ by silence."""
    story.commit(story.registered("ann#1", kept_by="decay")._replace(ttl_s=86_400.0), story.registered("bob#2"))
    story.commit(story.granted("ann#1", "docs/", generation=1, fades=True))
    for _ in range(5):
        story.beat("bob#2")
        story.wait(3.2)
    story.commit(story.ended(1, "faded"))
    return story


def ask(story: Any, through: int = 0) -> int:
    return int(story.ask("ann#1", ["heartbeat", through]))


def test_who_is_told_of_its_loss_once_is_told(lost: Any) -> None:
    lost.reply(ask(lost), alive(loss()))
    lost.reply(ask(lost), alive(loss()))
    lost.reply(ask(lost, 1), alive())
    lost.reply(lost.ask("", ["list_losses", "ann#1"]), ["losses", [loss()]])
    assert lost.broken() == []


def test_who_is_not_told_is_found_until_it_has_heard(lost: Any) -> None:
    lost.reply(ask(lost), alive())
    assert lost.broken() == [RULE]
    assert "ann#1 was not told that it lost docs/ (generation 1, faded)" in lost.messages()
    del lost.records[-1]
    lost.reply(lost.n_calls, alive(loss()))
    lost.reply(ask(lost), alive())
    assert lost.broken() == [RULE]


def test_a_number_that_hides_a_loss_is_found(lost: Any) -> None:
    lost.reply(ask(lost, 7), alive())
    assert lost.broken() == [RULE]


def test_a_list_that_leaves_a_loss_out_is_found(lost: Any) -> None:
    lost.reply(lost.ask("", ["list_losses", "ann#1"]), ["losses", []])
    assert lost.broken() == [RULE]


def test_what_is_lost_while_the_question_is_under_way_may_be_told_later(lost: Any) -> None:
    ended = lost.records.pop()
    call = ask(lost)
    lost.records.append(ended)
    lost.reply(call, alive())
    assert lost.broken() == []


def test_a_loss_that_there_was_not_is_found(lost: Any) -> None:
    for told in (loss(reason="idle"), loss(generation=2)):
        lost.reply(ask(lost), alive(loss(), told))
        assert lost.broken() == [RULE], told
        del lost.records[-3:]


def test_whoever_has_it_now_is_named(lost: Any) -> None:
    lost.commit(lost.granted("bob#2", "docs/guide.md", generation=2))
    lost.reply(ask(lost), alive(loss(holder="bob#2")))
    assert lost.broken() == []
    for holder in ("", "ann#1", "cy#3"):
        lost.reply(ask(lost), alive(loss(holder=holder)))
        assert lost.broken() == [RULE], holder
        del lost.records[-3:]


def test_a_process_that_was_replaced_may_be_behind_and_tells_of_nothing_that_is_not(lost: Any) -> None:
    lost.open(process=2, epoch=2)
    lost.reply(ask(lost), alive())
    assert lost.broken() == []
    lost.reply(ask(lost), alive(loss()))
    call = lost.ask("ann#1", ["heartbeat", 1], process=2)
    lost.reply(call, alive(), process=2)
    assert lost.broken() == []
    lost.reply(ask(lost), alive(loss(generation=2)))
    assert lost.broken() == [RULE]
