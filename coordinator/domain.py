"""The state actors: what each is called, which machine it runs, and which messages it speaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from actors.coordination.messages import SCHEMA as COORDINATION_SCHEMA
from actors.memory.messages import SCHEMA as MEMORY_SCHEMA
from actors.quality_store.messages import SCHEMA as QUALITY_SCHEMA
from actors.runtime.wire import Schema
from actors.thresholds.messages import SCHEMA as THRESHOLDS_SCHEMA

if TYPE_CHECKING:
    from coordinator.settings import Settings

SCENT_FIELD: Final = "scent_field"
QUALITY_STORE: Final = "quality_store"
THRESHOLDS: Final = "thresholds"
MEMORY: Final = "memory"
EMBEDDING: Final = "embedding"
GATEWAY: Final = "gateway"


@dataclass(frozen=True, slots=True)
class Domain:
    """One state actor: its name in Ray, its schema, and `module:factory` of its machine."""

    name: str
    schema: Schema
    machine: str


DOMAINS: Final[Mapping[str, Domain]] = MappingProxyType(
    {
        SCENT_FIELD: Domain(SCENT_FIELD, COORDINATION_SCHEMA, "actors.coordination.factory:make_coordination"),
        QUALITY_STORE: Domain(QUALITY_STORE, QUALITY_SCHEMA, "actors.quality_store.factory:make_quality_store"),
        THRESHOLDS: Domain(THRESHOLDS, THRESHOLDS_SCHEMA, "actors.thresholds.factory:make_thresholds"),
        MEMORY: Domain(MEMORY, MEMORY_SCHEMA, "actors.memory.factory:make_memory"),
    }
)


def machine_options(domain: str, settings: Settings) -> dict[str, Any]:
    """What the machine's factory is called with; draws this data folder's key and origin on first use.

    Raises `Corrupt` for a key or an origin that cannot be read.
    """
    # Cryptography is a slow import that clients do not need.
    from coordinator.learning.ledger_key import own_ledger_key
    from coordinator.learning.origin import own_origin

    if domain == QUALITY_STORE:
        return {"ledger_key": own_ledger_key(settings.state_dir), "penalty_holdout": settings.holdout_share}
    if domain == THRESHOLDS:
        return {"origin": own_origin(settings.state_dir)}
    if domain == MEMORY:
        return {}
    return {
        "max_sessions": settings.max_sessions,
        "max_leases": settings.max_leases,
        "lock_delay_s": settings.lock_delay_s,
        "idle_s": settings.idle_s,
        "half_lives_s": dict(settings.half_lives_s),
    }
