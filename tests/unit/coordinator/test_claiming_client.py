from __future__ import annotations

import gc
import pickle

import pytest

from coordinator import BadTarget, ClaimRefused, Misuse, NotGranted, Unavailable, UnknownAgent


def test_a_loser_is_told_holder_age_intent_and_next_step(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    assert ann.claim("a.py", intent="fix f")
    transport.pass_time(5)
    refused = bob.claim("a.py")
    assert not refused
    assert refused.reason == "claimed"
    assert "ann#1 holds a.py since 5 s to fix f" in refused.message
    assert "wait with wait_s" in refused.next_step


def test_a_with_block_releases_at_its_end_and_after_an_error(agent):
    ann, bob = agent("ann"), agent("bob")
    with ann.claim("a.py") as claimed:
        assert claimed.valid
        assert not bob.claim("a.py")
    assert not claimed.valid
    with pytest.raises(RuntimeError, match="boom"), bob.claim("a.py"):
        raise RuntimeError("boom")
    assert ann.claim("a.py")


def test_a_with_block_on_a_refusal_raises_with_the_refusal(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py")
    with pytest.raises(ClaimRefused, match=r"ann#1 holds a\.py") as caught, bob.claim("a.py"):
        pytest.fail("the block must not run")
    assert caught.value.refused.reason == "claimed"


def test_releasing_twice_does_no_harm_and_done_leaves_a_signal(agent):
    ann, bob = agent("ann"), agent("bob")
    claimed = ann.claim("a.py")
    assert claimed.release(done=True).n_released == 1
    assert claimed.release().n_released == 0
    (note,) = bob.claim("a.py").signals
    assert (note.kind, note.agent, note.intensity) == ("DONE", "ann#1", 1.0)


def test_the_same_claim_again_renews_and_keeps_its_generation(agent):
    ann = agent("ann")
    first = ann.claim("a.py")
    again = ann.claim("./a.py")
    assert (again.renewed, again.generation) == (True, first.generation)


def test_past_its_own_deadline_a_claim_is_invalid_before_anybody_is_asked(agent, transport):
    ann = agent("ann")
    claimed = ann.claim("a.py")
    transport.now_s += 29.0
    assert claimed.valid
    transport.now_s += 1.5
    n_calls = transport.n_calls
    assert not claimed.valid
    assert transport.n_calls == n_calls


def test_a_dead_agent_is_told_what_it_lost_and_to_whom_and_must_register_anew(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py")
    transport.pass_time(20)
    bob.heartbeat()
    transport.pass_time(13)
    taken = bob.claim("a.py")
    assert taken
    assert taken.generation == 2
    with pytest.raises(UnknownAgent, match=r"register anew.*a.py \(generation 1, expired, now held by bob#2\)"):
        ann.claim("b.py")
    with pytest.raises(UnknownAgent, match="now held by bob#2"):
        ann.heartbeat()
    assert ann.register_anew() == "ann#3"
    assert ann.claim("b.py")


def test_a_heartbeat_keeps_an_agent_and_tells_who_waits(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py")
    for _ in range(4):
        transport.pass_time(20)
        ann.heartbeat()
        bob.heartbeat()
    assert not bob.claim("a.py", wait_s=5.0)
    assert ann.claim("a.py").renewed


def test_a_wait_that_runs_out_says_so(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py")
    refused = bob.claim("a.py", wait_s=3.0)
    assert refused.reason == "timeout"
    assert refused.conflicts[0].holder == "ann#1"


def test_what_was_granted_to_a_caller_that_gave_up_is_taken_back(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    transport.lose_replies = 1
    with pytest.raises(Unavailable):
        ann.claim("a.py")
    assert not bob.claim("a.py")
    ann.heartbeat()
    assert bob.claim("a.py")


@pytest.mark.parametrize("how", ["whole", "by path", "hand over"])
def test_a_claim_is_not_believed_in_once_giving_it_up_went_unanswered(agent, transport, how):
    ann, bob = agent("ann"), agent("bob")
    claim = ann.claim("a.py")
    give_up = {
        "whole": claim.release,
        "by path": lambda: ann.release("a.py"),
        "hand over": lambda: ann.transfer(claim.generation, bob.agent_id),
    }
    transport.lose_replies = 1
    with pytest.raises(Unavailable):
        give_up[how]()
    assert not claim.valid


def test_a_claim_is_still_believed_in_when_giving_it_up_was_refused(agent):
    ann = agent("ann")
    claim = ann.claim("a.py")
    with pytest.raises(Misuse, match="nothing was handed over"):
        ann.transfer(claim.generation, "bob#9")
    with pytest.raises(BadTarget):
        ann.release("task:")
    assert claim.valid


def test_unavailable_is_never_permission(agent, transport):
    ann = agent("ann")
    transport.is_down = True
    with pytest.raises(Unavailable, match="scentfield up"):
        ann.claim("a.py")


def test_claim_any_takes_the_first_that_is_free(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py")
    assert bob.claim_any(["a.py", "long.py"]).targets == ("long.py",)


def test_claim_each_answers_each_by_itself(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py")
    first, second = bob.claim_each(["a.py", "long.py"])
    assert isinstance(first, NotGranted)
    assert second.generation == 2


def test_a_child_is_not_blocked_by_its_parent_but_by_its_sibling(agent):
    ann = agent("ann")
    ann.claim("a.py")
    one = agent("one", parent=ann.agent_id)
    two = agent("two", parent=ann.agent_id)
    assert one.agent_id == "ann/one#2"
    assert one.claim("a.py")
    assert two.claim("a.py").conflicts[0].holder == "ann/one#2"


def test_a_transferred_claim_fences_its_giver(agent):
    ann, bob = agent("ann"), agent("bob")
    claimed = ann.claim("a.py")
    handed = ann.transfer(claimed.generation, bob.agent_id, note="tests are red")
    assert handed.generation == claimed.generation + 1
    checked = ann.check("a.py", claimed.generation)
    assert not checked.holds
    assert "bob#2" in checked.why
    assert bob.check("a.py", handed.generation).holds


def test_goodbye_releases_at_once_and_says_how_much(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.claim(["a.py", "long.py"])
    assert ann.close() == 1
    assert bob.claim("a.py")


def test_bad_targets_change_nothing(agent):
    ann = agent("ann")
    before = ann.sync()
    for bad in ("", "../x", "src/[a", "a\0b", "x" * 10_000_000, "src/{a"):
        with pytest.raises(BadTarget):
            ann.claim(bad)
    with pytest.raises(Misuse, match="no target"):
        ann.claim([])
    assert ann.sync() == before


def test_a_refusal_pickles_with_its_error(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py")
    with pytest.raises(ClaimRefused) as caught, bob.claim("a.py"):
        pass
    assert pickle.loads(pickle.dumps(caught.value)).refused.message == caught.value.refused.message


def test_switched_off_everything_is_granted_by_nobody(agent, transport):
    ann = agent("ann", disabled=True)
    n_calls = transport.n_calls
    claimed = ann.claim("a.py")
    assert claimed
    assert claimed.generation == 0
    assert "SCENTFIELD_DISABLED" in claimed.warnings[0]
    assert transport.n_calls == n_calls


def test_a_claim_is_handed_over_by_a_name_that_is_unique_and_the_note_goes_with_it(agent):
    ann, bob = agent("ann"), agent("bob")
    claimed = ann.claim("a.py", intent="fix f")
    ann.transfer(claimed.generation, "bob", note="tests are red")
    row = next(row for row in bob.sync().rows if row.kind == "CLAIMED")
    assert (row.agents, row.intent) == (("bob#2",), "tests are red")
    agent("bob")
    again = bob.claim("long.py")
    with pytest.raises(Misuse, match=r"bob#2, bob#3 are alive.*agent_id"):
        bob.transfer(again.generation, "bob")
    with pytest.raises(Misuse, match="nobody of that name is alive"):
        bob.transfer(again.generation, "eve")


def test_answers_are_conditions(agent):
    ann, bob = agent("ann"), agent("bob")
    claimed = ann.claim("a.py")
    assert ann.check("a.py", claimed.generation)
    assert not bob.check("a.py", claimed.generation)
    assert not bob.release("a.py")
    assert ann.release("a.py")


def test_what_a_session_holds_is_no_work_for_the_garbage_collector(agent):
    ann = agent("ann")
    claimed = [ann.claim("docs/"), *ann.claim_each([f"f{number}.py" for number in range(100)])]
    gc.collect()
    gc.collect()  # a tuple is left alone once those in it are
    held = ann._core.session.held
    assert len(held) == len(claimed) == 101
    assert not any(gc.is_tracked(part) for key in held for part in (key, *key))


def test_a_grant_that_is_overtaken_by_the_news_of_its_loss_is_not_believed_in(agent, transport, monkeypatch):
    ann, bob = agent("ann"), agent("bob")
    call = transport.call

    def call_slowly(domain, raw, timeout_s):
        """The claim is granted, taken away, and the heartbeat that tells of it is answered before the claim is."""
        reply = call(domain, raw, timeout_s)
        monkeypatch.setattr(transport, "call", call)
        assert bob.force_release("a.py", reason="in the way", even_if_alive=True).n_released == 1
        ann.heartbeat()
        return reply

    monkeypatch.setattr(transport, "call", call_slowly)
    claim = ann.claim("a.py")
    assert not claim.valid
    assert bob.claim("a.py").valid


def test_what_was_lost_and_is_claimed_again_is_believed_in(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py", shared=True)
    bob.claim("a.py", shared=True)
    bob.force_release("a.py", reason="in the way", even_if_alive=True)
    ann.heartbeat()
    assert ann.claim("a.py", shared=True).valid
