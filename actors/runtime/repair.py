"""What the head of a store has to be after it was cut: the one that it had, or one made from what can be told."""

from __future__ import annotations

from dataclasses import replace
from math import isfinite
from typing import Final

from actors.runtime.errors import Corrupt, Misuse
from actors.runtime.table import Head
from actors.runtime.view import View

UNHEARD_OF: Final = 2**40
"""An epoch above what any writer has reached, for a store whose own cannot be told any more."""
_MAX_EPOCH: Final = 2**62
_MAX_FIELD_S: Final = 1e9
_MAX_UTC_S: Final = 1e11
_DAY_S: Final = 86_400.0


def cut_head(view: View, seq: int, new_store_id: str) -> Head:
    """The head that ends at row `seq` and fences every writer of before.

    The store keeps its identity; where that is gone with its head it takes `new_store_id`.
    """
    try:
        head = view.head()
    except Corrupt:
        return _rebuilt(view, seq, new_store_id)
    if head is None:
        raise Misuse("nobody has written to this store: there is nothing to cut")
    return replace(head, epoch=head.epoch + 1, seq=seq)


def _rebuilt(view: View, seq: int, new_store_id: str) -> Head:
    found = view.head_as_found()
    field_s, utc_s = _clocks(view, seq, found)
    if found is None:
        return Head(new_store_id, UNHEARD_OF, seq, field_s, utc_s)
    epoch = found.epoch + 1 if UNHEARD_OF <= found.epoch < _MAX_EPOCH else UNHEARD_OF
    return Head(found.store_id, epoch, seq, field_s, utc_s)


def _clocks(view: View, seq: int, found: Head | None) -> tuple[float, float]:
    """Those of the last row that is kept, or the damaged head's where they can be right: clocks do not go back."""
    least, most = (0.0, 0.0), (_MAX_FIELD_S, _MAX_UTC_S)
    if seq > view.snapshot_seq():
        ((_, payload),) = view.rows(seq - 1, seq)
        row = view.unpacked(payload, f"row {seq}")
        least, most = (row[0], row[1]), (row[0] + _DAY_S, row[1] + _DAY_S)
    if found is None:
        return least
    return _between(least[0], found.field_s, most[0]), _between(least[1], found.utc_s, most[1])


def _between(least: float, found: float, most: float) -> float:
    return found if isfinite(found) and least <= found <= most else least
