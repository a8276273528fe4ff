"""Which side of an answer is weakest, and what the contract's table does about it."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final, NamedTuple

from actors.quality_store.strategy import CHAIN, EXPAND, LIGHTEN, NO_WEAKNESS, OVERALL, REQUERY, TABLE
from coordinator.feedback.quality import Dimension, Quality


class Strategy(StrEnum):
    """What one refinement does; the order is that of escalation."""

    EXPAND_RETRIEVAL = EXPAND
    LIGHTEN_COMPRESSION = LIGHTEN
    FULL_REQUERY = REQUERY


Plan = tuple[Strategy, ...]
"""The strategies of one step, in the order of the chain."""

LIMITS: Final = MappingProxyType({Dimension.RELEVANCE: 0.5, Dimension.COMPLETENESS: 0.5, Dimension.COHERENCE: 0.4})
"""A dimension below its value here is weak. Accuracy has none: the contract's proxy never moves."""
OVERALL_LIMIT: Final = 0.3


class Diagnosis(NamedTuple):
    """`weakness` is a dimension's name, "overall" or "none"; `reason` says it with numbers, in one line."""

    weakness: str
    strategies: Plan
    reason: str


def plan_of(name: str) -> Plan:
    """A plan by its name, such as "expand_retrieval+lighten_compression". Raises `ValueError` for another."""
    return tuple(Strategy(part) for part in name.split("+"))


def name_of(plan: Plan) -> str:
    """The plan's name; "" for a plan that does nothing."""
    return "+".join(plan)


def diagnose(quality: Quality) -> Diagnosis:
    """The weakest side: overall first, then the dimension that falls shortest of its limit as a share of that limit.

    Of two that fall equally short, the one that stands first in the table.
    """
    if quality.overall < OVERALL_LIMIT:
        return _found(OVERALL, f"overall {quality.overall:.3f} is below {OVERALL_LIMIT}")
    shortfalls = {weak: 1.0 - quality[weak] / limit for weak, limit in LIMITS.items() if quality[weak] < limit}
    if not shortfalls:
        return _found(NO_WEAKNESS, f"overall {quality.overall:.3f}, and no dimension is below its limit")
    weakest = max(shortfalls, key=lambda weak: shortfalls[weak])
    return _found(weakest, f"{weakest} {quality[weakest]:.2f} is below {LIMITS[weakest]}")


def _found(weakness: str, reason: str) -> Diagnosis:
    return Diagnosis(str(weakness), plan_of(TABLE[weakness]), reason)


def next_in_chain(plan: Plan) -> Plan | None:
    """What follows a plan that did not help: one strategy further than its last; None after the last of all."""
    place = CHAIN.index(plan[-1]) + 1
    return (Strategy(CHAIN[place]),) if place < len(CHAIN) else None
