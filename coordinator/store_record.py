"""What a cluster has on record of its stores: `up` takes no others, so that nothing starts over the wrong state.

Needs a connection to the cluster, and is lost with it: then the stores' own owner rows decide.
"""

from __future__ import annotations

from ray.experimental import internal_kv


def recorded_store(namespace: str, domain: str) -> str | None:
    """The identity of the store that the cluster keeps the domain's state in; None before the first `up`."""
    recorded: bytes | None = internal_kv._internal_kv_get(_key(namespace, domain))
    return None if recorded is None else recorded.decode()


def record_store(namespace: str, domain: str, store_id: str, *, may_replace: bool) -> None:
    """Put a store on record; one that is there stays unless it may be replaced."""
    internal_kv._internal_kv_put(_key(namespace, domain), store_id.encode(), overwrite=may_replace)


def forget_store(namespace: str, domain: str) -> None:
    """Take a store off the record: the next `up` begins a new one."""
    internal_kv._internal_kv_del(_key(namespace, domain))


def forget_stores(namespace: str) -> None:
    """The same for all stores of a namespace."""
    internal_kv._internal_kv_del(_prefix(namespace).encode(), del_by_prefix=True)


def _key(namespace: str, domain: str) -> bytes:
    return f"{_prefix(namespace)}{domain}:store".encode()


def _prefix(namespace: str) -> str:
    return f"scentfield:{namespace}:"
