"""Waits for an embedding model to be where a bench wants it."""

from __future__ import annotations

import time
from typing import Final

from actors.embedding.status import State
from actors.runtime.errors import Unavailable
from coordinator.embedding.embedder import Embedder

_READY_S: Final = 60.0
_POLL_S: Final = 0.05


def await_state(embedder: Embedder, wanted: State) -> None:
    """Wait until the model has come so far. Raises `Unavailable` if it takes a minute, or fails where it should not."""
    deadline_s = time.monotonic() + _READY_S
    while (status := embedder.status()).state is not wanted:
        if time.monotonic() > deadline_s or status.state is State.FAILED:
            raise Unavailable(f"the model {status.model!r} is {status.state}, not {wanted}: {status.reason}")
        time.sleep(_POLL_S)
