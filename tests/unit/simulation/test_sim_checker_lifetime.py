"""Hand-made histories of life and death."""

from typing import Any

from actors.scent_field.event import LeaseProgressed, WaiterLeft
from coordinator.simulation.history import Stopped


def test_a_session_that_is_silent_for_its_ttl_ends_with_its_claims(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "docs/", generation=1))
    story.wait(6.0)
    story.commit(story.died("ann#1"), story.ended(1, "expired", delay_s=2.0))
    assert story.broken() == []


def test_an_end_before_the_ttl_is_found(story: Any) -> None:
    story.register("ann#1")
    story.wait(3.0)
    story.beat("ann#1")
    story.wait(5.9)
    story.commit(story.died("ann#1"))
    assert story.broken() == ["life and death"]
    assert "declared dead 5.900 s after a sign of life; its TTL is 6 s" in story.messages()


def test_who_should_be_dead_and_is_not_is_found_at_the_next_row(story: Any) -> None:
    story.register("ann#1", "bob#2")
    story.wait(5.0)
    story.beat("bob#2")
    story.wait(2.0)
    story.commit(story.granted("bob#2", "docs/", generation=1))
    assert story.broken() == []  # the heartbeat that saved it may have been applied with that very row
    story.commit(story.granted("bob#2", "src/", generation=2))
    assert story.broken() == ["life and death"]
    assert "ann#1 is still alive" in story.messages()


def test_a_start_gives_everybody_a_full_ttl(story: Any) -> None:
    story.register("ann#1")
    story.wait(5.0)
    story.add(Stopped(story.at_s, "scent_field", 1, "killed"))
    story.wait(3.0)
    story.records.append(story.records[0]._replace(at_s=8.0, process=2, epoch=2, seq=1, field_s=5.0))
    story.at_s = 13.5
    before = len(story.records)
    story.commit(story.died("ann#1"), process=2, epoch=2, field_s=10.5)
    assert story.broken() == ["life and death"]
    del story.records[before:]
    story.at_s, story.seq = 14.0, 1
    event = story.died("ann#1")._replace(at_s=11.0)
    story.commit(event, process=2, epoch=2, field_s=11.0)
    assert story.broken() == []


def test_the_word_of_a_process_that_was_replaced_keeps_nobody_alive(story: Any) -> None:
    story.register("ann#1")
    story.open(process=2, epoch=2)
    story.wait(3.0)
    call = story.ask("ann#1", ["heartbeat", 0], process=1)
    story.reply(call, ["alive", 6.0, [], []], process=1)
    story.wait(3.0)
    story.commit(story.died("ann#1"), process=2, epoch=2)
    assert story.broken() == []


def test_a_session_that_lives_on_in_silence_is_found_at_the_end(story: Any) -> None:
    story.register("ann#1")
    story.wait(20.0)
    story.finish()
    assert story.broken() == ["life and death"]


def test_an_expiry_beside_a_heartbeat_in_the_mailbox_is_found(story: Any) -> None:
    story.register("ann#1")
    story.wait(6.5)
    story.ask("ann#1", ["heartbeat", 0])
    story.commit(story.died("ann#1"))
    assert story.broken() == ["an arrived heartbeat counts"]


def test_the_dead_hold_nothing(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "docs/", generation=1))
    story.wait(6.0)
    story.commit(story.died("ann#1"))
    assert story.broken() == ["a claim ends with a cause"]
    assert "ann#1 is dead and holds docs/" in story.messages()


def test_a_claim_does_not_end_by_itself(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "docs/", generation=1))
    for reason in ("released", "forced", "faded", "idle", "expired", "whatever"):
        story.commit(story.ended(1, reason, delay_s=2.0 if reason == "expired" else 0.0))
        assert story.broken() == ["a claim ends with a cause"], reason
        del story.records[-1]
        story.seq -= 1


def test_a_claim_that_no_heartbeat_keeps_fades_in_time(story: Any) -> None:
    story.commit(story.registered("ann#1", kept_by="decay")._replace(ttl_s=86_400.0))
    story.commit(story.granted("ann#1", "docs/", generation=1, fades=True))
    story.wait(5.0)
    story.commit(LeaseProgressed("house", 1, 5.0))
    story.wait(16.0)
    story.commit(story.ended(1, "faded"))
    assert story.broken() == []
    del story.records[-1]
    story.seq -= 1
    story.wait(0.5)
    story.commit(story.answered("ann#1", 1, ["noted"]))
    assert story.broken() == ["a claim ends with a cause"]


def test_a_claim_that_is_still_kept_at_the_end_is_found(story: Any) -> None:
    story.register("ann#1")
    story.commit(story.granted("ann#1", "docs/", generation=1))
    story.finish()
    assert story.broken() == ["a claim ends with a cause"]


def test_heartbeats_keep_a_claim_and_nothing_else_does(story: Any) -> None:
    story.commit(story.registered("ann#1"), story.registered("bob#2", kept_by="decay")._replace(ttl_s=86_400.0))
    story.commit(story.granted("ann#1", "docs/", generation=1, fades=True))
    story.commit(story.granted("bob#2", "src/", generation=2))
    for _ in range(6):
        story.wait(3.0)
        story.beat("ann#1")
    story.commit(story.answered("ann#1", 1, ["noted"]))
    assert story.broken() == ["a claim ends with a cause"]
    assert "the claim of bob#2 should have faded" in story.messages()
    story.records[-1] = story.records[-1]._replace(events=(story.ended(1, "faded"), story.ended(2, "faded")))
    assert story.messages() == "the claim of ann#1 ended (faded) without a cause"


def test_rest_ends_a_claim_for_somebody_who_waits_for_it_only(story: Any) -> None:
    story.commit(story.registered("ann#1"), story.registered("bob#2"))
    story.commit(story.granted("ann#1", "docs/", "src/", generation=1), story.granted("ann#1", "tests/", generation=2))
    story.commit(story.queued(1, "bob#2", "docs/guide.md"))
    for _ in range(9):
        story.wait(3.0)
        story.beat("ann#1")
        story.beat("bob#2")
    left = WaiterLeft("house", 1, "granted")
    story.commit(story.ended(1, "idle"), left, story.granted("bob#2", "docs/guide.md", generation=3))
    assert story.broken() == []
    story.commit(story.ended(2, "idle"))
    assert story.broken() == ["a claim ends with a cause"]


def test_what_the_dead_held_has_expired_and_is_not_given_back(story: Any) -> None:
    child = story.registered("ann/kid#2", parent="ann#1", kept_by="connection")
    story.commit(story.registered("ann#1"), child, story.granted("ann/kid#2", "docs/", generation=1))
    story.wait(6.0)
    for died, reason, delay_s, is_right in (
        ("expired", "expired", 2.0, True),
        ("expired", "goodbye", 0.0, False),
        ("goodbye", "goodbye", 0.0, True),
        ("goodbye", "expired", 2.0, False),
        ("goodbye", "parent", 0.0, False),
    ):
        ended = story.ended(1, reason, delay_s=delay_s)
        story.commit(story.died("ann#1", died), story.died("ann/kid#2", "parent"), ended)
        assert story.broken() == ([] if is_right else ["a claim ends with a cause"]), (died, reason)
        del story.records[-1]
        story.seq -= 1
