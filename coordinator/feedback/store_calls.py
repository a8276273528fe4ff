"""What is asked and told of answers in the quality store, as operations that the sync and the async client share."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from actors.quality_store.answer_message import (
    Advice,
    AnswerCounted,
    AnswerQuality,
    AnswersReset,
    AskAdvice,
    GetAnswerQuality,
    RecordAnswer,
    ResetAnswers,
)
from coordinator.asking import Asker
from coordinator.session import AgentSession
from coordinator.step import Operation


class AnswerCalls:
    """`current` gives the session that may change something, `asking` one that may ask.

    `reports` waits a short time only, for what must not hold an answer up.
    """

    def __init__(
        self,
        space: str,
        quality: Asker,
        reports: Asker,
        *,
        current: Callable[[], Operation[AgentSession]],
        asking: Callable[[], AgentSession],
    ) -> None:
        self._space = space
        self._quality = quality
        self._reports = reports
        self._current = current
        self._asking = asking

    def advice(self, query: str) -> Operation[Advice]:
        """Which strategies have helped more than the table's; the question leaves this process as a digest only."""
        return self._reports.query(self._asking(), AskAdvice(self._digest(query)))

    def _digest(self, query: str) -> str:
        words = " ".join(query.casefold().split())
        return sha256(f"{self._space}\0{words}".encode(errors="surrogatepass")).hexdigest()

    def record(self, report: RecordAnswer, query: str) -> Operation[AnswerCounted]:
        """Tell how a question went. Raises `Misuse` for what cannot be; nothing is counted then."""
        session: AgentSession = yield from self._current()
        told = report._replace(digest=self._digest(query)) if query else report
        counted: AnswerCounted = yield from self._reports.request(session, told)
        return counted

    def quality(self) -> Operation[AnswerQuality]:
        """How the quality of answers rolls, and what strategies achieved."""
        return self._quality.query(self._asking(), GetAnswerQuality())

    def reset(self) -> Operation[AnswersReset]:
        """Forget the windows, and what was learned of strategies."""
        session: AgentSession = yield from self._current()
        answer: AnswersReset = yield from self._quality.request(session, ResetAnswers())
        return answer
