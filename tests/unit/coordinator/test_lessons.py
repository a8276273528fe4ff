"""Lessons at the point of use: what has helped with a file is shown with it, and its next edit says whether it did."""

from __future__ import annotations

import asyncio

import pytest

from coordinator.aio import AsyncCoordinator
from coordinator.gateway.tool.read import ReadInput, run
from coordinator.memory.lesson_desk import MAX_TOKENS, PINNED_S, RETRY_S, names_of
from coordinator.reading.token_count import count_tokens

GENERATED = "[lesson project 1] Pitfall (a.py): generated, edit the template"


@pytest.fixture
def taught(agent):
    """A project whose playbook has a lesson about a.py that has helped somebody."""
    ann = agent("ann", holdout_share=0.0)
    ann.playbook.add("Pitfall", "generated, edit the template", about="a.py", scope="project")
    ann.playbook.vote(1, helpful=True, scope="project")
    return ann


def votes(agent, scope="project"):
    return {entry.entry_id: (entry.n_helpful, entry.n_harmful) for entry in agent.playbook.view(scope=scope).entries}


def test_what_helped_with_a_file_is_shown_beside_it_and_not_in_it(agent, taught):
    bob = agent("bob", holdout_share=0.0)
    reading = bob.read("a.py")
    assert reading.lessons == (GENERATED,)
    assert "template" not in reading.text
    assert reading.to_dict()["lessons"] == [GENERATED]
    assert bob.read("long.py").lessons == ()


def test_a_model_that_reads_over_mcp_is_shown_it_before_the_view(agent, taught):
    bob = AsyncCoordinator(agent("bob", holdout_share=0.0)._core)
    told = asyncio.run(run(bob, ReadInput(path="a.py"), _nobody))
    assert told.text.startswith(f"{GENERATED}\n")
    assert told.document["lessons"] == [GENERATED]


async def _nobody(_done, _total, _what):
    pass


def test_a_later_session_is_shown_what_mended_a_failure_of_an_earlier_one(agent, tree):
    ann, bob = agent("ann", holdout_share=0.0), agent("bob", holdout_share=0.0)
    ann.read("long.py", "map")
    ann.edit("long.py", "never there", "either")
    ann.read("long.py", "full")
    assert ann.edit("long.py", "    value_3 = 3\n", "    value_3 = 4\n")
    ann.playbook.checkpoint()
    bob.playbook.resume(ann.agent_id)
    (lesson,) = bob.read("long.py").lessons
    assert lesson == (
        "[lesson session 1] Pitfall: long.py: an edit from a map view missed (never_there); it was made after "
        "reading full"
    )
    assert bob.read("a.py").lessons == ()
    assert bob.edit("long.py", "    value_5 = 5\n", "    value_5 = 6\n")
    assert votes(bob, "session")[1] == (1, 0)


def test_what_has_not_helped_or_harmed_as_often_is_not_shown(agent, taught):
    taught.playbook.add("Pitfall", "it is slow", about="a.py", scope="project")
    taught.playbook.vote(1, helpful=False, scope="project")
    assert agent("bob", holdout_share=0.0).read("a.py").lessons == ()


def test_lessons_about_a_folder_a_symbol_and_an_own_one(agent, tree):
    (tree / "src").mkdir()
    (tree / "src" / "b.py").write_text("def g():\n    return 2\n")
    ann = agent("ann", holdout_share=0.0)
    for about, scope in (("src/", "project"), ("g", "session"), ("src/b.py:g", "session"), ("other.py", "session")):
        entry = ann.playbook.add("Fact", f"said of {about}", about=about, scope=scope)
        ann.playbook.vote(entry.entry_id, helpful=True, scope=scope)
    assert ann.read("src/b.py").lessons == ("[lesson project 1] Fact: said of src/",)
    assert {line.partition(": ")[2] for line in ann.expand("src/b.py", "g").lessons} == {
        "said of src/",
        "said of g",
        "said of src/b.py:g",
    }


def test_an_edit_that_is_made_votes_for_what_was_shown_once(agent, taught):
    bob = agent("bob", holdout_share=0.0)
    bob.read("a.py")
    assert bob.edit("a.py", "return 1", "return 2")
    assert votes(bob) == {1: (2, 0)}
    assert bob.edit("a.py", "return 2", "return 3")
    assert votes(bob) == {1: (2, 0)}


def trial(agent, transport):
    """By arm: edits of files that there was a lesson about, and how many missed."""
    transport.pass_time(2)
    return {arm.side: (arm.n, arm.y) for arm in agent.evidence().arms if arm.layer == "lessons"}


def test_a_session_that_is_held_out_is_shown_nothing_does_not_vote_and_is_compared(agent, taught, transport):
    bob, cyd = agent("bob", holdout_share=1.0), agent("cyd", holdout_share=0.0)
    assert bob.read("a.py").lessons == ()
    assert bob.read("long.py").lessons == ()
    assert bob.edit("a.py", "return 1", "return 2")
    assert votes(bob) == {1: (1, 0)}
    cyd.read("a.py")
    assert not cyd.edit("a.py", "return 5", "return 6")
    cyd.read("long.py")
    assert not cyd.edit("long.py", "never there", "either")
    assert trial(bob, transport) == {"holdout": (1, 0), "treatment": (1, 1)}


def test_an_edit_that_misses_votes_against_it_and_shows_it_again(agent, taught):
    bob = agent("bob", holdout_share=0.0)
    bob.read("a.py")
    missed = bob.edit("a.py", "return 7", "return 8")
    assert missed.cause == "never_there"
    assert GENERATED in missed.hints
    assert votes(bob) == {1: (1, 1)}


def test_an_edit_of_a_file_without_lessons_votes_on_nothing(agent, taught):
    bob = agent("bob", holdout_share=0.0)
    bob.read("a.py")
    bob.edit("long.py", "    value_3 = 3\n", "    value_3 = 4\n")
    assert votes(bob) == {1: (1, 0)}


def test_a_lesson_about_a_cause_is_shown_when_an_edit_fails_for_it(agent):
    ann = agent("ann", holdout_share=0.0)
    ann.playbook.add("Strategy", "read the file in full and quote it", about="never_there")
    ann.playbook.vote(1, helpful=True)
    assert ann.read("a.py").lessons == ()
    missed = ann.edit("a.py", "return 7", "return 8")
    assert missed.hints[-1] == "[lesson session 1] Strategy (never_there): read the file in full and quote it"


def test_a_claim_shows_what_is_known_and_asks_nobody(agent, taught, transport):
    bob = agent("bob", holdout_share=0.0)
    assert bob.claim("a.py").lessons == ()
    bob.read("long.py")
    n_calls = transport.n_calls
    claim = bob.claim("a.py")
    assert transport.n_calls == n_calls + 1
    assert claim.lessons == (GENERATED,)
    assert claim.to_dict()["lessons"] == [GENERATED]


def test_lessons_are_asked_for_every_five_minutes_and_not_while_nobody_answers(agent, taught, transport):
    bob = agent("bob", holdout_share=0.0)
    bob.read("a.py")
    n_calls = transport.n_calls
    bob.read("a.py")
    per_read = transport.n_calls - n_calls
    transport.now_s += PINNED_S
    bob.read("a.py")
    assert transport.n_calls - n_calls == 2 * per_read + 1
    transport.is_down = True
    transport.now_s += PINNED_S
    assert bob._do(bob._core._lessons.refresh(bob._core.session)) is None
    transport.is_down = False
    transport.now_s += RETRY_S - 1
    n_calls = transport.n_calls
    bob.read("a.py")
    assert transport.n_calls - n_calls == per_read
    assert bob.read("a.py").lessons == (GENERATED,)


def test_a_session_that_is_held_out_sees_none(agent, taught):
    assert agent("bob", holdout_share=1.0).read("a.py").lessons == ()


def test_at_most_three_are_shown_within_their_tokens(agent):
    ann = agent("ann", holdout_share=0.0)
    for n in range(5):
        ann.playbook.add("Fact", f"{n} " + " ".join(f"w{n}{m}" for m in range(35)), about="a.py")
        for _ in range(n + 1):
            ann.playbook.vote(n + 1, helpful=True)
    lines = ann.read("a.py").lessons
    assert 0 < len(lines) <= 3
    assert sum(map(count_tokens, lines)) <= MAX_TOKENS
    assert lines[0].startswith("[lesson session 5]")


def test_a_file_is_about_itself_and_the_folders_above_it():
    assert names_of("src/api/a.py", ["g"]) == ["src/api/a.py", "g", "src/api/", "src/"]
    assert names_of("a.py") == ["a.py"]
