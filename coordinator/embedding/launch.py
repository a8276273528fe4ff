"""Puts the embedding actor beside the state actors of a namespace, and takes it away."""

from __future__ import annotations

from typing import Any, Final

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from actors.embedding.actor import EmbeddingActor, EmbeddingConfig
from actors.embedding.limit import EmbeddingLimits
from actors.embedding.model_store import FetchRules
from coordinator.domain import EMBEDDING
from coordinator.embedding.settings import EmbeddingSettings
from coordinator.folder import private_folder
from coordinator.named_actor import await_gone, is_there
from coordinator.settings import Settings

_MAX_CONCURRENT_CALLS: Final = 1_024
_DESCRIBE_S: Final = 10.0


def launch_embedding(settings: Settings, embedding: EmbeddingSettings) -> bool:
    """Have an actor with these settings, or none if it is not wanted; True if one was created. Waits for no model.

    One that runs with other settings is replaced: it keeps nothing that cannot be computed again. The actor restarts
    after a crash, but a call that crashed it is not run again: it might be the cause.
    """
    config = embedding_config(settings, embedding)
    if is_there(EMBEDDING, settings.namespace) and not (embedding.is_wanted and _runs_with(config, settings)):
        stop_embedding(settings)
    if not embedding.is_wanted or is_there(EMBEDDING, settings.namespace):
        return False
    node_id = ray.get_runtime_context().get_node_id()
    ray.remote(EmbeddingActor).options(
        name=EMBEDDING,
        namespace=settings.namespace,
        lifetime="detached",
        get_if_exists=True,
        max_restarts=-1,
        max_task_retries=0,
        max_concurrency=_MAX_CONCURRENT_CALLS,
        num_cpus=0,
        scheduling_strategy=NodeAffinitySchedulingStrategy(node_id, soft=True),
    ).remote(config)
    return True


def _runs_with(config: EmbeddingConfig, settings: Settings) -> bool:
    """Whether the actor that is there has this configuration; yes if it does not say in time, for it may be busy."""
    handle: Any = ray.get_actor(EMBEDDING, namespace=settings.namespace)
    try:
        account: dict[str, Any] = ray.get(handle.describe.remote(), timeout=_DESCRIBE_S)
    except RayError:
        return True
    return bool(account["config"] == config)


def embedding_config(settings: Settings, embedding: EmbeddingSettings) -> EmbeddingConfig:
    """What the actor gets of the settings; models are kept in the state folder."""
    return EmbeddingConfig(
        model=embedding.model,
        folder=str(private_folder(settings.state_dir / "models")),
        rules=FetchRules(embedding.hub_url, embedding.auto_download, stall_s=embedding.stall_s),
        n_threads=embedding.n_threads,
        limits=EmbeddingLimits(max_vectors=embedding.max_vectors),
    )


def stop_embedding(settings: Settings) -> bool:
    """Take the actor away and wait until its name is free; True if there was one. Nothing is lost with it."""
    if not is_there(EMBEDDING, settings.namespace):
        return False
    handle: Any = ray.get_actor(EMBEDDING, namespace=settings.namespace)
    ray.kill(handle, no_restart=True)
    await_gone(EMBEDDING, settings.namespace)
    return True
