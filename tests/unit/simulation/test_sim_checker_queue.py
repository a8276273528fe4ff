"""Hand-made histories of those who wait."""

from typing import Any

from actors.scent_field.event import LeaseMoved, LeaseProgressed, WaiterLeft


def left(ticket: int, reason: str) -> WaiterLeft:
    return WaiterLeft("house", ticket, reason)


def test_who_waits_is_served_in_the_row_that_frees_it(story: Any) -> None:
    story.register("ann#1", "bob#2", "eve#3")
    story.commit(story.granted("ann#1", "src/", generation=1))
    story.commit(story.queued(1, "bob#2", "src/api.py"), story.queued(2, "eve#3", "src/app.py"))
    story.commit(
        story.ended(1, "released"),
        left(1, "granted"),
        story.granted("bob#2", "src/api.py", generation=2),
        left(2, "granted"),
        story.granted("eve#3", "src/app.py", generation=3),
        story.answered("ann#1", 1, ["released", 1, []]),
    )
    assert story.broken() == []


def test_a_waiter_that_nothing_keeps_out_is_found(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/", generation=1))
    story.commit(story.queued(1, "bob#2", "src/api.py"))
    story.commit(story.ended(1, "released"), story.answered("ann#1", 1, ["released", 1, []]))
    assert story.broken() == ["no waiter is forgotten"]
    assert "bob#2 waits for src/api.py, which is free" in story.messages()


def test_a_grant_past_an_earlier_waiter_is_found(story: Any) -> None:
    story.register("ann#1", "bob#2", "eve#3")
    story.commit(story.granted("ann#1", "src/api.py", generation=1))
    story.commit(story.queued(1, "bob#2", "src/"))
    story.commit(story.granted("eve#3", "src/app.py", generation=2))
    assert story.broken() == ["first come, first served"]


def test_the_second_of_two_waiters_is_not_served_first(story: Any) -> None:
    story.register("ann#1", "bob#2", "eve#3")
    story.commit(story.granted("ann#1", "docs/", generation=1))
    story.commit(story.queued(1, "bob#2", "docs/"), story.queued(2, "eve#3", "docs/guide.md"))
    story.commit(
        story.ended(1, "released"),
        left(2, "granted"),
        story.granted("eve#3", "docs/guide.md", generation=2),
        story.answered("ann#1", 1, ["released", 1, []]),
    )
    assert story.broken() == ["first come, first served"]


def test_sharers_do_not_overtake_an_exclusive_waiter(story: Any) -> None:
    story.register("ann#1", "bob#2", "eve#3")
    story.commit(story.granted("ann#1", "docs/", generation=1, shared=True))
    story.commit(story.queued(1, "bob#2", "docs/"))
    story.commit(story.granted("eve#3", "docs/", generation=1, shared=True))
    assert story.broken() == ["first come, first served"]


def test_who_holds_a_file_anyway_takes_nothing_from_those_who_wait_for_it(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/", generation=1))
    story.commit(story.queued(1, "bob#2", "src/api.py"))
    story.commit(story.granted("ann#1", "src/api.py", generation=2))
    assert story.broken() == []


def test_a_waiter_for_any_of_its_targets_holds_no_place_on_each(story: Any) -> None:
    story.register("ann#1", "bob#2", "eve#3")
    story.commit(story.granted("ann#1", "src/", generation=1))
    story.commit(story.queued(1, "bob#2", "src/api.py", "src/app.py", any_of=True))
    assert story.broken() == []
    story.commit(story.queued(2, "eve#3", "src/api.py", "docs/guide.md", any_of=True))
    assert story.broken() == ["no waiter is forgotten"]


def test_time_is_up_when_it_is_up(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/", generation=1))
    story.commit(story.queued(1, "bob#2", "src/api.py", wait_s=3.0))
    story.wait(2.9)
    story.commit(left(1, "timeout"))
    assert story.broken() == ["no waiter is forgotten"]
    del story.records[-1]
    story.seq -= 1
    story.wait(0.1)
    story.commit(left(1, "timeout"))
    assert story.broken() == []
    del story.records[-1]
    story.seq -= 1
    story.wait(0.1)
    story.commit(story.answered("ann#1", 1, ["noted"]))
    assert story.broken() == ["no waiter is forgotten"]


def test_nobody_leaves_the_line_without_a_cause_or_twice(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/", generation=1))
    story.commit(story.queued(1, "bob#2", "src/api.py"))
    for reason in ("granted", "withdrawn", "session ended"):
        story.commit(left(1, reason))
        assert story.broken() == ["no waiter is forgotten"], reason
        del story.records[-1]
        story.seq -= 1
    story.commit(left(1, "withdrawn"), story.abandoned("bob#2", 1))
    assert story.broken() == []
    story.commit(left(1, "withdrawn"), story.abandoned("bob#2", 1))
    assert story.broken() == ["no waiter is forgotten"]


def two_that_hold(story: Any) -> None:
    """ann has src/, bob has docs/, and ann waits for docs/."""
    story.register("ann#1", "bob#2", "eve#3")
    story.commit(story.granted("ann#1", "src/", generation=1), story.granted("bob#2", "docs/", generation=2))
    story.commit(story.queued(1, "ann#1", "docs/"))


def test_whoever_closes_a_ring_may_not_queue_up(story: Any) -> None:
    two_that_hold(story)
    story.commit(story.queued(2, "bob#2", "src/api.py"))
    assert story.broken() == ["nobody waits for ever"]
    assert "bob#2 may queue up and closes a ring of ann#1, bob#2" in story.messages()


def test_a_ring_may_go_through_the_line_too(story: Any) -> None:
    two_that_hold(story)
    story.commit(story.queued(2, "eve#3", "src/api.py"))
    assert story.broken() == []
    story.commit(story.granted("eve#3", "task:login", generation=3))
    story.commit(story.queued(3, "bob#2", "task:login"))
    assert story.broken() == ["nobody waits for ever"]


def test_who_takes_any_of_its_targets_goes_on_with_one_that_is_not_in_the_ring(story: Any) -> None:
    two_that_hold(story)
    story.commit(story.granted("eve#3", "task:login", generation=3))
    story.commit(story.queued(2, "bob#2", "src/api.py", "task:login", any_of=True))
    assert story.broken() == []


def moved(story: Any, lease_id: int, to: str, generation: int) -> LeaseMoved:
    return LeaseMoved("house", lease_id, to, generation, False, story.at_s, "")


def test_whoever_waits_for_somebody_is_not_handed_what_that_one_waits_for(story: Any) -> None:
    two_that_hold(story)
    story.commit(story.queued(2, "eve#3", "src/api.py"))
    story.commit(moved(story, 2, "eve#3", 3))
    assert story.broken() == ["nobody waits for ever"]
    assert "bob#2 may hand over to eve#3 and closes a ring of ann#1, eve#3" in story.messages()


def test_the_giver_of_a_claim_may_wait_for_it_too(story: Any) -> None:
    story.register("ann#1", "bob#2", "eve#3")
    story.commit(story.granted("ann#1", "src/app.py", generation=1), story.granted("ann#1", "task:login", generation=2))
    story.commit(story.granted("eve#3", "src/api.py", generation=3))
    story.commit(story.queued(1, "ann#1", "src/"), story.queued(2, "bob#2", "task:login"))
    assert story.broken() == []
    story.commit(moved(story, 1, "bob#2", 4))
    assert story.broken() == ["nobody waits for ever"]


def test_a_hand_over_to_somebody_who_waits_for_nothing_closes_no_ring(story: Any) -> None:
    two_that_hold(story)
    story.commit(moved(story, 2, "eve#3", 3))
    assert story.broken() == []


def test_a_claim_that_rests_while_somebody_waits_is_found(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "docs/", generation=1), story.granted("bob#2", "src/", generation=2))
    for _ in range(9):
        story.wait(3.0)
        story.beat("ann#1")
        story.beat("bob#2")
    story.commit(story.queued(1, "bob#2", "docs/guide.md"))
    assert story.broken() == [], "who has just queued up is served in the next turn"
    story.commit(story.answered("bob#2", 1, ["noted"]))
    assert story.broken() == ["a rested claim makes way"]
    assert "bob#2 waits for ann#1, whose claim on docs/ has rested since 0.000" in story.messages()


def test_a_claim_that_was_worked_on_or_is_in_nobody_s_way_may_rest(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "docs/", generation=1), story.granted("ann#1", "tests/", generation=2))
    for _ in range(8):
        story.wait(3.0)
        story.beat("ann#1")
        story.beat("bob#2")
    story.commit(LeaseProgressed("house", 1, story.at_s), story.queued(1, "bob#2", "docs/guide.md"))
    story.wait(3.0)
    story.commit(story.answered("bob#2", 1, ["noted"]))
    assert story.broken() == []
