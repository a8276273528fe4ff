"""The client of the embedding actor.

Two manners: `try_embed` is for hot paths and never raises nor waits longer than its deadline, and not at all for a
model that is not known to be ready; the others are for whoever needs the answer, and raise.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

import numpy as np
import numpy.typing as npt

from actors.embedding.messages import DuplicateTexts, NotReady, Refusal, SimilarTexts, Vectors
from actors.embedding.nearness import REDUNDANT, WINDOW
from actors.embedding.status import State, Status
from actors.runtime.errors import Busy, InvariantBroken, Misuse, ScentfieldError, Unavailable
from actors.runtime.wire import BusyFor, Failed
from coordinator.embedding.line import EmbedCall, Line
from coordinator.embedding.readiness import Readiness

Value = TypeVar("Value")

DEADLINE_S: Final = 0.2
TIMEOUT_S: Final = 30.0
TEXTS_A_CALL: Final = 512
CHARS_A_CALL: Final = 2**19
_STATUS_S: Final = 5.0
_FLOAT_BYTES: Final = 4
_PART_BYTES: Final = 90_000  # Ray puts results over 100 kB into its object store
_ON_ITS_WAY_S: Final = 0.05


class Embedder:
    """Vectors of texts; safe to use from several threads.

    `start` runs what it is given beside the caller; `monotonic` and `sleep` are inputs so that tests need not wait.
    """

    def __init__(
        self,
        line: Line,
        *,
        start: Callable[[Callable[[], None]], None] | None = None,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._line = line
        self._start = start or _in_a_thread
        self._monotonic = monotonic
        self._sleep = sleep
        self._readiness = Readiness()
        self._lock = threading.Lock()

    @property
    def last_status(self) -> Status:
        """What was last heard of the model. Asks nobody."""
        return self._readiness.status

    def try_embed(self, texts: Sequence[str], deadline_s: float = DEADLINE_S) -> Vectors | None:
        """Vectors, or None if there are none within `deadline_s` seconds; `last_status` says why.

        None comes at once while the model is not known to be ready; the actor is then asked in the background, which
        also makes it begin to load. Texts over the actor's limits give None too.
        """
        if not self._may_try():
            return None
        try:
            return self._heard(self._line.embed(self._calls(texts, deadline_s), deadline_s))
        except Exception as error:  # a hot path goes on without vectors whatever is wrong
            self._missed(error)
            return None

    def try_rows(self, texts: Sequence[str]) -> npt.NDArray[np.float32] | None:
        """The rows of `try_embed`, for whoever compares them with each other only."""
        vectors = self.try_embed(texts)
        return None if vectors is None else vectors.rows

    async def try_embed_async(self, texts: Sequence[str], deadline_s: float = DEADLINE_S) -> Vectors | None:
        """As `try_embed`, without blocking the event loop."""
        if not self._may_try():
            return None
        try:
            return self._heard(await self._line.embed_async(self._calls(texts, deadline_s), deadline_s))
        except Exception as error:  # the same
            self._missed(error)
            return None

    def embed(self, texts: Sequence[str], timeout_s: float = TIMEOUT_S) -> Vectors:
        """Vectors [len(texts), n_dims]; waits for a model that is on its way and for a place in the queue.

        Raises `Unavailable` with the model's status, `Busy`, `Misuse` for texts over the limits, or `Corrupt`.
        """
        listed = _listed(texts)
        return _joined(self._ask(lambda left_s: self._line.embed(self._calls(listed, left_s), left_s), timeout_s))

    def similar(
        self, query: str, texts: Sequence[str], n_wanted: int = 10, timeout_s: float = TIMEOUT_S
    ) -> SimilarTexts:
        """The texts nearest to the query, in one call. Raises as `embed`."""
        return self._ask_one("similar", (query, _listed(texts), n_wanted), SimilarTexts, timeout_s)

    def near_duplicates(
        self,
        texts: Sequence[str],
        threshold: float = REDUNDANT,
        window: int = WINDOW,
        timeout_s: float = TIMEOUT_S,
    ) -> DuplicateTexts:
        """The texts that say what an earlier one says, in one call. Raises as `embed`."""
        return self._ask_one("near_duplicates", (_listed(texts), threshold, window), DuplicateTexts, timeout_s)

    def status(self, timeout_s: float = _STATUS_S) -> Status:
        """How far the model is and why no further; off, with the reason, if the actor gives no answer. Never raises."""
        return self._state_of("status", (), timeout_s)

    def warm(self, timeout_s: float = _STATUS_S) -> Status:
        """Have the model loaded, fetched if that is allowed, and tried again if it failed. Waits for none of it."""
        return self._state_of("warm", (True,), timeout_s)

    def _state_of(self, method: str, arguments: tuple[Any, ...], timeout_s: float) -> Status:
        try:
            self._line.connect()
            status: Status = self._line.ask(method, arguments, timeout_s)
        except ScentfieldError as error:
            return self.last_status._replace(state=State.OFF, reason=error.message)
        with self._lock:
            self._readiness.heard(status)
        return status

    def _may_try(self) -> bool:
        now_s = self._monotonic()
        with self._lock:
            is_open = self._readiness.is_open(now_s)
            wants_refresh = self._readiness.wants_refresh(now_s)
        if wants_refresh:
            self._start(self._refresh)
        return is_open

    def _refresh(self) -> None:
        """Say that the model is needed, and hear how it is."""
        try:
            self._line.connect()
            status: Status = self._line.ask("warm", (), _STATUS_S)
        except Exception as error:  # nobody waits for this: it is told to whoever asks for the status
            self._missed(error)
        else:
            with self._lock:
                self._readiness.heard(status)

    def _heard(self, answers: Sequence[Any]) -> Vectors | None:
        now_s = self._monotonic()
        refused = next((answer for answer in answers if not isinstance(answer, Vectors)), None)
        with self._lock:
            self._readiness.answered()
            if isinstance(refused, NotReady):
                self._readiness.heard(refused.status)
            elif isinstance(refused, BusyFor):
                self._readiness.busy(now_s, refused.retry_after_s)
        return _joined(answers) if refused is None and _are_of_one_model(answers) else None

    def _missed(self, error: Exception) -> None:
        reason = error.message if isinstance(error, ScentfieldError) else f"{type(error).__name__}: {error}"
        with self._lock:
            self._readiness.missed(self._monotonic(), reason)

    def _calls(self, texts: Sequence[str], within_s: float) -> list[EmbedCall]:
        n_dims = self.last_status.n_dims
        return [EmbedCall(part, within_s, _n_parts(len(part), n_dims)) for part in _parts(texts)]

    def _ask_one(self, method: str, arguments: tuple[Any, ...], kind: type[Value], timeout_s: float) -> Value:
        (answer,) = self._ask(lambda left_s: [self._line.ask(method, (*arguments, left_s), left_s)], timeout_s)
        if not isinstance(answer, kind):
            raise InvariantBroken(f"the embedding actor answered {answer!r} to {method}")
        return answer

    def _ask(self, send: Callable[[float], list[Any]], timeout_s: float) -> list[Any]:
        """Answers that are none of the refusals; those that may pass are waited for."""
        deadline_s = self._monotonic() + timeout_s
        self._line.connect()
        while True:
            left_s = max(0.0, deadline_s - self._monotonic())
            answers = send(left_s)
            refused = next((answer for answer in answers if isinstance(answer, Refusal)), None)
            if refused is None:
                return answers
            self._sleep(_pause(refused, deadline_s - self._monotonic()))


def _listed(texts: Sequence[str]) -> list[str]:
    """The texts as a list. Raises `Misuse` for what holds none; so does one string, though its characters are texts."""
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise Misuse(f"the texts are {type(texts).__name__}, not a list of strings: give [text] for one text")
    listed = list(texts)
    for number, text in enumerate(listed):
        if not isinstance(text, str):
            raise Misuse(f"text {number} is no text but {text!r}: give a string")
    return listed


def _pause(refused: Refusal, left_s: float) -> float:
    """How long to wait before the next try; raises what was refused when that is too long or in vain."""
    if isinstance(refused, Failed):
        raise refused.error()
    if isinstance(refused, BusyFor):
        if refused.retry_after_s > left_s:
            raise Busy(f"the embedding actor is busy: {refused.what}", refused.retry_after_s)
        return refused.retry_after_s
    status = refused.status
    if status.state not in (State.LOADING, State.DOWNLOADING) or left_s < _ON_ITS_WAY_S:
        raise Unavailable(
            f"the embedding model {status.model!r} is {status.state} ({status.reason}): look with "
            "`scentfield embedding status`"
        )
    return _ON_ITS_WAY_S


def _n_parts(n_texts: int, n_dims: int) -> int:
    """In how many results the vectors travel, so that each is small."""
    return max(1, min(n_texts, -(-n_texts * n_dims * _FLOAT_BYTES // _PART_BYTES)))


def _parts(texts: Sequence[str]) -> Iterator[list[str]]:
    """The texts in parts that fit into a call each, in order; one part at least."""
    part: list[str] = []
    n_chars = 0
    for text in texts:
        if len(part) == TEXTS_A_CALL or (part and n_chars + len(text) > CHARS_A_CALL):
            yield part
            part, n_chars = [], 0
        part.append(text)
        n_chars += len(text)
    yield part


def _are_of_one_model(answers: Sequence[Vectors]) -> bool:
    return len({answer.model_id for answer in answers}) == 1


def _joined(answers: Sequence[Vectors]) -> Vectors:
    if not _are_of_one_model(answers):
        raise Unavailable("the embedding model changed during the call: ask again")
    if len(answers) == 1:
        return answers[0]
    return Vectors(answers[0].model_id, np.concatenate([answer.rows for answer in answers]))


def _in_a_thread(run: Callable[[], None]) -> None:
    threading.Thread(target=run, name="embedding-refresh", daemon=True).start()
