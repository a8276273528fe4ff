"""Makes the machine of the actor `scent_field` from plain options, as they cross to its process."""

from __future__ import annotations

from collections.abc import Mapping

from actors.coordination.machine import Coordination
from actors.scent_field.limits import FieldLimits
from actors.scent_field.signal import HALF_LIVES_S, SignalKind


def make_coordination(
    *,
    max_sessions: int = 20_000,
    lock_delay_s: float = 2.0,
    half_lives_s: Mapping[str, float] | None = None,
    **limits: float,
) -> Coordination:
    """An empty machine; `half_lives_s` by signal kind, `limits` by the names of `FieldLimits`."""
    half_lives = {**HALF_LIVES_S, **{SignalKind(kind): span_s for kind, span_s in (half_lives_s or {}).items()}}
    field_limits = FieldLimits(
        lock_delay_s=lock_delay_s,
        half_lives_s=half_lives,
        **limits,  # type: ignore[arg-type]  # plain numbers by name; the settings have checked them
    )
    return Coordination(field_limits, max_sessions=max_sessions)
