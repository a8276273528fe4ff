"""How the embedding model is, as metrics, from its actor's account of itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from prometheus_client.core import Metric as Family

from coordinator.metrics.metric import Metric, counter, gauge

STATE: Final = gauge("embedding_state", "1 for the state that the embedding model is in", "state", "model")
_KEYS: Final[Mapping[str, Metric]] = {
    "n_queued_texts": gauge("embedding_queue", "Texts that wait for their vectors"),
    "n_kept_vectors": gauge("embedding_cache", "Vectors that are kept"),
    "n_computed": counter("embedding_computed", "Vectors that the model computed"),
    "n_cached": counter("embedding_cached", "Vectors that were answered from the cache"),
}

MODEL_COUNTS: Final = tuple(key for key, metric in _KEYS.items() if metric.kind == "counter")
"""What its process counts from its start on."""
MODEL_METRICS: Final = (STATE, *_KEYS.values())


def model_families(account: Mapping[str, Any]) -> Iterator[Family]:
    """The embedding actor's metrics."""
    status = account["status"]
    yield STATE.family([((str(status.state), status.model), 1.0)])
    for key, metric in _KEYS.items():
        yield metric.family([((), account[key])])
