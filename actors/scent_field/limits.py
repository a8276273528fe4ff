"""What the scent field holds at most, and its times."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from actors.scent_field.signal import CLAIM_INTENSITY, HALF_LIVES_S, SignalKind

FADED_BELOW = 0.3


@dataclass(frozen=True, slots=True)
class FieldLimits:
    """Over a limit the answer is `Busy`, or a refusal that names the limit.

    `lock_delay_s` follows a missed deadline; `idle_s` is how long a claim may rest while somebody waits for it; for
    `fresh_s` after its last progress a holder without heartbeats counts as alive. `max_globs` bounds the work that one
    claim can ask for.
    """

    lock_delay_s: float = 2.0
    idle_s: float = 7_200.0
    fresh_s: float = 60.0
    max_wait_s: float = 600.0
    max_watch_s: float = 60.0
    max_targets: int = 256
    max_globs: int = 16
    max_each: int = 1_024
    max_leases: int = 500_000
    max_waiters: int = 1_024
    max_waiters_of_session: int = 16
    max_watchers: int = 1_024
    max_spaces: int = 10_000
    max_signals: int = 1_000_000
    max_signals_of_session: int = 4_096
    max_intent: int = 200
    max_conflicts: int = 20
    max_rows: int = 1_000
    half_lives_s: Mapping[SignalKind, float] = field(default_factory=lambda: dict(HALF_LIVES_S))

    @property
    def fade_s(self) -> float:
        """How long a claim without heartbeats lives after its last progress: 27 min 22 s by default."""
        return self.half_lives_s[SignalKind.CLAIMED] * math.log2(CLAIM_INTENSITY / FADED_BELOW)
