"""What a session did becomes entries by fixed rules, and the checkpoint that keeps them."""

from __future__ import annotations

import asyncio
import threading

import pytest

from actors.memory.entry import Draft
from actors.memory.limit import MAX_CONTENT, MAX_DRAFTS
from actors.runtime.errors import Misuse, Unavailable
from coordinator.aio import AsyncCoordinator
from coordinator.memory.session_trail import MAX_FILES, MAX_PENDING, SessionTrail

MISSED = "a.py: an edit from a map view missed (not_shown); it was made after reading full"


def test_an_edit_that_failed_and_how_it_was_made_then_is_a_pitfall():
    trail = SessionTrail()
    trail.read("a.py", "map")
    trail.failed("a.py", "not_shown")
    assert trail.drafts() == []
    trail.read("b.py", "map")
    trail.read("a.py", "full")
    trail.landed("a.py")
    assert trail.drafts() == [
        Draft("Pitfall", MISSED, "a.py", is_mended=True),
        Draft("FileRef", "a.py was edited", "a.py"),
    ]


def test_without_a_read_in_between_the_refusal_was_enough():
    trail = SessionTrail()
    trail.failed("a.py", "unread")
    trail.landed("a.py")
    (pitfall, _) = trail.drafts()
    assert pitfall.content == (
        "a.py: an edit of a file that was not read missed (unread); it was made with what the refusal showed"
    )


def test_a_test_that_turned_green_names_what_was_edited_in_between():
    trail = SessionTrail()
    trail.landed("before.py")
    trail.tested("test_a", passed=False)
    for path in ("a.py", "b.py", "c.py", "d.py"):
        trail.landed(path)
    assert Draft("Pitfall", "test_a is red", "test_a") in trail.drafts()
    trail.tested("test_a", passed=True)
    (green, *files) = trail.drafts()
    assert green.content == "test_a was red and turned green after edits of b.py, c.py, d.py and 1 more"
    assert green.is_mended
    assert [draft.about for draft in files] == ["before.py", "a.py", "b.py", "c.py", "d.py"]


def test_a_test_that_was_always_green_says_nothing():
    trail = SessionTrail()
    trail.tested("test_a", passed=True)
    assert trail.drafts() == []


def test_what_is_kept_is_not_said_again_but_a_red_test_is():
    trail = SessionTrail()
    trail.noted(Draft("Strategy", "run the parser tests first"))
    trail.landed("a.py")
    trail.tested("test_a", passed=False)
    trail.kept(trail.drafts())
    assert trail.drafts() == [Draft("Pitfall", "test_a is red", "test_a")]
    trail.landed("a.py")
    assert trail.drafts()[-1] == Draft("FileRef", "a.py was edited", "a.py")


def test_a_file_that_the_agent_noted_itself_is_not_taken_for_one_that_was_edited():
    trail = SessionTrail()
    noted = Draft("FileRef", "a.py has the parser", "a.py")
    trail.noted(noted)
    trail.landed("a.py")
    trail.kept([noted])
    assert trail.drafts() == [Draft("FileRef", "a.py was edited", "a.py")]


def test_no_more_comes_than_one_checkpoint_takes_and_the_rest_comes_next():
    trail = SessionTrail()
    for n in range(70):
        trail.landed(f"f{n}.py")
    first = trail.drafts()
    trail.kept(first)
    assert (len(first), len(trail.drafts())) == (MAX_DRAFTS, 20)


def test_the_trail_is_bounded_and_says_what_it_forgot():
    trail = SessionTrail()
    for n in range(MAX_PENDING + 5):
        trail.noted(Draft("Fact", f"fact {n}"))
    for n in range(MAX_FILES + 3):
        trail.read(f"f{n}.py", "map")
        trail.landed(f"f{n}.py")
    assert trail.n_dropped == 8
    assert trail.drafts()[0].content == "fact 5"


def test_of_a_long_path_the_end_is_kept():
    trail = SessionTrail()
    path = "/".join(["folder"] * 40) + "/a.py"
    trail.landed(path)
    (draft,) = trail.drafts()
    assert len(draft.content) == MAX_CONTENT
    assert draft.content.endswith("folder/a.py was edited")
    assert draft.about == path


def test_what_looks_like_a_secret_is_left_out_or_refused():
    trail = SessionTrail()
    trail.landed("keys/AKIA" + "IOSFODNN7EXAMPLQ.txt")
    assert trail.drafts() == []
    with pytest.raises(Misuse, match="AWS access key"):
        trail.noted(Draft("Fact", "AKIA" + "IOSFODNN7EXAMPLQ"))
    with pytest.raises(Misuse, match="AWS access key"):
        trail.tested("AKIA" + "IOSFODNN7EXAMPLQ", passed=False)


def test_a_checkpoint_keeps_what_the_session_did(agent):
    ann = agent("ann")
    ann.read("a.py", "full")
    ann.edit("a.py", "return 2", "return 3")
    ann.edit("a.py", "return 1", "return 2")
    ann.playbook.note("Strategy", "answer with the smallest number")
    ann.playbook.tests({"test_f": False})
    taken = ann.playbook.checkpoint(Draft("Fact", "f is the only function"))
    assert taken.text.splitlines() == [
        "[1] Fact: f is the only function",
        "[2] Pitfall: a.py: an edit from a full view missed (never_there); it was made with what the refusal showed",
        "[3] Strategy: answer with the smallest number",
        "[4] Pitfall: test_f is red",
        "[5] FileRef: a.py was edited",
    ]
    assert str(taken) == taken.text == ann.playbook.render()
    assert (taken.session.turn, taken.session.n_new) == (1, 5)
    ann.edit("a.py", "return 2", "return 4")
    ann.playbook.tests({"test_f": True})
    again = ann.playbook.checkpoint()
    assert again.text == taken.text + "[6] Strategy: test_f was red and turned green after edits of a.py\n"


def test_a_checkpoint_lets_what_was_shown_of_the_project_age(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.playbook.add("Fact", "ours", scope="project")
    ann.playbook.checkpoint()
    assert ann.playbook.view(scope="project").entries[0].n_turns == 0
    assert ann.playbook.checkpoint().project.turn == 1
    assert bob.playbook.view(scope="project").entries[0].n_turns == 1


def test_a_later_session_goes_on_where_the_checkpoint_was(agent):
    ann = agent("ann")
    ann.playbook.note("Fact", "one")
    text = ann.playbook.checkpoint().text
    ann.close()
    later = agent("ann")
    assert later.playbook.resume("ann#1") == text


def test_what_could_not_be_kept_is_kept_by_the_next_checkpoint(agent, transport):
    ann = agent("ann")
    ann.playbook.note("Fact", "one")
    transport.is_down = True
    with pytest.raises(Unavailable):
        ann.playbook.checkpoint()
    transport.is_down = False
    assert ann.playbook.checkpoint().text == "[1] Fact: one\n"


def test_what_is_no_entry_stops_a_checkpoint_before_anything_is_kept(agent):
    ann = agent("ann")
    ann.playbook.note("Fact", "one")
    for drafts in ([Draft("Rumour", "x")], [Draft("Fact", f"fact {n}") for n in range(MAX_DRAFTS + 1)]):
        with pytest.raises(Misuse):
            ann.playbook.checkpoint(*drafts)
    assert ann.playbook.render() == ""
    assert ann.playbook.checkpoint().text == "[1] Fact: one\n"


def test_the_async_client_says_the_same(agent):
    ann = agent("ann")
    other = AsyncCoordinator(ann._core)
    other.playbook.note("Fact", "one")
    other.playbook.tests({"test_f": False})
    taken = asyncio.run(_kept(other))
    assert taken.text == ann.playbook.render() == "[1] Fact: one\n[2] Pitfall: test_f is red\n"
    assert taken.to_dict()["session"]["entry_ids"] == [1, 2]


async def _kept(other):
    return await other.playbook.checkpoint()


def test_several_threads_may_be_one_agent():
    trail, faults = SessionTrail(), []

    def work(number):
        try:
            for step in range(300):
                trail.tested(f"test_{number}_{step % 9}", passed=step % 2 == 0)
                trail.landed(f"f{number}_{step}.py")
                trail.kept(trail.drafts()[:3])
        except Exception as error:
            faults.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
