"""Puts the exporter beside the state actors of a namespace and takes it away when it cannot do its work."""

from __future__ import annotations

import logging
import time
from typing import Any, Final, cast

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from actors.runtime.errors import Unavailable
from coordinator.metrics.exporter import EXPORTER, Exporter, ExporterConfig
from coordinator.named_actor import is_there
from coordinator.settings import Settings

_READY_S: Final = 60.0
_LOG: Final = logging.getLogger(__name__)


def start_exporter(settings: Settings) -> bool:
    """Create the exporter unless it is there or not wanted; True if it was created. Does not wait for it."""
    if not settings.metrics or is_there(EXPORTER, settings.namespace):
        return False
    node_id = ray.get_runtime_context().get_node_id()
    config = ExporterConfig(settings.namespace, settings.metrics_host, settings.metrics_port)
    ray.remote(Exporter).options(
        name=EXPORTER,
        namespace=settings.namespace,
        lifetime="detached",
        get_if_exists=True,
        max_restarts=-1,
        max_task_retries=-1,
        num_cpus=0,
        scheduling_strategy=NodeAffinitySchedulingStrategy(node_id, soft=True),
    ).remote(config)
    return True


def exporter_url(settings: Settings) -> str:
    """Where the exporter serves, once it does; empty if there is none.

    Raises `Unavailable` if it cannot listen on the port that was asked for; where none was asked for, it warns instead,
    and the exporter goes on trying: a coordinator is worth more than its metrics.
    """
    if not is_there(EXPORTER, settings.namespace):
        return ""
    account = _account(settings)
    if account["trouble"]:
        if settings.model_fields_set & {"metrics_host", "metrics_port"}:
            ray.kill(ray.get_actor(EXPORTER, namespace=settings.namespace), no_restart=True)
            raise Unavailable(account["trouble"])
        _LOG.warning("%s", account["trouble"])
    return str(account["url"])


def _account(settings: Settings) -> dict[str, Any]:
    handle: Any = ray.get_actor(EXPORTER, namespace=settings.namespace)
    started_s = time.monotonic()
    try:
        return cast(dict[str, Any], ray.get(handle.describe.remote(), timeout=_READY_S))
    except RayError as error:
        waited_s = time.monotonic() - started_s
        raise Unavailable(
            f"the exporter did not start within {waited_s:.0f} s ({type(error).__name__}): "
            "look at Ray's logs, or set metrics to false"
        ) from error
