"""The embedding model for agents that come by the gateway's URL, over real HTTP; the model itself is a stand-in."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from actors.embedding.messages import NotReady, SimilarTexts, Vectors
from actors.embedding.nearness import Similar
from actors.embedding.status import State, Status
from actors.runtime.errors import Misuse, Unavailable
from actors.runtime.wire import Failed
from coordinator import Coordinator, Settings
from coordinator.embedding.gateway_line import gateway_embedder
from coordinator.embedding.line import EmbedCall
from coordinator.embedding.wire import pack_call
from coordinator.gateway.embedding_api import MAX_AT_ONCE
from coordinator.gateway.openapi import EMBEDDING_PATH
from coordinator.http_transport import HttpTransport

TOKEN = "a-token-of-this-test-0123456789abcdef"
READY = Status(State.READY, "m", "", "m#1", 4)


class Model:
    """The line to an actor that answers as it is told; holds every call back while `go_on` is not set."""

    def __init__(self) -> None:
        self.status = READY
        self.go_on = threading.Event()
        self.go_on.set()
        self.n_at_once = self.n_most = 0
        self._lock = threading.Lock()

    def connect(self) -> None:
        return

    def ask(self, method: str, arguments: tuple[Any, ...], timeout_s: float) -> Any:
        with self._lock:
            self.n_at_once += 1
            self.n_most = max(self.n_most, self.n_at_once)
        try:
            if not self.go_on.wait(timeout_s):
                raise Unavailable(f"the embedding actor gave no answer within {timeout_s:g} s")
            return self._answer(method, arguments)
        finally:
            with self._lock:
                self.n_at_once -= 1

    def _answer(self, method: str, arguments: tuple[Any, ...]) -> Any:
        if method in ("status", "warm"):
            return self.status
        if not self.status.is_ready:
            return NotReady(self.status)
        if method == "similar":
            return SimilarTexts("m#1", (Similar(len(arguments[1]) - 1, 0.5),))
        return Vectors("m#1", np.array([[len(text), 0, 0, 1] for text in arguments[0]], np.float32).reshape(-1, 4))

    def embed(self, calls: Sequence[EmbedCall], timeout_s: float) -> list[Any]:
        return [self.ask("embed", (call.texts, call.within_s), timeout_s) for call in calls]

    async def embed_async(self, calls: Sequence[EmbedCall], timeout_s: float) -> list[Any]:
        return await asyncio.to_thread(self.embed, calls, timeout_s)


@pytest.fixture
def model() -> Model:
    return Model()


@pytest.fixture
def agent_of(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Coordinator]:
    """`agent_of(gateway)` connects through a gateway."""
    monkeypatch.setenv("SCENTFIELD_GATEWAY_TOKEN", TOKEN)

    def connect(gateway: Any) -> Coordinator:
        settings = Settings(data_dir=gateway.root.parent / "client", space="test", ttl_s=30.0, call_timeout_s=10.0)
        return Coordinator.connect(gateway.url, agent="ann", root=gateway.root, settings=settings)

    return connect


def test_an_agent_by_url_has_the_model(
    open_gateway: Callable[..., Any], agent_of: Callable[..., Coordinator], model: Model
) -> None:
    with agent_of(open_gateway(embedding=model)) as ann:
        vectors = ann.embed(["a", "übe"])
        assert (vectors.model_id, vectors.rows.tolist()) == ("m#1", [[1, 0, 0, 1], [3, 0, 0, 1]])
        assert len(ann.embed(["x"] * 1_200).rows) == 1_200, "in several calls"
        assert ann.similar("q", ["a", "b"]).nearest == (Similar(1, 0.5),)
        assert ann.embedding_status() == READY


def test_without_a_model_it_is_said_how_to_have_one(
    open_gateway: Callable[..., Any], agent_of: Callable[..., Coordinator]
) -> None:
    with agent_of(open_gateway()) as ann:
        with pytest.raises(Unavailable, match=r"there is no embedding model here: set model under \[embedding\]"):
            ann.embed(["a"])
        assert "there is no embedding model here" in ann.embedding_status().reason
        assert "return 1" in ann.read("src/a.py", "full").text


def test_a_model_that_is_not_ready_is_told_as_it_is(
    open_gateway: Callable[..., Any], agent_of: Callable[..., Coordinator], model: Model
) -> None:
    model.status = Status(State.FAILED, "m", "changed hash")
    with agent_of(open_gateway(embedding=model)) as ann, pytest.raises(Unavailable, match=r"is failed \(changed hash"):
        ann.embed(["a"])


def test_what_the_actor_refuses_comes_through_as_it_was_meant(
    open_gateway: Callable[..., Any],
    agent_of: Callable[..., Coordinator],
    model: Model,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(model, "_answer", lambda *_: Failed("misuse", "texts are too long"))
    with agent_of(open_gateway(embedding=model)) as ann, pytest.raises(Misuse, match="texts are too long"):
        ann.embed(["a"])


def test_a_hot_path_waits_no_longer_than_it_says_for_a_model_that_hangs(
    open_gateway: Callable[..., Any], model: Model
) -> None:
    gateway = open_gateway(embedding=model)
    embedder = gateway_embedder(HttpTransport(gateway.url, TOKEN, slack_s=0.05))
    assert embedder.status() == READY
    assert embedder.try_embed(["a"], 30.0) is not None
    model.go_on.clear()
    started_s = time.monotonic()
    assert embedder.try_embed(["a"], 0.2) is None
    assert time.monotonic() - started_s < 5.0, "and not the ten seconds of a call to an actor"
    model.go_on.set()


def test_calls_that_are_under_way_at_once_are_bounded(open_gateway: Callable[..., Any], model: Model) -> None:
    gateway = open_gateway(embedding=model)
    embedder = gateway_embedder(HttpTransport(gateway.url, TOKEN))
    embedder.status()
    model.go_on.clear()

    async def story() -> int:
        asked = [asyncio.create_task(embedder.try_embed_async(["a"], 30.0)) for _ in range(MAX_AT_ONCE * 2)]
        async with asyncio.timeout(30.0):
            while model.n_at_once < min(MAX_AT_ONCE, 5):
                await asyncio.sleep(0.01)
        model.go_on.set()
        return sum(one is not None for one in await asyncio.gather(*asked))

    assert asyncio.run(story()) == MAX_AT_ONCE * 2
    assert model.n_most <= MAX_AT_ONCE


def test_it_is_behind_the_token_and_takes_calls_only(open_gateway: Callable[..., Any], model: Model) -> None:
    gateway = open_gateway(embedding=model)
    assert gateway.post(EMBEDDING_PATH, pack_call("status", ())).status_code == 401
    authorized = {"Authorization": f"Bearer {TOKEN}"}
    assert gateway.post(EMBEDDING_PATH, pack_call("status", ()), **authorized).status_code == 200
    for raw in (b"", b"\xc1", pack_call("close", ()), pack_call("embed", ("a", 1.0))):
        told = gateway.post(EMBEDDING_PATH, raw, **authorized)
        assert (told.status_code, bool(told.json()["error"])) == (400, True), raw
