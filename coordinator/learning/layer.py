"""The learned layers, and which state actor serves each: there it is switched on and off."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from actors.runtime.holdout import (
    BEGIN_SHARE,
    EDIT_PENALTY,
    ENTROPY_DELTA,
    EXPECTED_COST,
    FEEDBACK_STRATEGY,
    LESSONS,
    UNIT_RANKING,
)
from coordinator.domain import MEMORY, QUALITY_STORE, THRESHOLDS

DOMAIN_OF: Final[Mapping[str, str]] = MappingProxyType(
    {
        EDIT_PENALTY: QUALITY_STORE,
        FEEDBACK_STRATEGY: QUALITY_STORE,
        ENTROPY_DELTA: THRESHOLDS,
        EXPECTED_COST: THRESHOLDS,
        UNIT_RANKING: THRESHOLDS,
        BEGIN_SHARE: THRESHOLDS,
        LESSONS: MEMORY,
    }
)
