"""A feedback loop with an agent: what all agents learned comes first, and how it went is told."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Sequence
from typing import Any

import pytest

from actors.quality_store.answer_message import RecordAnswer, StepTaken
from actors.runtime.errors import Misuse
from coordinator.aio import AsyncCoordinator
from coordinator.feedback.answer import Answer
from coordinator.feedback.handle import AnswerHandle, AsyncAnswerHandle
from coordinator.feedback.iteration import Origin
from coordinator.feedback.loop import QualityFeedbackLoop
from coordinator.retrieval.passage import Passage

QUERY = "claim lease signal field?"
POOR = "A claim, however." + " x" * 17
GOOD = "A claim has a lease. However, a signal of the field decays." + " It is so." * 60


class Shelf:
    def retrieve(self, query: str, *, top_k: int, level: float) -> list[Passage]:
        return [Passage(f"{n}.md", "", f"{query} {level}", 1.0, "0" * 64, 1, 1) for n in range(top_k)]


class Answers:
    """Poor until it gets as many passages as it wants."""

    def __init__(self, n_wanted: int) -> None:
        self.n_wanted = n_wanted

    def __call__(self, _query: str, passages: Sequence[Passage]) -> str:
        return GOOD if len(passages) >= self.n_wanted else POOR


def ask(agent: Any, n_wanted: int = 12, query: str = QUERY) -> Answer:
    loop = QualityFeedbackLoop(agent=agent)
    return loop.run(query, retriever=Shelf(), generator=Answers(n_wanted))


def test_how_a_question_went_is_told(agent):
    ann = agent("ann")
    answer = ask(ann)
    assert (answer.notes, answer.is_held_out) == ((), False)
    quality = ann.answers.quality()
    (row,) = quality.counts.arms
    assert (row.arm, row.ending, row.n, row.n_asked, row.n_failed) == ("", "converged", 1, 2, 0)
    assert (row.mean_first_quality, row.mean_quality) == pytest.approx((0.5953, 0.78), abs=0.001)
    (strategy,) = quality.counts.strategies
    assert (strategy.weakness, strategy.plan, strategy.n) == ("relevance", "expand_retrieval", 1)
    assert strategy.mean_gain == pytest.approx(0.185, abs=0.001)
    assert [window.name for window in quality.agents] == [ann.agent_id]


def test_what_helped_one_agent_is_tried_first_by_another(agent):
    ann, bob = agent("ann"), agent("bob")
    report = RecordAnswer(0.9, 0.5, "converged", 2, 0, (StepTaken("relevance", "full_requery", 0.4),))
    for _ in range(10):
        ann.answers.record(report)
    learned = ask(bob)
    assert [made.tried.origin for made in learned.iterations] == [Origin.FIRST, Origin.LEARNED]
    assert learned.iterations[1].tried.selection.top_k == 18
    bob.answers.reset()
    assert [made.tried.origin for made in ask(bob).iterations] == [Origin.FIRST, Origin.TABLE]


def test_a_question_that_is_held_out_goes_by_the_table(agent):
    ann = agent("ann")
    for _ in range(10):
        ann.answers.record(RecordAnswer(0.9, 0.5, "converged", 2, 0, (StepTaken("relevance", "full_requery", 0.4),)))
    answers = [ask(ann, query=f"{QUERY} {'x' * n}") for n in range(1, 60)]
    held_out = [answer for answer in answers if answer.is_held_out]
    assert 0 < len(held_out) < 20  # five in a hundred, by the hash of the question
    for answer in answers:
        expected = Origin.TABLE if answer.is_held_out else Origin.LEARNED
        assert answer.iterations[1].tried.origin is expected
    arms = {row.arm: row.n for row in ann.answers.quality().counts.arms}
    assert arms == {"": 10 + len(answers) - len(held_out), "holdout": len(held_out)}


def test_questions_are_trials_of_what_was_learned_where_there_is_something(agent):
    ann = agent("ann")
    ask(ann)  # nothing was learned yet
    assert [arm for arm in ann.evidence().arms if arm.layer == "feedback_strategy"] == []
    for _ in range(10):
        ann.answers.record(RecordAnswer(0.9, 0.5, "converged", 2, 0, (StepTaken("relevance", "full_requery", 0.4),)))
    answers = [ask(ann, 18, query=f"{QUERY} {'x' * n}") for n in range(1, 40)]
    ann.answers.record(RecordAnswer(0.9, 0.5, "converged", 2, 0, (StepTaken("coherence", "full_requery", 0.4),)), "x")
    trials = {arm.side: (arm.n_units, arm.n, arm.y) for arm in ann.evidence().arms if arm.layer == "feedback_strategy"}
    arms = {
        "holdout": [one for one in answers if one.is_held_out],
        "treatment": [one for one in answers if not one.is_held_out],
    }
    assert trials == {
        side: (len(told), len(told), sum(not one.is_converged for one in told)) for side, told in arms.items()
    }


def test_the_same_question_in_other_letters_and_spaces_has_the_same_arm(agent):
    ann = agent("ann")
    for n in range(40):
        advice = {ann.answers.advice(text).is_held_out for text in (f"Who {n}?", f"  who\n {n}? ", f"WHO {n}?")}
        assert len(advice) == 1


def test_without_a_coordinator_the_table_holds_and_the_answer_says_so(agent, transport):
    ann = agent("ann")
    transport.is_down = True
    answer = ask(ann)
    assert answer.is_converged
    assert [made.tried.origin for made in answer.iterations] == [Origin.FIRST, Origin.TABLE]
    assert len(answer.notes) == 2
    assert answer.notes[0].startswith("the quality store has no part in this: advice raised Unavailable: ")
    assert answer.log()[-2:] == list(answer.notes)


def test_an_answer_that_nobody_heard_of_is_counted_once(agent, transport):
    ann = agent("ann")
    transport.lose_replies = 0
    ask(ann)
    ask(ann)
    assert sum(row.n for row in ann.answers.quality().counts.arms) == 2


def test_a_report_that_cannot_be_is_refused(agent):
    with pytest.raises(Misuse, match="quality="):
        agent("ann").answers.record(RecordAnswer(2.0, 0.5, "converged", 1, 0))
    with pytest.raises(Misuse, match="n_failed=2 of n_asked=1 cannot be"):
        agent("ann").answers.record(RecordAnswer(0.5, 0.5, "failed", 1, 2))


def test_the_async_client_does_the_same(agent):
    core = agent("ann")._core

    async def run() -> Answer:
        loop = QualityFeedbackLoop(agent=AsyncCoordinator(core))
        return await loop.run_async(QUERY, retriever=Shelf(), generator=Answers(12))

    answer = asyncio.run(run())
    assert (answer.is_converged, answer.notes) == (True, ())
    assert sum(row.n for row in agent("bob").answers.quality().counts.arms) == 1


def test_both_handles_of_answers_have_the_same_names():
    def names(handle: type) -> dict[str, list[str]]:
        methods = inspect.getmembers(handle, inspect.isfunction)
        return {name: list(inspect.signature(one).parameters) for name, one in methods if not name.startswith("_")}

    assert names(AnswerHandle) == names(AsyncAnswerHandle) != {}
