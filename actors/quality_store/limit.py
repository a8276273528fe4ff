"""The numbers of the quality-loop contract, version 1, and our own bounds."""

from __future__ import annotations

from dataclasses import dataclass

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How much evidence a penalty needs, and how much is kept for how long.

    Rates are failures / (failures + successes). An age that equals its limit is still within it.
    """

    min_fails: int = 2
    enter_fail_rate: float = 0.25
    exit_fail_rate: float = 0.15
    pair_decay_s: float = 30 * DAY_S
    max_pairs: int = 200
    escalation_ttl_s: float = 3600.0
    max_escalations: int = 100
    max_rows: int = 200
    max_sources: int = 32
    max_pins: int = 20_000
