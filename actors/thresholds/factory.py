"""Makes the machine of the actor `thresholds` from plain options, as they cross to its process."""

from __future__ import annotations

from actors.thresholds.limit import Limits
from actors.thresholds.machine import Thresholds


def make_thresholds(*, origin: str, **limits: int) -> Thresholds:
    """An empty machine; `limits` by the names of `Limits`.

    `origin` is this data folder's: 8 to 32 hexadecimal digits, drawn at random once, and again for a copy of the
    folder. Raises `ValueError` for another kind of text.
    """
    return Thresholds(origin, Limits(**limits))
