"""Hand-made histories of claims: who holds what, in which order, under which number."""

from typing import Any

from actors.scent_field.event import LeaseMoved, LeasesGranted, LeaseShrunk, LockDelayOver, ReleaseForced


def test_a_history_of_honest_claims_breaks_nothing(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/api.py", generation=1), story.granted("bob#2", "docs/", generation=2))
    story.wait(1.0)
    story.commit(story.ended(1, "released"), story.answered("ann#1", 2, ["released", 1, []]))
    story.commit(story.granted("bob#2", "src/", generation=3))
    assert story.broken() == []


def test_two_holders_of_one_path_are_found_and_the_lines_that_show_it(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/", generation=1))
    story.commit(story.granted("bob#2", "src/*.py", generation=2))
    assert story.broken() == ["one holder"]
    assert "bob#2 was given src/*.py while ann#1 holds src/ (generation 1)" in story.messages()


def test_a_run_of_claims_is_read_claim_by_claim(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(LeasesGranted(1, "house", "ann#1", ("src/api.py", "src/app.py"), 1, False, 0.0, ""))
    story.n_leases = 2
    story.commit(story.granted("bob#2", "src/app.py", generation=3))
    assert story.broken() == ["one holder"]


def test_sharers_may_hold_one_path_under_one_number_but_nobody_beside_them(story: Any) -> None:
    story.register("ann#1", "bob#2", "eve#3")
    story.commit(story.granted("ann#1", "docs/", generation=1, shared=True))
    story.commit(story.granted("bob#2", "docs/guide.md", generation=1, shared=True))
    assert story.broken() == []
    story.commit(story.granted("ann#1", "docs/guide.md", generation=2))
    assert story.broken() == ["one holder"]


def test_a_child_may_work_inside_of_its_parents_claim_and_not_the_other_way(story: Any) -> None:
    story.commit(story.registered("ann#1"), story.registered("ann/kid#2", parent="ann#1"))
    story.commit(story.granted("ann#1", "src/", generation=1))
    story.commit(story.granted("ann/kid#2", "src/api.py", generation=2))
    assert story.broken() == []
    story.commit(story.granted("ann#1", "src/a*", generation=3))
    assert story.broken() == ["one holder"]


def test_targets_that_were_given_back_are_free_and_the_others_are_not(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "docs/guide.md", "src/api.py", generation=1))
    story.commit(LeaseShrunk("house", 1, ("src/api.py",), 0.0))
    story.commit(story.granted("bob#2", "src/api.py", generation=2))
    assert story.broken() == []
    story.commit(story.granted("bob#2", "docs/", generation=3))
    assert story.broken() == ["one holder"]


def test_a_number_that_was_given_before_is_found(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/api.py", generation=5))
    story.commit(story.granted("bob#2", "docs/", generation=5))
    assert story.broken() == ["generations only grow"]


def test_a_hand_over_takes_the_next_number(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/api.py", generation=1))
    story.commit(LeaseMoved("house", 1, "bob#2", 2, False, 0.0, ""))
    assert story.broken() == []
    story.commit(LeaseMoved("house", 1, "ann#1", 2, False, 0.0, ""))
    assert story.broken() == ["generations only grow"]


def test_a_lock_delay_keeps_others_out_until_it_is_over(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/api.py", generation=1))
    story.wait(3.0)
    story.beat("bob#2")
    story.wait(3.0)
    story.commit(story.died("ann#1"), story.ended(1, "expired", delay_s=2.0))
    story.beat("bob#2")
    story.wait(2.0)
    story.commit(LockDelayOver("house", 1), story.granted("bob#2", "src/api.py", generation=2))
    assert story.broken() == []


def test_a_grant_within_the_lock_delay_is_found_even_if_the_house_set_none(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/api.py", generation=1))
    story.wait(3.0)
    story.beat("bob#2")
    story.wait(3.0)
    story.commit(story.died("ann#1"), story.ended(1, "expired"))
    story.wait(0.5)
    story.commit(story.granted("bob#2", "src/", generation=2))
    assert story.broken() == ["lock delay", "one holder"]


def test_force_ends_a_lock_delay_early_and_nothing_else_does(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/api.py", generation=1))
    story.wait(3.0)
    story.beat("bob#2")
    story.wait(3.0)
    story.commit(story.died("ann#1"), story.ended(1, "expired", delay_s=2.0))
    forced = ReleaseForced("house", story.at_s, 0.0, "bob#2", "ann#1", "src/api.py", 1, "in the way", False)
    before = len(story.records)
    story.commit(forced, LockDelayOver("house", 1))
    assert story.broken() == []
    del story.records[before:]
    story.seq -= 1
    story.commit(LockDelayOver("house", 1))
    assert story.broken() == ["lock delay"]


def test_a_sharer_that_joins_a_group_takes_no_older_number_than_was_granted_on_its_path(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.commit(story.granted("ann#1", "src/api.py", generation=1, shared=True))
    story.commit(story.granted("bob#2", "src/app.py", generation=2))
    story.commit(story.ended(2, "released"), story.answered("bob#2", 1, ["released", 1, []]))
    assert story.broken() == []
    story.commit(story.granted("bob#2", "src/", generation=1, shared=True))
    assert story.broken() == ["generations only grow"]
    assert "bob#2 was given generation 1 on src/app.py after 2" in story.messages()
