"""The numbers of the quality-loop contract, version 1, of bounces, and our own bounds."""

from __future__ import annotations

from dataclasses import dataclass

DAY_S = 86_400.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How much evidence a rule needs, and how much is kept for how long.

    Fail rates are failures / (failures + successes), bounce rates bounces / reads. An age that equals its limit is
    still within it.
    """

    min_fails: int = 2
    enter_fail_rate: float = 0.25
    exit_fail_rate: float = 0.15
    pair_decay_s: float = 30 * DAY_S
    max_pairs: int = 200
    escalation_ttl_s: float = 3600.0
    max_escalations: int = 100
    min_bounce_reads: int = 3
    full_bounce_rate: float = 0.30
    max_extensions: int = 200
    path_decay_s: float = 30 * DAY_S
    max_paths: int = 500
    max_agents: int = 5_000
    max_files: int = 32
    max_notes: int = 10_000
    ledger_days: int = 30
    ledger_months: int = 24
    max_records: int = 800
    penalty_holdout: float = 0.05
    max_rows: int = 200
    max_sources: int = 32
    max_units: int = 50_000
    max_pins: int = 20_000
    max_answering: int = 500
    answer_window_s: float = DAY_S

    def __post_init__(self) -> None:
        """Raise `ValueError` for a number that nothing can be built on."""
        if not 0.0 <= self.penalty_holdout <= 1.0:
            raise ValueError(f"penalty_holdout={self.penalty_holdout!r} is no share: give one from 0 to 1")
        for name in ("ledger_days", "ledger_months", "max_records"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)!r} must be 1 at least")
