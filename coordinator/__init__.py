"""What people import and run: the coordinator of agents that work on the same thing.

    from coordinator import Coordinator

    with Coordinator.connect(agent="ann") as agent:
        with agent.claim("src/a.py", intent="fix the parser"):
            ...

Names are loaded on first use, so that what needs only a part (a hook, a command) starts at once.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from coordinator._sibling import check_siblings

check_siblings()

if TYPE_CHECKING:
    from actors.memory.entry import Draft
    from actors.memory.fact import FactDraft
    from actors.runtime.errors import (
        BadTarget,
        Busy,
        Corrupt,
        Misuse,
        ScentfieldError,
        StaleGeneration,
        Unavailable,
        UnknownAgent,
    )
    from coordinator.aio import AsyncCoordinator
    from coordinator.answer import AsyncClaimed, Claimed, ClaimRefused, NotGranted
    from coordinator.client import Coordinator
    from coordinator.settings import Settings

_HOMES = {
    "AsyncClaimed": "coordinator.answer",
    "AsyncCoordinator": "coordinator.aio",
    "BadTarget": "actors.runtime.errors",
    "Busy": "actors.runtime.errors",
    "ClaimRefused": "coordinator.answer",
    "Claimed": "coordinator.answer",
    "Coordinator": "coordinator.client",
    "Corrupt": "actors.runtime.errors",
    "Draft": "actors.memory.entry",
    "FactDraft": "actors.memory.fact",
    "Misuse": "actors.runtime.errors",
    "NotGranted": "coordinator.answer",
    "ScentfieldError": "actors.runtime.errors",
    "Settings": "coordinator.settings",
    "StaleGeneration": "actors.runtime.errors",
    "Unavailable": "actors.runtime.errors",
    "UnknownAgent": "actors.runtime.errors",
}

__all__ = [
    "AsyncClaimed",
    "AsyncCoordinator",
    "BadTarget",
    "Busy",
    "ClaimRefused",
    "Claimed",
    "Coordinator",
    "Corrupt",
    "Draft",
    "FactDraft",
    "Misuse",
    "NotGranted",
    "ScentfieldError",
    "Settings",
    "StaleGeneration",
    "Unavailable",
    "UnknownAgent",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'coordinator' has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)
