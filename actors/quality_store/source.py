"""Who chose the mode of a read: the agent, or a rule of `auto`."""

from __future__ import annotations

from typing import Final

from actors.quality_store.arm import holds_out
from actors.runtime.holdout import EXPECTED_COST as EXPECTED_COST_LAYER

EXPLICIT: Final = "explicit"
EXPLICIT_IN_VAIN: Final = "explicit_does_not_pay"
"""The agent named a mode whose view would have been no shorter, and was shown the whole file instead."""
ESCALATION: Final = "edit_fail_escalation"
BOUNCE: Final = "bounce"
PATH_MEMORY: Final = "path_memory"
EXPECTED_COST: Final = "expected_cost"
PENALTY: Final = "edit_quality_penalty"
CHANGED_BY_OTHER: Final = "changed_by_other"
"""Another agent has changed the file since this one read it, and it is shown all that changed."""
HOT: Final = "hot"
"""Others are at work on the file: nothing of it is left out."""
CONTENTION: Final = frozenset({CHANGED_BY_OTHER, HOT})


def is_named(source: str) -> bool:
    """Whether the agent named the mode itself."""
    return source in {"", EXPLICIT, EXPLICIT_IN_VAIN}


def is_free(source: str, arm: str) -> bool:
    """Whether a `full` of this source says what the agent needs.

    It does if the agent asked for it, or if `auto` took it for the cheapest on what it has learned; not if a rule or
    the holdout forced it.
    """
    by_cost = source == EXPECTED_COST and not holds_out(arm, EXPECTED_COST_LAYER)
    return by_cost or (is_named(source) and source != EXPLICIT_IN_VAIN)
