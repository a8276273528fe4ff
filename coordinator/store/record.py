"""What a cluster has on record of its stores: `up` takes no others, so that nothing starts over the wrong state."""

from __future__ import annotations

from ray.experimental import internal_kv

from coordinator import cluster
from coordinator.domain import DOMAINS
from coordinator.settings import Settings


def record_stores(settings: Settings, store_ids: dict[str, str | None]) -> None:
    """Put each domain's store on the cluster's record; None takes it off, and the next `up` begins a new one.

    Raises `Unavailable` if there is no cluster.
    """
    cluster.attach(settings)
    for name, store_id in store_ids.items():
        key = cluster._store_key(settings, DOMAINS[name])
        if store_id is None:
            internal_kv._internal_kv_del(key)
        else:
            internal_kv._internal_kv_put(key, store_id.encode(), overwrite=True)
