"""What an agent does with facts, as operations that the sync and the async client share.

Nothing here waits for the embedding model: where it is not ready, facts stay without a vector until a later call, and a
recall goes by words alone and says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from actors.memory.fact import Fact, FactDraft
from actors.memory.messages import (
    ConfirmFact,
    ContradictFact,
    Done,
    FactVector,
    ForgetFacts,
    IndexFacts,
    ListUnindexed,
    Recall,
    Recalled,
    RecallNear,
    RecordRecall,
    Remember,
    Remembered,
    Unindexed,
)
from actors.memory.text import check_value
from actors.runtime.errors import Misuse, ScentfieldError
from coordinator.conversation import value_of
from coordinator.memory.ground import Ground
from coordinator.memory.recollection import Recollection, fused
from coordinator.session import AgentSession
from coordinator.step import Operation, Work

if TYPE_CHECKING:
    from actors.embedding.messages import Vectors

WORDS: Final = "words"
MEANING: Final = "meaning"
BOTH: Final = "both"
BYS: Final = (BOTH, WORDS, MEANING)
FACTS_A_CALL: Final = 200
INDEXED_A_CALL: Final = 64
RECALLS_A_REPORT: Final = 16
"""Recalls are counted so many at a time, so that counting does not double what one costs."""
_WORDS_ONLY: Final = "looked for by words alone: "


class FactCalls:
    """Facts of the agent's space."""

    def __init__(self, ground: Ground) -> None:
        self._ground = ground

    # Keeping

    def remember(self, draft: FactDraft) -> Operation[Remembered]:
        """Keep a fact, or confirm the same. What is no fact, or a secret, is not even sent."""
        (kept,) = yield from self.remember_each([draft])
        return kept

    def remember_each(self, drafts: Sequence[FactDraft]) -> Operation[list[Remembered]]:
        """Keep many facts, 200 a call and commit. Raises `Misuse` for the first that is none before any is sent."""
        checked = [self._checked(draft) for draft in drafts]
        session: AgentSession = yield from self._ground.current()
        kept: list[Remembered] = []
        for first in range(0, len(checked), FACTS_A_CALL):
            commands = [Remember(self._ground.space, draft) for draft in checked[first : first + FACTS_A_CALL]]
            answers = yield from self._ground.memory.request_many(session, commands)
            kept += [value_of(answer) for answer in answers]
        yield from self._index_some(max(INDEXED_A_CALL, len(checked)))
        return kept

    def _checked(self, draft: FactDraft) -> FactDraft:
        draft = draft._replace(path=self._target(draft.path))
        draft.check()
        return draft

    def _target(self, path: str) -> str:
        return self._ground.workspace.target(path) if path else ""

    def confirm(self, fact_id: int) -> Operation[Remembered]:
        """Say that a fact still holds."""
        return self._ground.change(ConfirmFact(self._ground.space, fact_id))

    def contradict(self, fact_id: int, value: str, confidence: float, path: str) -> Operation[Remembered]:
        """Say that a fact is otherwise: both are kept."""
        check_value(value)
        command = ContradictFact(self._ground.space, fact_id, value, confidence, self._target(path))
        kept: Remembered = yield from self._ground.change(command)
        yield from self._index_some(INDEXED_A_CALL)
        return kept

    def forget(self, fact_ids: Sequence[int]) -> Operation[Done]:
        """Remove facts: all of them, or none."""
        return self._ground.change(ForgetFacts(self._ground.space, tuple(fact_ids)))

    # Finding again

    def recall(self, text: str, *, key: str, category: str, n: int, by: str) -> Operation[Recollection]:
        """Facts of a key; else those nearest to a text, by words, by meaning, or by both; else the most salient.

        Raises `Misuse` for an unknown `by`, and for a text or a category that cannot be looked for.
        """
        if by not in BYS:
            raise Misuse(f"unknown way {by[:80]!r} to look for facts: give one of {', '.join(BYS)}")
        if text and not key:
            recollection = yield from self._by_text(text, category, n, by)
        else:
            way = "exact" if key else "category"
            recalled: Recalled = yield from self._ground.ask(Recall(self._ground.space, key, category, "", n))
            recollection = Recollection(recalled.found, recalled.n_all, (way,))
        self._ground.recalled(text, key, category)
        yield from self._count(recollection)
        return recollection

    def _by_text(self, text: str, category: str, n: int, by: str) -> Operation[Recollection]:
        space = self._ground.space
        vectors: Vectors | None = None
        if by != WORDS:
            vectors = yield from self._vectors([text])
        near: Recalled | None = None
        if vectors is not None and (row := _rows(vectors)[0]):
            near = yield from self._ground.ask(RecallNear(space, category, vectors.model_id, row, n))
        if by == MEANING and near is not None:
            return Recollection(near.found, near.n_all, ("semantic",))
        shared: Recalled = yield from self._ground.ask(Recall(space, "", category, text, n))
        if near is None:
            note = "" if by == WORDS else _WORDS_ONLY + self._why_no_model(vectors)
            return Recollection(shared.found, shared.n_all, ("lexical",), note)
        found = fused([shared.found, near.found], n)
        return Recollection(found, max(shared.n_all, near.n_all), ("lexical", "semantic"))

    def _why_no_model(self, vectors: Vectors | None) -> str:
        embedder = self._ground.embedder
        if vectors is not None:
            return "the model knows none of them"
        if embedder is None:
            return "there is no embedding model here"
        return embedder.last_status.reason or "the embedding model gave no answer in time"

    def _count(self, recollection: Recollection) -> Operation[None]:
        """Count a recall, if there is a session to count it for; the memory is told of several at once."""
        session, uncounted = self._ground.asking(), self._ground.uncounted
        if session.session_id:
            uncounted += [RecordRecall(way, len(recollection)) for way in recollection.ways]
        if len(uncounted) >= RECALLS_A_REPORT:
            yield from self.settle(session)

    def settle(self, session: AgentSession) -> Operation[None]:
        """Tell the memory of the recalls that it has not heard of. What goes wrong here is nobody's concern."""
        told = list(self._ground.uncounted)
        del self._ground.uncounted[: len(told)]
        if not told:
            return
        try:
            yield from self._ground.reports.request_many(session, told)
        except ScentfieldError:
            return

    # Vectors

    def index(self, n_most: int) -> Operation[int]:
        """Give facts that have no vector one, the oldest first; returns how many. 0 while the model is not ready."""
        return self._index_some(n_most)

    def _index_some(self, n_most: int) -> Operation[int]:
        """The same; what goes wrong leaves facts as they are, to be found by words."""
        n_done = 0
        try:
            while n_done < n_most:
                n_now = yield from self._index_once(min(INDEXED_A_CALL, n_most - n_done))
                n_done += n_now
                if n_now < INDEXED_A_CALL:
                    break
        except ScentfieldError:
            pass
        return n_done

    def _index_once(self, n_most: int) -> Operation[int]:
        model = yield from self._model_id()
        if not model:
            return 0
        left: Unindexed = yield from self._ground.ask(ListUnindexed(self._ground.space, model, n_most))
        vectors = (yield from self._vectors([_text_of(fact) for fact in left.facts])) if left.facts else None
        if vectors is None:
            return 0
        rows = tuple(FactVector(fact.fact_id, row) for fact, row in zip(left.facts, _rows(vectors), strict=True))
        session: AgentSession = yield from self._ground.current()
        done: Done = yield from self._ground.reports.request(
            session, IndexFacts(self._ground.space, vectors.model_id, rows)
        )
        return done.n

    def _model_id(self) -> Operation[str]:
        """The model that is ready; "" for none, and then it is asked to get ready."""
        embedder = self._ground.embedder
        if embedder is None:
            return ""
        if not embedder.last_status.is_ready:
            yield from self._vectors(["ready"])
        status = embedder.last_status
        return status.model_id if status.is_ready else ""

    def _vectors(self, texts: list[str]) -> Operation[Any]:
        embedder = self._ground.embedder
        if embedder is None:
            return None
        return (yield Work(lambda: embedder.try_embed(texts)))


def _text_of(fact: Fact) -> str:
    """What a fact says, as far as meaning goes."""
    return f"{fact.key}: {fact.value}"


def _rows(vectors: Vectors) -> list[bytes]:
    """Vectors as they are sent; empty for a text that the model knows nothing of."""
    from actors.memory.vector_table import quantised  # numpy is slow to import, and not needed where there is no model

    rows = [quantised(row) for row in vectors.rows]
    return [row if any(row) else b"" for row in rows]
