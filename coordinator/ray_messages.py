"""What Ray tells drivers of their actors, sent to a log.

Ray prints such messages ("task submit failed ... will be retried") to the driver's standard output, which belongs to
the program: to its JSON, or to whatever reads its lines.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import ray._private.worker as ray_worker
from ray import JobID

_log = logging.getLogger("scentfield.ray")


@contextmanager
def messages_logged() -> Iterator[None]:
    """Whoever connects within the block hears of Ray's messages by `scentfield.ray`, at level INFO."""
    before = ray_worker.listen_error_messages
    ray_worker.listen_error_messages = _log_messages
    try:
        yield
    finally:
        ray_worker.listen_error_messages = before


def _log_messages(worker: Any, threads_stopped: threading.Event) -> None:
    """Runs in Ray's own thread, in the place of the function that prints."""
    subscriber = worker.gcs_error_subscriber
    ours = (None, worker.current_job_id.binary(), JobID.nil().binary())
    try:
        subscriber.subscribe()
        while not threads_stopped.is_set():
            _, told = subscriber.poll()
            if told is not None and told["job_id"] in ours:
                _log.info("%s", told["error_message"])
    except (OSError, ConnectionError) as error:  # the cluster is gone, which calls notice by themselves
        _log.debug("Ray's messages are heard no more: %s", error)
