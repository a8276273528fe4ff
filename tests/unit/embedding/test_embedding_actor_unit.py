"""The actor as a plain class on an event loop: small real models, and engines that are slow or broken on purpose."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from actors.embedding.actor import EmbeddingActor, EmbeddingConfig
from actors.embedding.limit import EmbeddingLimits
from actors.embedding.messages import NotReady, Vectors
from actors.embedding.model_store import FetchRules
from actors.embedding.pace import Pace
from actors.embedding.status import State, Status
from actors.runtime.errors import Corrupt, Misuse, Unavailable
from actors.runtime.wire import BusyFor, Failed

pytestmark = pytest.mark.usefixtures("usual_collector")

Until = Callable[..., Awaitable[Any]]


class Engine:
    """Gives each text its length; a text in `blocking` waits until it is let go."""

    model_id = "fake#1"
    n_dims = 2

    def __init__(self) -> None:
        self.calls: list[list[str]] = []
        self.begun = threading.Event()
        self.go = threading.Event()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.calls.append(list(texts))
        if "slow" in texts:
            self.begun.set()
            assert self.go.wait(20.0)
        if "bad" in texts:
            raise Corrupt("fake#1 gives what is no number")
        return np.array([[len(text), 1.0] for text in texts], dtype=np.float32).reshape(-1, 2)


def config(tmp_path: Path, model: str = "static", url: str = "http://127.0.0.1:9", **options: Any) -> EmbeddingConfig:
    rules = {"may_download": True, "stall_s": 10.0, "pause_s": 0.0, "max_tries": 1, **options.pop("rules", {})}
    return EmbeddingConfig(model, str(tmp_path / "models"), FetchRules(url, **rules), **options)


@contextmanager
def running(*arguments: Any, **options: Any) -> Iterator[EmbeddingActor]:
    actor = EmbeddingActor(*arguments, **options)
    try:
        yield actor
    finally:
        actor.close()


def run(story: Coroutine[Any, Any, None]) -> None:
    async def within() -> None:
        await asyncio.wait_for(story, 30.0)

    asyncio.run(within())


def is_ready(status: Status) -> bool:
    return status.is_ready


def test_a_model_on_this_machine_is_loaded_at_once_and_answers(tmp_path: Path, model_dir: Path, until: Until) -> None:
    async def story() -> None:
        with running(config(tmp_path, f"file:{model_dir}")) as actor:
            assert (await actor.status()).state is State.LOADING
            status = await until(actor.status, is_ready)
            answer = await actor.embed(["red", "green"])
            assert isinstance(answer, Vectors)
            assert answer.model_id == status.model_id
            assert answer.rows.tolist() == [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
            assert answer.rows.dtype == np.float32

    run(story())


def test_a_call_before_the_model_is_ready_is_answered_at_once(tmp_path: Path, until: Until) -> None:
    async def story() -> None:
        go = threading.Event()

        def open_slowly(_: Any, __: Any) -> Engine:
            assert go.wait(20.0)
            return Engine()

        with running(config(tmp_path), open_engine=open_slowly) as actor:
            answer = await actor.embed(["a"])
            assert isinstance(answer, NotReady)
            assert answer.status.state is State.LOADING
            assert answer.status.reason
            go.set()
            await until(actor.status, is_ready)
            assert isinstance(await actor.embed(["a"]), Vectors)

    run(story())


def test_the_nearest_texts_and_the_repeated_ones(tmp_path: Path, model_dir: Path, until: Until) -> None:
    async def story() -> None:
        with running(config(tmp_path, f"file:{model_dir}")) as actor:
            await until(actor.status, is_ready)
            similar = await actor.similar("bread", ["blue", "food", "red green"], 2)
            assert [one.place for one in similar.nearest] == [2, 1]
            repeated = await actor.near_duplicates(["red", "blue", "red", "bread", "food"], 0.92)
            assert [(one.place, one.of) for one in repeated.dropped] == [(2, 0), (4, 3)]
            assert isinstance(await actor.near_duplicates(["red"], 2.0), Failed)

    run(story())


def test_a_text_is_computed_once(tmp_path: Path, until: Until) -> None:
    async def story() -> None:
        engine = Engine()
        with running(config(tmp_path), open_engine=lambda *_: engine) as actor:
            await until(actor.status, is_ready)
            await actor.embed(["aa", "b", "aa"])
            answer = await actor.embed(["b", "ccc", "aa"])
            assert engine.calls == [["aa", "b"], ["ccc"]]
            assert answer.rows[:, 0].tolist() == [1.0, 3.0, 2.0]
            told = await actor.describe()
            assert (told["n_computed"], told["n_cached"], told["n_kept_vectors"]) == (3, 2, 3)
            assert (told["n_calls"], told["n_texts"], told["n_queued_texts"]) == (2, 6, 0)

    run(story())


def test_over_the_queues_limit_the_answer_is_busy_and_the_status_is_still_told(tmp_path: Path, until: Until) -> None:
    async def story() -> None:
        engine = Engine()
        limits = EmbeddingLimits(max_queued_texts=3)
        with running(config(tmp_path, limits=limits), open_engine=lambda *_: engine) as actor:
            await until(actor.status, is_ready)
            first = asyncio.ensure_future(actor.embed(["slow", "x"]))
            await asyncio.to_thread(engine.begun.wait, 20.0)
            second = asyncio.ensure_future(actor.embed(["y"]))
            await asyncio.sleep(0)
            refused = await actor.embed(["z"])
            assert isinstance(refused, BusyFor)
            assert refused.retry_after_s >= 0.02
            assert refused.what == "3 texts wait for their vectors"
            assert (await actor.status()).is_ready
            engine.go.set()
            assert isinstance(await first, Vectors)
            assert isinstance(await second, Vectors)
            assert isinstance(await actor.embed(["z"]), Vectors)
            assert (await actor.describe())["n_busy"] == 1

    run(story())


@pytest.mark.parametrize(("n_threads", "n_begun"), [(1, 1), (2, 2), (8, 2)])
def test_two_calls_are_computed_side_by_side_where_two_threads_may(
    tmp_path: Path, until: Until, n_threads: int, n_begun: int
) -> None:
    async def story() -> None:
        engine = Engine()
        with running(config(tmp_path, n_threads=n_threads), open_engine=lambda *_: engine) as actor:
            await until(actor.status, is_ready)
            calls = [asyncio.ensure_future(actor.embed(["slow", text, "same"])) for text in ("a", "bb", "ccc")]

            async def begun() -> int:
                return len(engine.calls)

            assert await until(begun, lambda n: n == n_begun) == n_begun
            engine.go.set()
            rows = [(await call).rows.tolist() for call in calls]
            assert rows == [[[4.0, 1.0], [length, 1.0], [4.0, 1.0]] for length in (1.0, 2.0, 3.0)]
            counted = await actor.describe()
            assert counted["n_kept_vectors"] == 5
            assert counted["n_computed"] + counted["n_cached"] == 9

    run(story())


def test_a_call_whose_time_is_over_is_dropped_before_it_is_computed(tmp_path: Path, until: Until) -> None:
    async def story() -> None:
        engine = Engine()
        now_s = [100.0]
        alone = config(tmp_path, n_threads=1)
        with running(alone, open_engine=lambda *_: engine, monotonic=lambda: now_s[0]) as actor:
            await until(actor.status, is_ready)
            first = asyncio.ensure_future(actor.embed(["slow"], 0.5))
            await asyncio.to_thread(engine.begun.wait, 20.0)
            late, patient = (asyncio.ensure_future(actor.embed([text], s)) for text, s in (("late", 0.5), ("ok", 2.0)))
            await asyncio.sleep(0)
            now_s[0] = 101.0
            engine.go.set()
            assert isinstance(await first, Vectors)
            assert isinstance(await late, BusyFor)
            assert isinstance(await patient, Vectors)
            assert engine.calls == [["slow"], ["ok"]]
            assert (await actor.describe())["n_late"] == 1

    run(story())


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["a"] * 5, "5 texts in one call are over the limit of 4: send them in parts"),
        (["a", "b" * 11], "text 1 has 11 characters, over the limit of 10: cut or split it"),
        (["a" * 10] * 3, "30 characters in one call are over the limit of 25: send them in parts"),
        (["a", 7], "text 1 is no text but 7: give a string"),
        (["a", "b\ud800"], "text 1 holds half a surrogate pair at 1: replace it"),
    ],
)
def test_over_each_limit_the_error_says_which_and_nothing_is_done(
    tmp_path: Path, until: Until, texts: list[Any], message: str
) -> None:
    async def story() -> None:
        engine = Engine()
        limits = EmbeddingLimits(max_texts=4, max_text_chars=10, max_call_chars=25)
        with running(config(tmp_path, limits=limits), open_engine=lambda *_: engine) as actor:
            await until(actor.status, is_ready)
            assert await actor.embed(texts) == Failed("misuse", message)
            assert engine.calls == []
            at_the_limits = await actor.embed(["a" * 10, "b" * 10, "c" * 5, ""])
            assert isinstance(at_the_limits, Vectors)

    run(story())


def test_an_engine_that_fails_in_a_call_answers_with_the_error_and_goes_on(tmp_path: Path, until: Until) -> None:
    async def story() -> None:
        with running(config(tmp_path), open_engine=lambda *_: Engine()) as actor:
            await until(actor.status, is_ready)
            assert await actor.embed(["bad"]) == Failed("corrupt", "fake#1 gives what is no number")
            assert isinstance(await actor.embed(["good"]), Vectors)
            assert (await actor.describe())["n_queued_texts"] == 0

    run(story())


def test_a_corrupt_model_fails_with_the_files_name_and_is_tried_again_when_asked(
    tmp_path: Path, model_dir: Path, until: Until
) -> None:
    async def story() -> None:
        whole = (model_dir / "model.onnx").read_bytes()
        (model_dir / "model.onnx").write_bytes(whole[:50])
        with running(config(tmp_path, f"file:{model_dir}")) as actor:
            status = await until(actor.status, lambda status: status.state is State.FAILED)
            assert f"{model_dir}/model.onnx is no graph" in status.reason
            assert isinstance(await actor.embed(["a"]), NotReady)
            assert (await actor.warm()).state is State.FAILED
            (model_dir / "model.onnx").write_bytes(whole)
            assert (await actor.warm(True)).state is State.LOADING
            await until(actor.status, is_ready)

    run(story())


def test_an_engine_that_breaks_in_an_unknown_way_is_a_status_too(tmp_path: Path, until: Until) -> None:
    async def story() -> None:
        def broken(*_: Any) -> Engine:
            raise ZeroDivisionError("odd")

        with running(config(tmp_path), open_engine=broken) as actor:
            status = await until(actor.status, lambda status: status.state is State.FAILED)
            assert status.reason == "ZeroDivisionError: odd"

    run(story())


def test_an_engine_that_panics_is_a_status_too(tmp_path: Path, until: Until) -> None:
    class Panic(BaseException):
        """As those of libraries in Rust, which are no `Exception`."""

    async def story() -> None:
        def broken(*_: Any) -> Engine:
            raise Panic("index out of bounds")

        with running(config(tmp_path), open_engine=broken) as actor:
            status = await until(actor.status, lambda status: status.state is State.FAILED)
            assert status.reason == "Panic: index out of bounds"

    run(story())


def test_what_may_pass_is_tried_again_by_whoever_needs_it_after_a_pause(tmp_path: Path, until: Until) -> None:
    async def story() -> None:
        tries: list[int] = []
        now_s = [0.0]

        def flaky(*_: Any) -> Engine:
            tries.append(1)
            if len(tries) == 1:
                raise Unavailable("no network")
            return Engine()

        with running(config(tmp_path), open_engine=flaky, monotonic=lambda: now_s[0]) as actor:
            await until(actor.status, lambda status: status.state is State.FAILED)
            now_s[0] = 4.0
            assert isinstance(await actor.embed(["a"]), NotReady)
            assert len(tries) == 1
            now_s[0] = 5.0
            assert isinstance(await actor.embed(["a"]), NotReady)
            await until(actor.status, is_ready)

    run(story())


def test_a_model_at_the_hub_is_not_fetched_before_somebody_needs_it(
    tmp_path: Path, hub: Any, graph: bytes, tokenizer: bytes, until: Until
) -> None:
    async def story() -> None:
        hub.holds("org/small", graph, tokenizer)
        with running(config(tmp_path, "hf:org/small", hub.url)) as actor:
            assert (await actor.status()).state is State.OFF
            assert hub.asked == []
            assert isinstance(await actor.embed(["red"]), NotReady)
            await until(actor.status, is_ready)
            assert (await actor.embed(["red"])).rows.tolist() == [[1.0, 0.0, 0.0, 0.0]]
        with running(config(tmp_path, "hf:org/small", hub.url)) as again:
            await until(again.status, is_ready)
        assert len(hub.asked) == 2

    run(story())


def test_with_downloads_off_nobody_is_asked_and_the_reason_is_told(
    tmp_path: Path, hub: Any, graph: bytes, tokenizer: bytes, until: Until
) -> None:
    async def story() -> None:
        hub.holds("org/small", graph, tokenizer)
        with running(config(tmp_path, "hf:org/small", hub.url, rules={"may_download": False})) as actor:
            assert isinstance(await actor.embed(["red"]), NotReady)
            told = await until(actor.status, lambda status: "switched off" in status.reason)
            assert told.state is State.OFF
            await actor.embed(["red"])
            await actor.warm(True)
            await until(actor.status, lambda status: status.state is State.OFF)
        assert hub.asked == []

    run(story())


def test_while_a_hub_stalls_calls_and_status_are_answered_at_once(tmp_path: Path, hub: Any, until: Until) -> None:
    async def story() -> None:
        hub.stalls = True
        with running(config(tmp_path, "hf:org/small", hub.url)) as actor:
            await actor.warm()

            async def n_asked() -> int:
                return len(hub.asked)

            await until(n_asked, lambda n: n == 1)
            for _ in range(100):
                answer = await asyncio.wait_for(actor.embed(["red"]), 1.0)
                assert isinstance(answer, NotReady)
                assert answer.status.state is State.LOADING

    run(story())


def test_a_download_shows_in_the_status(tmp_path: Path, hub: Any, graph: bytes, tokenizer: bytes, until: Until) -> None:
    async def story() -> None:
        hub.holds("org/small", graph, tokenizer)
        hub.cut_after = [10**9, 100]
        with running(config(tmp_path, "hf:org/small", hub.url, rules={"max_tries": 2, "pause_s": 60.0})) as actor:
            await actor.warm()
            status = await until(actor.status, lambda status: status.n_bytes == 100)
            assert status.state is State.DOWNLOADING
            assert status.n_total_bytes == len(graph)

    run(story())


def test_a_model_that_is_off_says_so_for_ever(tmp_path: Path) -> None:
    async def story() -> None:
        with running(config(tmp_path, "off")) as actor:
            assert isinstance(await actor.embed(["a"]), NotReady)
            status = await actor.warm(True)
            assert (status.state, status.reason) == (State.OFF, "embeddings are switched off (model = off)")

    run(story())


def test_an_unknown_model_is_refused(tmp_path: Path) -> None:
    async def story() -> None:
        with pytest.raises(Misuse, match="no embedding model 'bert'"):
            EmbeddingActor(config(tmp_path, "bert"))

    run(story())


def test_vectors_travel_in_parts(tmp_path: Path, until: Until) -> None:
    async def story() -> None:
        with running(config(tmp_path), open_engine=lambda *_: Engine()) as actor:
            await until(actor.status, is_ready)
            first, *rest = await actor.embed_in_parts(["a", "bb", "ccc"], 1.0, 2)
            assert isinstance(first, Vectors)
            assert [part.tolist() for part in (first.rows, *rest)] == [[[1.0, 1.0], [2.0, 1.0]], [[3.0, 1.0]]]
            refused, *rest = await actor.embed_in_parts(["a" * 40_000], 1.0, 3)
            assert isinstance(refused, Failed)
            assert rest == [None, None]

    run(story())


def test_a_single_call_may_be_larger_than_the_queue_when_nobody_else_waits() -> None:
    pace = Pace(max_queued=3, n_at_once=1)
    assert pace.may_enter(5)
    pace.enter(5)
    assert not pace.may_enter(1)
    pace.leave(5, took_s=0.0)
    assert pace.may_enter(1)


def test_the_wait_is_what_is_queued_times_what_a_text_took() -> None:
    pace = Pace(max_queued=1_000, n_at_once=1)
    for _ in range(100):
        pace.enter(10)
        pace.leave(10, took_s=0.1)
    assert pace.wait_s == 0.02
    pace.enter(100)
    assert pace.wait_s == pytest.approx(1.0, rel=0.01)
    pace.enter(100_000)
    assert pace.wait_s == 10.0


def test_calls_that_are_computed_side_by_side_make_the_wait_shorter() -> None:
    alone, two = Pace(1_000, n_at_once=1), Pace(1_000, n_at_once=2)
    for pace in (alone, two):
        pace.enter(200)
    assert (alone.wait_s, two.wait_s) == (0.2, 0.1)


def test_answers_pickle() -> None:
    vectors = Vectors("m#1", np.ones((2, 3), np.float32))
    back = pickle.loads(pickle.dumps(vectors))
    assert type(back) is Vectors
    assert (back.rows == vectors.rows).all()
    answer = NotReady(Status(State.LOADING, "m", "why"))
    assert pickle.loads(pickle.dumps(answer)) == answer
