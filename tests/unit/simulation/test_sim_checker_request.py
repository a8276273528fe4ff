"""Hand-made histories of requests: repeated, given up, acknowledged."""

from typing import Any

from actors.runtime.request_memory import AnsweredIdly, Parked
from actors.runtime.wire import pack
from actors.scent_field.event import LeaseRenewed, LeasesGranted, WaiterLeft
from coordinator.simulation.history import Arrived, Replied, Stopped

GRANTED = ["granted", 1, ["docs/"], 6.0, "heartbeat", False, [], [], "house"]
CLAIM = ["claim", "house", ["docs/"], "exclusive", 0.0, ""]


def test_a_request_whose_answer_is_in_the_store_before_it_is_sent_breaks_nothing(story: Any) -> None:
    story.register("ann#1")
    call = story.ask("ann#1", CLAIM, number=1)
    story.commit(story.granted("ann#1", "docs/", generation=1), story.answered("ann#1", 1, GRANTED))
    story.reply(call, GRANTED)
    story.hear(call, GRANTED)
    story.reply(call, GRANTED)  # a copy of it came too, and was answered from memory
    assert story.broken() == []


def test_an_answer_before_the_commit_is_found(story: Any) -> None:
    story.register("ann#1")
    call = story.ask("ann#1", CLAIM, number=1)
    story.reply(call, GRANTED)
    story.commit(story.granted("ann#1", "docs/", generation=1), story.answered("ann#1", 1, GRANTED))
    assert story.broken() == ["acknowledged is committed"]


def test_an_answer_that_is_another_than_the_store_has_is_found(story: Any) -> None:
    story.register("ann#1")
    call = story.ask("ann#1", CLAIM, number=1)
    story.commit(story.granted("ann#1", "docs/", generation=1), story.answered("ann#1", 1, GRANTED))
    story.reply(call, ["granted", 7, *GRANTED[2:]])
    assert story.broken() == ["acknowledged is committed"]


def test_a_grant_that_is_remembered_as_if_it_could_be_lost_is_found(story: Any) -> None:
    story.register("ann#1")
    call = story.ask("ann#1", CLAIM, number=1)
    idly = AnsweredIdly("ann#1", 1, 0, pack([GRANTED]))
    story.commit(story.granted("ann#1", "docs/", generation=1), idly)
    story.reply(call, GRANTED)
    assert story.broken() == ["acknowledged is committed"]


def test_a_session_that_is_not_in_the_store_must_not_be_told(story: Any) -> None:
    story.reply(story.ask("", ["register", "ann", "x" * 16, "", "heartbeat", 6.0]), ["registered", "ann#1", 6.0])
    assert story.broken() == ["acknowledged is committed"]


def test_a_request_that_is_carried_out_twice_is_found(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.answered("ann#1", 1, ["deposited", 0.5]))
    story.commit(story.answered("ann#1", 2, ["deposited", 0.5]))
    assert story.broken() == []
    story.commit(story.answered("ann#1", 1, ["deposited", 1.0]))
    assert story.broken() == ["each request takes effect once"]


def test_a_request_that_waits_and_then_has_its_answer_is_carried_out_once(story: Any) -> None:
    story.register("ann#1")
    story.commit(Parked("ann#1", 1, 0, 1))
    story.commit(story.answered("ann#1", 1, ["deposited", 0.5]))
    assert story.broken() == []
    story.commit(Parked("ann#1", 1, 0, 2))
    assert story.broken() == ["each request takes effect once"]


def test_a_request_that_was_received_or_given_up_is_never_carried_out(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.answered("ann#1", 3, ["deposited", 0.5])._replace(received_through=2))
    story.commit(story.answered("ann#1", 2, ["deposited", 0.5]))
    assert story.broken() == ["each request takes effect once"]
    del story.records[-2:]
    story.seq -= 2
    story.commit(story.abandoned("ann#1", 4))
    story.commit(story.answered("ann#1", 4, ["deposited", 0.5]))
    assert story.broken() == ["each request takes effect once"]


def test_what_was_granted_and_given_up_is_given_back(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "docs/", generation=1), story.answered("ann#1", 1, GRANTED))
    story.commit(story.ended(1, "released"), story.abandoned("ann#1", 1))
    assert story.broken() == []
    del story.records[-1]
    story.seq -= 1
    story.commit(story.abandoned("ann#1", 1))
    assert story.broken() == ["each request takes effect once"]


def test_what_was_given_up_and_asked_for_again_stays(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "docs/", generation=1), story.answered("ann#1", 1, GRANTED))
    story.commit(LeaseRenewed("house", 1, 0.0), story.answered("ann#1", 2, ["noted"]))
    story.commit(story.abandoned("ann#1", 1))
    assert story.broken() == []


def test_all_claims_of_a_run_that_was_given_up_are_given_back(story: Any) -> None:
    story.register("ann#1")
    run = LeasesGranted(1, "house", "ann#1", ("src/api.py", "src/app.py"), 1, False, 0.0, "")
    each = ["claimed_each", "house", 6.0, "heartbeat", [[0, 2, 1]], []]
    story.commit(run, story.answered("ann#1", 1, each))
    story.commit(story.ended(1, "released"), story.abandoned("ann#1", 1))
    assert story.broken() == ["each request takes effect once"]
    del story.records[-1]
    story.seq -= 1
    story.commit(story.ended(1, "released"), story.ended(2, "released"), story.abandoned("ann#1", 1))
    assert story.broken() == []


def test_a_waiter_whose_caller_gave_up_does_not_wait_on(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "docs/", generation=1))
    story.commit(story.queued(1, "bob#2", "docs/"), Parked("bob#2", 1, 0, 1))
    story.commit(story.abandoned("bob#2", 1))
    assert story.broken() == ["each request takes effect once"]


def test_a_waiter_that_is_served_as_its_caller_gives_up_is_undone(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("bob#2", "docs/", generation=1))
    story.commit(story.queued(1, "ann#1", "docs/"), Parked("ann#1", 1, 0, 1))
    freed = (story.ended(1, "released"), story.answered("bob#2", 1, ["released", 1, []]))
    served = (*freed, WaiterLeft("house", 1, "granted"), story.granted("ann#1", "docs/", generation=2))
    undone = (story.answered("ann#1", 1, ["granted", 2, *GRANTED[2:]]), story.ended(2, "released"))
    story.commit(*served, *undone, story.abandoned("ann#1", 1))
    assert story.broken() == []
    story.records[-1] = story.records[-1]._replace(events=(*served, story.abandoned("ann#1", 1)))
    assert "it had been served, and keeps what it got" in story.messages()


def test_what_was_asked_for_again_is_not_ended_by_giving_up_or_giving_back(story: Any) -> None:
    give_back = ["give_back", "house", ["docs/"], 1]
    release = ["release", "house", ["docs/"], 1, False]
    story.register("ann#1")
    story.commit(story.granted("ann#1", "docs/", generation=1), story.answered("ann#1", 1, GRANTED))
    again = len(story.records)
    story.commit(LeaseRenewed("house", 1, 0.0), story.answered("ann#1", 2, ["noted"]))
    story.ask("ann#1", release, number=3)
    story.ask("ann#1", give_back, number=4)
    answers = [story.answered("ann#1", number, ["released", 1, []]) for number in (3, 4)]
    rule = "what was asked for again stays"
    for told, broken in ((answers[0], []), (answers[1], [rule]), (story.abandoned("ann#1", 1), [rule])):
        story.commit(story.ended(1, "released"), told)
        assert story.broken() == broken, told
        del story.records[-1]
        story.seq -= 1
    del story.records[again]
    story.seq = 2
    for told in (answers[1], story.abandoned("ann#1", 1)):
        story.commit(story.ended(1, "released"), told)
        assert story.broken() == [], told
        del story.records[-1]
        story.seq -= 1


def test_a_caller_that_waits_is_not_told_that_its_request_was_wrong(story: Any) -> None:
    call = story.ask("ann#1", CLAIM, number=1)
    story.hear(call, ["failed", "misuse", "request 1 was answered and received before"])
    assert story.broken() == ["each request takes effect once"]
    story.records[-1] = story.records[-1]._replace(answers=(["failed", "unknown_agent", "it has ended"],))
    assert story.broken() == []


def test_a_sharer_that_asks_again_after_it_gave_up_may_have_the_same_number_again(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("bob#2", "docs/", generation=1, shared=True))
    granted = story.granted("ann#1", "docs/", generation=1, shared=True)
    story.commit(granted, story.answered("ann#1", 1, GRANTED))
    again = story.granted("ann#1", "docs/", generation=1, shared=True)
    story.commit(story.ended(2, "released"), story.abandoned("ann#1", 1), again)
    assert story.broken() == []


def test_who_is_never_answered_by_a_process_that_lives_is_found(story: Any) -> None:
    story.open(process=2, epoch=2)
    first, second = (story.ask("", ["field_statistics"], process=process) for process in (1, 2))
    story.add(Stopped(story.at_s, "scent_field", 1, "killed"))
    story.finish()
    assert story.broken() == ["whoever asks is answered"]
    assert story.messages() == f"call {second} was never answered by scent_field/2"
    story.records.insert(-1, Replied(story.at_s, "scent_field", 2, 0.0, second, (["busy", 0.05, ""],)))
    assert story.broken() == []
    assert first != second


def test_each_copy_of_a_request_is_answered(story: Any) -> None:
    call = story.ask("", ["field_statistics"])
    story.add(Arrived(story.at_s, "scent_field", 1, call))
    story.reply(call, ["busy", 0.05, ""])
    story.finish()
    assert story.broken() == ["whoever asks is answered"]
    story.records.insert(-1, story.records[-2])
    assert story.broken() == []
