"""What an agent holds, what it believes to hold, and what its own edits do to it."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from actors.runtime.errors import Busy, Corrupt, InvariantBroken
from actors.runtime.wire import encode_reply, pack
from coordinator import Misuse, Unavailable, UnknownAgent
from coordinator.aio import AsyncCoordinator
from coordinator.editing import editor as editor_module
from coordinator.editing.file_error import DiskFull


def test_an_edit_leaves_the_agents_own_claims_as_they_are(agent):
    ann, bob = agent("ann"), agent("bob")
    both = ann.claim(["a.py", "long.py"])
    assert ann.edit("a.py", "return 1", "return 2")
    assert not bob.claim("a.py")
    assert both.valid
    assert ann.check("a.py", both.generation).holds


def test_an_edit_leaves_the_agents_own_shared_claim_as_it_is(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py", shared=True)
    assert ann.edit("a.py", "return 1", "return 2")
    assert not bob.claim("a.py")


def test_a_holder_of_a_folder_edits_its_file_while_others_wait_for_it(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("*.py")
    transport.lose_replies = 1
    with pytest.raises(Unavailable):
        bob.claim("a.py", wait_s=600.0)  # its request stays in line until the field hears that bob gave up
    assert ann.sync().n_waiters == 1
    assert ann.edit("a.py", "return 1", "return 2")


@pytest.mark.parametrize("how", ["release", "transfer", "close"])
def test_a_claim_that_was_given_away_is_not_valid(agent, how):
    ann, bob = agent("ann"), agent("bob")
    claimed = ann.claim("a.py")
    {
        "release": lambda: ann.release("a.py"),
        "transfer": lambda: ann.transfer(claimed.generation, bob.agent_id),
        "close": ann.close,
    }[how]()
    assert not claimed.valid


def test_a_claim_of_an_earlier_session_does_not_become_valid_again(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    claimed = ann.claim("a.py")
    transport.pass_time(20)
    bob.heartbeat()
    transport.pass_time(13)
    with pytest.raises(UnknownAgent):
        ann.heartbeat()
    ann.register_anew()
    assert bob.claim("a.py")
    assert not claimed.valid


def test_the_inner_of_two_blocks_on_one_claim_ends_both(agent):
    ann = agent("ann")
    with ann.claim("a.py") as outer:
        with ann.claim("a.py") as inner:
            assert inner.renewed
        assert not outer.valid


def test_a_transfer_that_is_refused_leaves_the_claim_valid(agent):
    ann = agent("ann")
    claimed = ann.claim("a.py")
    with pytest.raises(Misuse, match="nobody#9"):
        ann.transfer(claimed.generation, "nobody#9")
    assert claimed.valid


def test_a_claim_that_only_decays_is_valid_until_it_has_faded(agent, transport):
    ann = agent("ann", kept_by="decay")
    claimed = ann.claim("a.py")
    transport.now_s += 1_641.0
    assert claimed.valid
    transport.now_s += 2.0
    assert not claimed.valid


def test_an_edit_does_not_take_back_what_another_thread_has_claimed_meanwhile(agent, monkeypatch):
    ann, bob = agent("ann"), agent("bob")
    claimed = []
    replace_file = editor_module.replace_file

    def claim_in_between(*arguments: object, **named: object) -> None:
        claimed.append(ann.claim("a.py"))
        replace_file(*arguments, **named)

    monkeypatch.setattr(editor_module, "replace_file", claim_in_between)
    assert ann.edit("a.py", "return 1", "return 2")
    assert claimed[0].valid
    assert not bob.claim("a.py")


def test_what_was_renewed_by_a_later_call_survives_the_giving_up_of_an_earlier_one(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    transport.lose_replies = 1
    with pytest.raises(Unavailable):
        ann.claim("a.py")
    again = ann.claim("a.py")
    ann.heartbeat()
    assert again.valid == ann.check("a.py", again.generation).holds
    assert bool(bob.claim("a.py")) is not again.valid


def test_nothing_is_written_once_the_claim_is_gone(agent, transport, tree, monkeypatch):
    ann, bob = agent("ann"), agent("bob")
    replace_file = editor_module.replace_file

    def overtaken(*arguments: object, **named: object) -> None:
        transport.pass_time(20)
        bob.heartbeat()
        transport.pass_time(13)
        assert bob.claim("a.py")
        replace_file(*arguments, **named)

    monkeypatch.setattr(editor_module, "replace_file", overtaken)
    with pytest.raises(UnknownAgent, match="nothing was written"):
        ann.edit("a.py", "return 1", "return 2")
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"


def test_a_pause_between_check_and_rename_is_told_to_writer_and_next_editor(agent, transport, tree, monkeypatch):
    ann, bob = agent("ann"), agent("bob")
    bob.read("a.py")
    rename = Path.replace

    def paused(self: Path, target: Path) -> Path:
        if Path(target).name == "a.py":
            transport.now_s += 31.0
        return rename(self, target)

    monkeypatch.setattr(Path, "replace", paused)
    done = ann.edit("a.py", "return 1", "return 2")
    assert any("your claim ended while the edit was written" in warning for warning in done.warnings)
    missed = bob.edit("a.py", "    return 1\n", "    return 3\n")
    assert str(missed.cause) == "changed"
    assert "ann#1" in missed.evidence


def test_a_cancelled_edit_is_finished_or_not_begun_and_never_unlogged(agent, tree, monkeypatch):
    ann = agent("ann")
    started, go_on = threading.Event(), threading.Event()
    replace_file = editor_module.replace_file

    def slow(*arguments: object, **named: object) -> None:
        started.set()
        assert go_on.wait(10)
        replace_file(*arguments, **named)

    monkeypatch.setattr(editor_module, "replace_file", slow)

    async def cancel_in_the_middle() -> None:
        editing = asyncio.create_task(AsyncCoordinator(ann._core).edit("a.py", "return 1", "return 2"))
        await asyncio.to_thread(started.wait, 10)
        editing.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await editing

    asyncio.run(cancel_in_the_middle())
    assert (tree / "a.py").read_text() == "def f():\n    return 2\n"
    assert ann.undo("a.py")


def test_what_was_given_up_is_told_again_while_the_coordinator_is_busy(agent, transport, monkeypatch):
    ann, bob = agent("ann"), agent("bob")
    transport.lose_replies = 1
    with pytest.raises(Unavailable):
        ann.claim("a.py")
    call = transport.call
    busy = encode_reply([pack([("busy", 600.0, "a test is at work")])])
    monkeypatch.setattr(transport, "call", lambda *_: busy)
    with pytest.raises(Busy, match="a test is at work"):
        ann.claim("long.py")
    monkeypatch.setattr(transport, "call", call)
    ann.heartbeat()
    assert bob.claim("a.py")


@pytest.mark.parametrize("trouble", [Corrupt("damaged"), Busy("full"), InvariantBroken("bug"), Unavailable("gone")])
def test_a_quality_store_in_trouble_breaks_neither_reads_nor_edits(agent, transport, monkeypatch, trouble):
    ann = agent("ann")
    call = transport.call

    def call_field_only(domain: str, raw: bytes, timeout_s: float) -> bytes:
        if domain == "quality_store":
            raise trouble
        return call(domain, raw, timeout_s)

    monkeypatch.setattr(transport, "call", call_field_only)
    assert f"the quality store is {trouble.code}" in ann.read("a.py").view.header
    assert ann.edit("a.py", "return 1", "return 2")


def test_reports_get_a_short_time_and_come_after_the_release(agent, transport, monkeypatch):
    ann = agent("ann")
    call = transport.call
    asked = []

    def note(domain: str, raw: bytes, timeout_s: float) -> bytes:
        asked.append((domain, timeout_s))
        return call(domain, raw, timeout_s)

    monkeypatch.setattr(transport, "call", note)
    ann.edit("a.py", "return 1", "return 2")
    assert asked == [("scent_field", 30.0), ("scent_field", 30.0), ("quality_store", 2.0), ("scent_field", 2.0)]


def test_a_full_state_folder_stops_neither_reads_nor_edits(agent, monkeypatch):
    ann = agent("ann")

    def full(_raw: bytes) -> str:
        raise DiskFull("no room")

    monkeypatch.setattr(ann._core.desk.blobs, "put", full)
    assert ann.read("a.py").view.mode == "full"
    done = ann.edit("a.py", "return 1", "return 2")
    assert done.applied
    assert any("no undo" in warning for warning in done.warnings)


def test_one_bad_target_of_many_concerns_no_other(agent):
    ann = agent("ann")
    first, second, third = ann.claim_each(["a.py", "bad[", "b.py"])
    assert (first.valid, third.valid) == (True, True)
    assert isinstance(second, Misuse)
    assert ann.claim_each([]) == []
    assert all(one for one in ann.claim_each([f"many/{n}.py" for n in range(2_500)]))


def test_a_release_that_failed_can_be_repeated(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    claimed = ann.claim("a.py")
    transport.is_down = True
    with pytest.raises(Unavailable):
        claimed.release()
    transport.is_down = False
    assert claimed.release().n_released == 1
    assert bob.claim("a.py")


def test_leaving_a_block_never_hides_its_own_error(agent, transport):
    ann = agent("ann")

    def fail_while_the_coordinator_is_gone() -> None:
        with ann.claim("a.py"):
            transport.is_down = True
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        fail_while_the_coordinator_is_gone()


def test_closing_twice_does_no_harm_and_nothing_goes_on_after_it(agent):
    ann = agent("ann")
    ann.claim("a.py")
    assert ann.close() == 1
    assert ann.close() == 0
    with pytest.raises(Misuse, match="closed"):
        ann.claim("a.py")


def test_closing_a_session_that_has_ended_is_closing(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    transport.pass_time(20)
    bob.heartbeat()
    transport.pass_time(13)
    assert ann.close() == 0


def test_a_read_after_the_session_has_ended_says_so(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    transport.pass_time(20)
    bob.heartbeat()
    transport.pass_time(13)
    with pytest.raises(UnknownAgent):
        ann.heartbeat()
    assert "your session has ended, register anew" in ann.read("a.py").view.header


def test_another_agents_marker_is_refused_too(agent):
    ann, bob = agent("ann"), agent("bob")
    marker = next(line for line in ann.read("long.py").view.body.splitlines() if line.startswith("…"))
    refused = bob.edit("long.py", "def f1(total):\n", f"def f1(total):\n{marker}\n")
    assert str(refused.cause) == "marker"


def test_only_a_failure_with_signal_leaves_a_stuck_signal(agent):
    ann = agent("ann")
    ann.edit("a.py", "return 7", "return 8")
    assert [row.kind for row in ann.sync().rows if row.kind == "STUCK"] == []
    ann.read("a.py", "full")
    ann.edit("a.py", "return 7", "return 8")
    (stuck,) = [row for row in ann.sync().rows if row.kind == "STUCK"]
    assert stuck.intensity == pytest.approx(1.0)


def test_a_bounce_leaves_half_a_stuck_signal_within_a_second(agent, transport):
    ann = agent("ann")
    ann.read("long.py", "signatures")
    assert [row.kind for row in ann.sync().rows if row.kind == "STUCK"] == []
    ann.read("long.py", "full")
    transport.pass_time(1)
    (stuck,) = [row for row in ann.sync().rows if row.kind == "STUCK"]
    assert (stuck.target, stuck.agents) == ("long.py", (ann.agent_id,))
    assert stuck.intensity == pytest.approx(0.5, abs=0.01)


def test_undoing_is_no_change_by_somebody_else(agent):
    ann = agent("ann")
    ann.read("a.py", "full")
    ann.edit("a.py", "return 1", "return 2")
    ann.undo("a.py")
    assert str(ann.edit("a.py", "return 9", "return 8").cause) in ("never_there", "not_shown")
