"""Whether an actor of a name exists in a namespace. Needs a connection to the cluster."""

from __future__ import annotations

import time
from typing import Final

import ray

GONE_S: Final = 60.0
_POLL_S: Final = 0.05


def is_there(name: str, namespace: str) -> bool:
    """Whether the name is taken; an actor that restarts has its name."""
    try:
        ray.get_actor(name, namespace=namespace)
    except ValueError:
        return False
    return True


def await_gone(name: str, namespace: str, *, within_s: float = GONE_S) -> bool:
    """Wait until the name is free, so that the next of that name is a new actor; False if it is not by then."""
    deadline_s = time.monotonic() + within_s
    while is_there(name, namespace):
        if time.monotonic() >= deadline_s:
            return False
        time.sleep(_POLL_S)
    return True
