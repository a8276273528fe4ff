"""What the other state actors say of themselves, as accounts for the ledger: it is told whenever figures are asked for.

The ledger keeps what has grown since it was told last, so it does not matter who tells it, how often, or in what order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from actors.memory.messages import Statistics as MemoryCounts
from actors.quality_store.account import (
    BECAME_LASTING,
    CLAIM,
    DUPLICATE_SOURCES,
    DUPLICATES_PREVENTED,
    LASTING,
    LASTING_HELPFUL,
    PLACEMENT_KINDS,
    PLACEMENTS,
    AccountRow,
)
from actors.quality_store.messages import RecordAccount
from actors.scent_field.messages import FieldCounts
from actors.thresholds.messages import Statistics as LearningCounts

_PREVENTED: Final = "duplicate_work_prevented"


def account_of(described: Mapping[str, Any] | None, counts: Any) -> RecordAccount | None:
    """What is to be told of a state actor's counts; None where there is nothing, or it is not known whose they are."""
    rows = _rows(counts)
    if not rows or described is None or not described.get("store_id"):
        return None
    return RecordAccount(f"{described['domain']}@{described['store_id']}", rows)


def _rows(counts: Any) -> tuple[AccountRow, ...]:
    if isinstance(counts, FieldCounts):
        return _duplicates({one.name: one.value for one in counts.counters})
    if isinstance(counts, LearningCounts):
        placed = {one.name: one.n for one in counts.placements}
        return tuple(AccountRow(PLACEMENTS, kind, placed.get(kind, 0)) for kind in PLACEMENT_KINDS)
    if isinstance(counts, MemoryCounts):
        return (
            AccountRow(BECAME_LASTING, "", counts.n_became_lasting),
            AccountRow(LASTING, "", counts.n_lasting),
            AccountRow(LASTING_HELPFUL, "", counts.n_lasting_helpful),
        )
    return ()


def _duplicates(counters: Mapping[str, int]) -> tuple[AccountRow, ...]:
    """By what prevented them; what came by no other way came by a claim."""
    others = {source: counters.get(f"{_PREVENTED}_{source}", 0) for source in DUPLICATE_SOURCES if source != CLAIM}
    by_claim = max(0, counters.get(_PREVENTED, 0) - sum(others.values()))
    return tuple(AccountRow(DUPLICATES_PREVENTED, source, n) for source, n in {CLAIM: by_claim, **others}.items())
