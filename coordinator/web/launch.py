"""Puts a web server's actor beside the state actors of a namespace, and takes it away when it cannot do its work."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import Any, Final, cast

import ray
from ray.exceptions import RayError
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from actors.runtime.errors import Unavailable
from coordinator.named_actor import is_there

_READY_S: Final = 60.0
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class WebActor:
    """One web server of a namespace; `advice` says how to do without it."""

    name: str
    namespace: str
    advice: str

    def start(self, actor_class: type, config: Any, *, max_concurrency: int | None = None) -> bool:
        """Create it unless it is there; True if it was created. Does not wait for it."""
        if is_there(self.name, self.namespace):
            return False
        node_id = ray.get_runtime_context().get_node_id()
        limit = {} if max_concurrency is None else {"max_concurrency": max_concurrency}
        ray.remote(actor_class).options(
            name=self.name,
            namespace=self.namespace,
            lifetime="detached",
            get_if_exists=True,
            max_restarts=-1,
            max_task_retries=-1,
            num_cpus=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node_id, soft=True),
            **limit,
        ).remote(config)
        return True

    def url(self, *, was_asked_for: bool) -> str:
        """Where it serves, once it does; empty if there is none, or it does not listen yet.

        Raises `Unavailable` if it cannot listen on the port that was asked for, and takes it away; where none was asked
        for, it warns instead, and the actor goes on trying: a coordinator is worth more than its pages.
        """
        if not is_there(self.name, self.namespace):
            return ""
        account = self.account()
        if account["trouble"]:
            if was_asked_for:
                ray.kill(ray.get_actor(self.name, namespace=self.namespace), no_restart=True)
                raise Unavailable(account["trouble"])
            _LOG.warning("%s", account["trouble"])
        return str(account["url"])

    def account(self) -> dict[str, Any]:
        """What it says of itself. Raises `Unavailable` if it does not start."""
        handle: Any = ray.get_actor(self.name, namespace=self.namespace)
        started_s = time.monotonic()
        try:
            return cast(dict[str, Any], ray.get(handle.describe.remote(), timeout=_READY_S))
        except RayError as error:
            waited_s = time.monotonic() - started_s
            raise Unavailable(
                f"the {self.name} did not start within {waited_s:.0f} s ({type(error).__name__}): "
                f"look at Ray's logs, or {self.advice}"
            ) from error
