"""The client, over a line that is not Ray: what a hot path gets, and what it never does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from actors.embedding.messages import DuplicateTexts, NotReady, SimilarTexts, Vectors
from actors.embedding.nearness import Duplicate, Similar
from actors.embedding.status import State, Status
from actors.runtime.errors import Busy, Corrupt, Misuse, Unavailable
from actors.runtime.wire import BusyFor, Failed
from coordinator.embedding.embedder import Embedder
from coordinator.embedding.line import EmbedCall

READY = Status(State.READY, "m", "", "m#1", 256)
LOADING = Status(State.LOADING, "m", "the engine warms up")
FAILED = Status(State.FAILED, "m", "changed hash")


class Line:
    """An actor that says what it is told to; `log` has all that it was asked."""

    def __init__(self) -> None:
        self.status = READY
        self.log: list[str] = []
        self.sent: list[EmbedCall] = []
        self.answers: list[Any] = []
        self.error: Exception | None = None

    def connect(self) -> None:
        self.log.append("connect")
        if self.error is not None:
            raise self.error

    def ask(self, method: str, arguments: tuple[Any, ...], timeout_s: float) -> Any:  # noqa: ARG002  # the protocol's signature
        self.log.append(f"{method}{arguments}")
        if self.error is not None:
            raise self.error
        return self.answers.pop(0) if self.answers else self.status

    def embed(self, calls: Sequence[EmbedCall], timeout_s: float) -> list[Any]:
        self.log.append(f"embed {len(calls)} within {timeout_s:g}")
        self.sent = list(calls)
        if self.error is not None:
            raise self.error
        if self.answers:
            return [self.answers.pop(0) for _ in calls]
        return [Vectors("m#1", np.full((len(call.texts), 256), n, np.float32)) for n, call in enumerate(calls)]

    async def embed_async(self, calls: Sequence[EmbedCall], timeout_s: float) -> list[Any]:
        return self.embed(calls, timeout_s)


class Bench:
    """An embedder with a clock of its own and a background that runs when it is told to."""

    def __init__(self) -> None:
        self.line = Line()
        self.now_s = 100.0
        self.waiting: list[Callable[[], None]] = []
        self.slept: list[float] = []
        self.embedder = Embedder(self.line, start=self.waiting.append, monotonic=lambda: self.now_s, sleep=self._sleep)

    def _sleep(self, for_s: float) -> None:
        self.slept.append(for_s)
        self.now_s += for_s

    def background(self) -> None:
        while self.waiting:
            self.waiting.pop(0)()

    def learn(self) -> None:
        self.embedder.try_embed(["a"])
        self.background()
        self.line.log.clear()


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_the_first_try_asks_nobody_and_begins_to_ask_in_the_background(bench: Bench) -> None:
    assert bench.embedder.try_embed(["a"]) is None
    assert bench.line.log == []
    bench.background()
    assert bench.line.log == ["connect", "warm()"]
    assert bench.embedder.last_status == READY
    answer = bench.embedder.try_embed(["a"], 0.25)
    assert answer is not None
    assert answer.model_id == "m#1"
    assert bench.line.log[2:] == ["embed 1 within 0.25"]


def test_while_the_model_loads_a_thousand_tries_ask_nobody(bench: Bench) -> None:
    bench.line.status = LOADING
    bench.learn()
    assert [bench.embedder.try_embed(["a"]) for _ in range(1_000)] == [None] * 1_000
    assert bench.line.log == []
    assert bench.waiting == []
    assert bench.embedder.last_status == LOADING


def test_the_status_is_asked_for_once_a_second_while_somebody_tries(bench: Bench) -> None:
    bench.line.status = LOADING
    bench.learn()
    bench.now_s = 100.9
    bench.embedder.try_embed(["a"])
    assert bench.waiting == []
    bench.now_s = 101.0
    bench.embedder.try_embed(["a"])
    bench.embedder.try_embed(["a"])
    assert len(bench.waiting) == 1
    bench.line.status = READY
    bench.background()
    assert bench.embedder.try_embed(["a"]) is not None


def test_a_model_that_hangs_costs_one_deadline_and_then_nothing_for_a_while(bench: Bench) -> None:
    bench.learn()
    bench.line.error = Unavailable("the embedding actor gave no answer within 0.2 s")
    assert bench.embedder.try_embed(["a"]) is None
    assert bench.embedder.last_status.reason == "the embedding actor gave no answer within 0.2 s"
    asked = len(bench.line.log)
    for _ in range(100):
        assert bench.embedder.try_embed(["a"]) is None
    assert len(bench.line.log) == asked
    assert bench.waiting == []


def test_pauses_after_missed_deadlines_double_until_an_answer_comes(bench: Bench) -> None:
    for pause_s in (1.0, 2.0, 4.0):
        bench.line.error = None
        bench.learn()
        assert bench.embedder.last_status == READY
        bench.line.error = Unavailable("no answer")
        bench.embedder.try_embed(["a"])
        bench.now_s += pause_s - 0.1
        bench.embedder.try_embed(["a"])
        assert bench.waiting == []
        bench.now_s += 0.1
    bench.line.error = None
    bench.learn()
    assert bench.embedder.try_embed(["a"]) is not None
    bench.line.error = Unavailable("no answer")
    bench.embedder.try_embed(["a"])
    bench.now_s += 1.0
    bench.embedder.try_embed(["a"])
    assert len(bench.waiting) == 1


def test_whatever_goes_wrong_a_hot_path_gets_none(bench: Bench) -> None:
    bench.learn()
    bench.line.error = RuntimeError("a bug in the transport")
    assert bench.embedder.try_embed(["a"]) is None
    assert bench.embedder.last_status.reason == "RuntimeError: a bug in the transport"


def test_a_busy_actor_is_left_alone_for_as_long_as_it_says(bench: Bench) -> None:
    bench.learn()
    bench.line.answers = [BusyFor(0.5, "full")]
    assert bench.embedder.try_embed(["a"]) is None
    bench.now_s += 0.4
    assert bench.embedder.try_embed(["a"]) is None
    assert bench.line.log == ["embed 1 within 0.2"]
    bench.now_s += 0.1
    assert bench.embedder.try_embed(["a"]) is not None


def test_an_actor_that_lost_its_model_is_believed(bench: Bench) -> None:
    bench.learn()
    bench.line.answers = [NotReady(LOADING)]
    assert bench.embedder.try_embed(["a"]) is None
    assert bench.embedder.last_status == LOADING


def test_vectors_of_two_models_are_never_joined(bench: Bench) -> None:
    bench.learn()
    row = np.ones((512, 256), np.float32)
    bench.line.answers = [Vectors("m#1", row), Vectors("m#2", row)]
    assert bench.embedder.try_embed(["a"] * 1_024) is None
    bench.line.answers = [Vectors("m#1", row), Vectors("m#2", row)]
    with pytest.raises(Unavailable, match="model changed during the call"):
        bench.embedder.embed(["a"] * 1_024)


@pytest.mark.parametrize("texts", ["one text", None, 3, [b"x"], ["a", 3]])
def test_what_is_no_list_of_texts_is_refused_before_anybody_is_asked(bench: Bench, texts: Any) -> None:
    embedder = bench.embedder
    for call in (embedder.embed, embedder.near_duplicates, lambda given: embedder.similar("a", given)):
        with pytest.raises(Misuse, match=r"give \[text\] for one text|is no text but .*: give a string"):
            call(texts)
    assert bench.line.log == []


def test_many_texts_go_in_calls_of_512_and_come_back_in_order(bench: Bench) -> None:
    bench.learn()
    answer = bench.embedder.try_embed([str(n) for n in range(1_100)])
    assert answer is not None
    assert [len(call.texts) for call in bench.line.sent] == [512, 512, 76]
    assert answer.rows[:, 0].tolist() == [0.0] * 512 + [1.0] * 512 + [2.0] * 76


def test_long_texts_go_in_calls_of_half_a_million_characters(bench: Bench) -> None:
    bench.learn()
    bench.embedder.try_embed(["a" * 200_000] * 5)
    assert [len(call.texts) for call in bench.line.sent] == [2, 2, 1]


def test_vectors_travel_in_results_of_less_than_90_kb(bench: Bench) -> None:
    bench.learn()
    bench.embedder.try_embed(["a"] * 512)
    assert [call.n_parts for call in bench.line.sent] == [6]  # 512 x 256 x 4 bytes = 524 kB
    bench.embedder.try_embed(["a"] * 80)
    assert [call.n_parts for call in bench.line.sent] == [1]


def test_no_texts_have_no_rows(bench: Bench) -> None:
    bench.learn()
    answer = bench.embedder.try_embed([])
    assert answer is not None
    assert answer.rows.shape == (0, 256)


def test_the_async_client_does_the_same(bench: Bench) -> None:
    assert asyncio.run(bench.embedder.try_embed_async(["a"])) is None
    bench.background()
    answer = asyncio.run(bench.embedder.try_embed_async(["a"]))
    assert answer is not None
    bench.line.error = Unavailable("no answer")
    assert asyncio.run(bench.embedder.try_embed_async(["a"])) is None


def test_whoever_needs_vectors_waits_for_a_model_that_is_on_its_way(bench: Bench) -> None:
    bench.line.answers = [NotReady(LOADING), BusyFor(0.3, "full")]
    assert bench.embedder.embed(["a"]).model_id == "m#1"
    assert bench.slept == [0.05, 0.3]


def test_whoever_needs_vectors_is_told_what_keeps_them_away(bench: Bench) -> None:
    bench.line.answers = [NotReady(FAILED)]
    with pytest.raises(Unavailable, match=r"'m' is failed \(changed hash\): look with `scentfield embedding status`"):
        bench.embedder.embed(["a"])
    bench.line.answers = [NotReady(LOADING)] * 100
    with pytest.raises(Unavailable, match="the engine warms up"):
        bench.embedder.embed(["a"], timeout_s=1.0)
    bench.line.answers = [BusyFor(5.0, "full")]
    with pytest.raises(Busy, match="full"):
        bench.embedder.embed(["a"], timeout_s=1.0)
    bench.line.answers = [Failed("misuse", "too long")]
    with pytest.raises(Misuse, match="too long"):
        bench.embedder.embed(["a"])
    bench.line.answers = [Failed("corrupt", "no number")]
    with pytest.raises(Corrupt, match="no number"):
        bench.embedder.embed(["a"])
    bench.line.error = Unavailable("no embedding actor runs")
    with pytest.raises(Unavailable, match="no embedding actor runs"):
        bench.embedder.embed(["a"])


def test_similar_and_repeated_texts_are_asked_for_in_one_call(bench: Bench) -> None:
    nearest = SimilarTexts("m#1", (Similar(1, 0.9),))
    repeated = DuplicateTexts("m#1", (Duplicate(1, 0, 0.95),))
    bench.line.answers = [nearest, repeated]
    assert bench.embedder.similar("q", ["a", "b"], 1, timeout_s=2.0) == nearest
    assert bench.embedder.near_duplicates(["a", "b"], 0.9, timeout_s=2.0) == repeated
    assert bench.line.log[1] == "similar('q', ['a', 'b'], 1, 2.0)"
    assert bench.line.log[3] == "near_duplicates(['a', 'b'], 0.9, 64, 2.0)"


def test_the_status_never_raises_and_says_why_there_is_none(bench: Bench) -> None:
    assert bench.embedder.status() == READY
    bench.line.error = Unavailable("no embedding actor runs in namespace 'x'")
    told = bench.embedder.status()
    assert (told.state, told.reason) == (State.OFF, "no embedding actor runs in namespace 'x'")


def test_warm_says_that_a_person_asks(bench: Bench) -> None:
    bench.line.status = LOADING
    assert bench.embedder.warm() == LOADING
    assert bench.line.log == ["connect", "warm(True,)"]
