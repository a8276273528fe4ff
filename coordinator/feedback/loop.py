"""`QualityFeedbackLoop`: asks, measures, and asks again with better context until the answer will do.

    loop = QualityFeedbackLoop(quality_threshold=0.6, max_iterations=3, min_improvement=0.02)
    answer = loop.run("how long does a claim live?", retriever=index, generator=Extractive())
    print(answer.text, *answer.log())

The decisions are those of `Refinement`; this is the shell around it, sync and async.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import replace
from typing import Any, Final, Protocol, TypeAlias

from actors.quality_store.answer_message import Advice
from actors.quality_store.strategy import PLANS
from actors.runtime.errors import InvariantBroken, Misuse
from actors.runtime.number import shown
from coordinator.feedback.answer import Answer
from coordinator.feedback.attempt import MAX_ANSWER_CHARACTERS, Cast, Step, Timeouts, attempt
from coordinator.feedback.diagnosis import Diagnosis, diagnose
from coordinator.feedback.generator import Generator as Generating
from coordinator.feedback.handle import AnswerHandle, AsyncAnswerHandle
from coordinator.feedback.number import check_whole
from coordinator.feedback.quality import NOTHING, Quality
from coordinator.feedback.refinement import NO_ADVICE, Refinement, Rules
from coordinator.feedback.scorer import Scorecard
from coordinator.feedback.selection import Selection
from coordinator.feedback.time_limit import StepFailed, TimeLimit
from coordinator.retrieval.passage import Passage, Retriever

MAX_QUERY_CHARACTERS: Final = 10_000
MOST_ANSWER_CHARACTERS: Final = 2**24
STORE_S: Final = 5.0
"""The quality store is asked and told within so many seconds: an answer never waits longer for it."""
Course: TypeAlias = Generator[Step, Any, Answer]


class Answering(Protocol):
    """What the loop asks of an agent: `Coordinator` and `AsyncCoordinator` are such."""

    @property
    def answers(self) -> AnswerHandle | AsyncAnswerHandle:
        """Where answers are told of."""


class QualityFeedbackLoop:
    """The contract's loop; safe to use for several questions at once.

    `max_iterations` rounds at most follow the first answer. `top_k` and `level` are where each question begins,
    `max_top_k` is where it stops to grow. With an `agent`, what has helped all agents most is tried first, and the
    quality store is told how each question went; if it cannot be asked or told, the answer's notes say so, and the
    table holds. Raises `Misuse` for numbers that cannot be.
    """

    def __init__(
        self,
        quality_threshold: float = 0.6,
        max_iterations: int = 3,
        min_improvement: float = 0.02,
        *,
        top_k: int = 8,
        level: float = 0.5,
        max_top_k: int = 100,
        scorecard: Scorecard | None = None,
        timeouts: Timeouts | None = None,
        max_answer_characters: int = MAX_ANSWER_CHARACTERS,
        agent: Answering | None = None,
        clock_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.rules = Rules(quality_threshold, max_iterations, min_improvement, max_top_k)
        self._first = Selection(top_k, level)
        if top_k > max_top_k:
            raise Misuse(f"top_k={top_k} is more than max_top_k={max_top_k}: begin with fewer passages, or allow more")
        check_whole("max_answer_characters", max_answer_characters, 1, MOST_ANSWER_CHARACTERS)
        self._scorecard = scorecard or Scorecard()
        self._timeouts = timeouts or Timeouts()
        self._max_answer_characters = max_answer_characters
        self._agent = agent
        self._clock_s = clock_s
        self._time_limit = TimeLimit()

    def diagnose(self, quality: Quality) -> Diagnosis:
        """The weakest dimension and the table's strategies for it, with the reason."""
        return diagnose(quality)

    def run(self, query: str, *, retriever: Retriever, generator: Generating) -> Answer:
        """The best answer that the rounds gave, blocking. Raises `Misuse` for a question that is none."""
        course = self._course(self._cast(query, retriever, generator))
        turn = _advance(course, None)
        while isinstance(turn, Step):
            try:
                told = self._time_limit.call(turn.name, turn.run, turn.timeout_s, turn.check)
            except StepFailed as failed:
                told = failed
            turn = _advance(course, told)
        return turn

    async def run_async(self, query: str, *, retriever: Retriever, generator: Generating) -> Answer:
        """The same without blocking the event loop; what blocks runs in a thread, what is awaitable on this loop."""
        course = self._course(self._cast(query, retriever, generator))
        turn = _advance(course, None)
        while isinstance(turn, Step):
            try:
                told = await self._time_limit.call_async(turn.name, turn.run, turn.timeout_s, turn.check)
            except StepFailed as failed:
                told = failed
            turn = _advance(course, told)
        return turn

    def _cast(self, query: Any, retriever: Retriever, generator: Generating) -> Cast:
        if not isinstance(query, str) or not query.strip():
            raise Misuse(f"{shown(query)} is no question: give a text")
        if len(query) > MAX_QUERY_CHARACTERS:
            raise Misuse(f"the question has {len(query):,} characters: give {MAX_QUERY_CHARACTERS:,} at most")
        if not callable(generator):
            raise Misuse(f"the generator is {type(generator).__name__}: give a function of question and passages")
        limit = self._max_answer_characters
        return Cast(query, retriever, generator, self._scorecard, self._timeouts, limit, self._clock_s)

    def _course(self, cast: Cast) -> Course:
        """All steps of one question, in order."""
        notes: list[str] = []
        advice: Advice | None = yield from self._with_store(notes, "advice", lambda answers: answers.advice(cast.query))
        refinement = Refinement(self.rules, self._first, _plans_of(advice))
        shown: dict[int, tuple[Passage, ...]] = {}
        before: tuple[Passage, ...] | None = None
        while (tried := refinement.wanted) is not None:
            outcome, passages = yield from attempt(cast, tried.selection, before)
            refinement.take(outcome)
            if outcome.quality is not None:
                before = shown[tried.number] = passages
        answer = _made(cast.query, refinement, shown, is_held_out=advice is not None and advice.is_held_out)
        yield from self._with_store(notes, "report", lambda answers: answers.record(answer.report(), cast.query))
        return replace(answer, notes=tuple(notes))

    def _with_store(
        self, notes: list[str], name: str, call: Callable[[AnswerHandle | AsyncAnswerHandle], Any]
    ) -> Generator[Step, Any, Any]:
        """What the quality store says; None without an agent, and where it fails or is late, which is noted."""
        agent = self._agent
        if agent is None:
            return None
        try:
            return (yield Step(name, lambda: call(agent.answers), STORE_S))
        except StepFailed as failure:
            notes.append(f"the quality store has no part in this: {failure.problem}")
            return None


def _plans_of(advice: Advice | None) -> Mapping[str, str]:
    """What is tried before the table; a plan that only a newer version knows is left out."""
    if advice is None:
        return NO_ADVICE
    return {row.weakness: row.plan for row in advice.rows if row.plan in PLANS}


def _advance(course: Course, told: Any) -> Step | Answer:
    """The next step, after what the last one gave or how it failed; the answer at the end."""
    try:
        return course.throw(told) if isinstance(told, StepFailed) else course.send(told)
    except StopIteration as done:
        answer: Answer = done.value
        return answer


def _made(query: str, refinement: Refinement, shown: Mapping[int, tuple[Passage, ...]], *, is_held_out: bool) -> Answer:
    best, ending = refinement.best, refinement.ending
    if best is not None and not best.outcome.has_text:
        best = None  # the best of nothing
    if ending is None:
        raise InvariantBroken(f"a loop has ended without a reason after {len(refinement.iterations)} rounds")
    return Answer(
        query,
        "" if best is None else best.outcome.text,
        () if best is None else shown[best.tried.number],
        refinement.best_quality or NOTHING,
        ending,
        tuple(refinement.iterations),
        None if best is None else best.tried.number,
        is_held_out,
    )
