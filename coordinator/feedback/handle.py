"""`agent.answers`: what all agents' answers were like, and what came of the strategies against weak ones."""

from __future__ import annotations

from actors.quality_store.answer_message import Advice, AnswerCounted, AnswerQuality, AnswersReset, RecordAnswer
from coordinator.feedback.store_calls import AnswerCalls
from coordinator.memory.async_handle import DoAsync
from coordinator.memory.handle import Do


class AnswerHandle:
    """Answers, blocking. All of it raises `Unavailable` if nobody could answer."""

    def __init__(self, calls: AnswerCalls, do: Do) -> None:
        self._calls = calls
        self._do = do

    def advice(self, query: str) -> Advice:
        """Which strategies to try before the table's for this question; none for one that is held out today."""
        return self._do(self._calls.advice(query))

    def record(self, report: RecordAnswer, query: str = "") -> AnswerCounted:
        """Count how a question went; says whether quality is degrading now. Raises `Misuse` for what cannot be.

        With the question that `advice` was asked for, it also counts as a trial of what was learned.
        """
        return self._do(self._calls.record(report, query))

    def quality(self) -> AnswerQuality:
        """The rolling quality of all agents' answers and of each one's, and what strategies achieved."""
        return self._do(self._calls.quality())

    def reset(self) -> AnswersReset:
        """Forget the windows and what was learned of strategies; the counts stay."""
        return self._do(self._calls.reset())


class AsyncAnswerHandle:
    """The same, to be awaited."""

    def __init__(self, calls: AnswerCalls, do: DoAsync) -> None:
        self._calls = calls
        self._do = do

    async def advice(self, query: str) -> Advice:
        """Like `AnswerHandle.advice`."""
        return await self._do(self._calls.advice(query))

    async def record(self, report: RecordAnswer, query: str = "") -> AnswerCounted:
        """Like `AnswerHandle.record`."""
        return await self._do(self._calls.record(report, query))

    async def quality(self) -> AnswerQuality:
        """Like `AnswerHandle.quality`."""
        return await self._do(self._calls.quality())

    async def reset(self) -> AnswersReset:
        """Like `AnswerHandle.reset`."""
        return await self._do(self._calls.reset())
