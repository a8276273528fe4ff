"""What an agent can read of the coordinator as a resource: the field, and what to begin with."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from actors.runtime.errors import Misuse
from coordinator.aio import AsyncCoordinator
from coordinator.gateway.tool.agent import field_document

SYNC_URI: Final = "scentfield://sync"
WAKEUP_URI: Final = "scentfield://wakeup"
TASK_TEMPLATE: Final = "scentfield://wakeup/{task}"
_TASK_PREFIX: Final = f"{WAKEUP_URI}/"
_MAX_TASK: Final = 2_000


@dataclass(frozen=True, slots=True)
class ResourceText:
    """What a client is told of a resource."""

    name: str
    about: str
    media_type: str


RESOURCES: Final[dict[str, ResourceText]] = {
    SYNC_URI: ResourceText("sync", "Who works on what now, strongest signal first", "application/json"),
    WAKEUP_URI: ResourceText("wakeup", "What agents know of this project, to begin with", "text/markdown"),
}
TEMPLATES: Final[dict[str, ResourceText]] = {
    TASK_TEMPLATE: ResourceText(
        "wakeup_for_task", "The same, what is near a task first (percent-encoded)", "text/markdown"
    ),
}


def task_of(uri: str) -> str | None:
    """The task that a wakeup is asked for; empty for none in particular, None if `uri` is no wakeup."""
    if uri == WAKEUP_URI:
        return ""
    task = unquote(uri.removeprefix(_TASK_PREFIX)) if uri.startswith(_TASK_PREFIX) else ""
    return task if task.strip() else None


def is_known(uri: str) -> bool:
    """Whether there is such a resource."""
    return uri in RESOURCES or task_of(uri) is not None


async def read(agent: AsyncCoordinator, uri: str) -> str:
    """The text of a resource that is known. Raises `Misuse` for a task that is too long, and as the client does."""
    task = task_of(uri)
    if task is None:
        return json.dumps(field_document(await agent.sync(), agent.agent_id))
    if len(task) > _MAX_TASK:
        raise Misuse(f"a task has at most {_MAX_TASK} characters, not {len(task)}: {TASK_TEMPLATE}")
    return (await agent.wakeup(task)).text or "nothing is known yet"


def media_type(uri: str) -> str:
    """Of a resource that is known."""
    return (RESOURCES.get(uri) or TEMPLATES[TASK_TEMPLATE]).media_type
