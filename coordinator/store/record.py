"""Puts restored stores on the record of a cluster that lives on."""

from __future__ import annotations

from coordinator.cluster import attach
from coordinator.settings import Settings
from coordinator.store_record import forget_store, record_store


def record_stores(settings: Settings, store_ids: dict[str, str | None]) -> None:
    """Put each domain's store on the cluster's record; None takes it off, and the next `up` begins a new one.

    Raises `Unavailable` if there is no cluster.
    """
    attach(settings)
    for domain, store_id in store_ids.items():
        if store_id is None:
            forget_store(settings.namespace, domain)
        else:
            record_store(settings.namespace, domain, store_id, may_replace=True)
