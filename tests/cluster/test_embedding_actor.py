"""The embedding actor on real Ray: asked from another process, killed, and taken away."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import psutil
import pytest

from actors.embedding.messages import Vectors
from actors.embedding.status import State, Status
from actors.runtime.errors import Misuse, Unavailable
from coordinator.embedding.embedder import Embedder
from coordinator.embedding.ray_line import RayEmbeddingLine
from coordinator.embedding.settings import EmbeddingSettings
from coordinator.settings import Settings

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(180)]
LINES = [f"def function_{number}(argument):" for number in range(600)]


@pytest.fixture
def connected(settings: Settings) -> Iterator[Settings]:
    """A process that is connected; an embedding actor that the test launches is gone afterwards."""
    from coordinator.cluster import attach
    from coordinator.embedding.launch import stop_embedding

    attach(settings)
    yield settings
    stop_embedding(settings)


@pytest.fixture
def embedder(connected: Settings, wait_until: Callable[..., Any]) -> Embedder:
    """A client of an actor whose model is ready."""
    from coordinator.embedding.launch import launch_embedding

    assert launch_embedding(connected, EmbeddingSettings())
    client = Embedder(RayEmbeddingLine(connected.namespace))
    wait_until(lambda: client.status().is_ready, 60.0)
    return client


def describe(settings: Settings) -> dict[str, Any]:
    import ray

    handle: Any = ray.get_actor("embedding", namespace=settings.namespace)
    account: dict[str, Any] = ray.get(handle.describe.remote(), timeout=30.0)
    return account


def test_texts_come_back_as_vectors_with_their_model(embedder: Embedder, connected: Settings) -> None:
    status = embedder.status()
    assert (status.state, status.model, status.reason, status.n_dims) == (State.READY, "static", "", 256)
    answer = embedder.embed(LINES)
    assert answer.model_id == status.model_id
    assert answer.rows.shape == (600, 256)
    assert answer.rows.dtype == np.float32
    assert np.linalg.norm(answer.rows, axis=1) == pytest.approx(np.ones(600), abs=1e-5)
    tried = embedder.try_embed(LINES, 20.0)
    assert tried is not None
    assert (tried.rows == answer.rows).all()
    assert describe(connected)["n_cached"] == 600
    similar = embedder.similar("open the settings file", ["bake bread", "load_settings(path)", "a cat"], 1)
    assert [one.place for one in similar.nearest] == [1]
    assert [
        one.place for one in embedder.near_duplicates(["return None", "raise ValueError", "return None"]).dropped
    ] == [2]
    with pytest.raises(Misuse, match="cut or split it"):
        embedder.embed(["x" * 40_000])


def test_a_killed_actor_costs_a_hot_path_nothing_and_comes_back_by_itself(
    embedder: Embedder, connected: Settings, wait_until: Callable[..., Any]
) -> None:
    before = embedder.embed(LINES[:10])
    pid = int(describe(connected)["pid"])
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    longest_s = 0.0
    back: list[Vectors] = []

    def tried() -> bool:
        nonlocal longest_s
        started_s = time.monotonic()
        vectors = embedder.try_embed(LINES[:10], 0.2)
        longest_s = max(longest_s, time.monotonic() - started_s)
        back.extend([] if vectors is None else [vectors])
        return bool(back)

    wait_until(tried, 60.0)
    assert longest_s < 2.0
    assert back[0].model_id == before.model_id
    assert (back[0].rows == before.rows).all()
    assert int(describe(connected)["pid"]) != pid


def test_it_is_replaced_when_its_settings_are_others(
    embedder: Embedder, connected: Settings, wait_until: Callable[..., Any]
) -> None:
    from coordinator.embedding.launch import launch_embedding

    before = describe(connected)["pid"]
    assert not launch_embedding(connected, EmbeddingSettings())
    assert describe(connected)["pid"] == before
    assert launch_embedding(connected, EmbeddingSettings(max_vectors=100))
    assert describe(connected)["pid"] != before
    wait_until(lambda: embedder.status().is_ready, 60.0)
    assert len(embedder.embed(LINES).rows) == 600
    assert describe(connected)["n_kept_vectors"] == 100
    assert not launch_embedding(connected, EmbeddingSettings(model="off"))
    assert embedder.status().state is State.OFF


def test_it_is_launched_once_and_taken_away(connected: Settings) -> None:
    from coordinator.embedding.launch import launch_embedding, stop_embedding

    client = Embedder(RayEmbeddingLine(connected.namespace))
    assert not launch_embedding(connected, EmbeddingSettings(model="off"))
    told = client.status()
    assert told.state is State.OFF
    assert "no embedding actor runs in namespace" in told.reason
    assert launch_embedding(connected, EmbeddingSettings())
    assert not launch_embedding(connected, EmbeddingSettings())
    assert isinstance(client.status(60.0), Status)
    assert stop_embedding(connected)
    assert not stop_embedding(connected)
    with pytest.raises(Unavailable):
        client.embed(["a"], timeout_s=5.0)
