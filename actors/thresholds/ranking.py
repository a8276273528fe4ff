"""What makes a piece of a file worth showing to whoever is about to edit it: the weights of a linear score.

The defaults were fitted to real commits (docs/reading.md says to which); what is learned is a shift of each of them,
within bounds, by extension.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

MAX_SHIFT: Final = 1.0
DEFAULT_WEIGHTS: Final[Mapping[str, float]] = MappingProxyType(
    {
        "words": 1.5,
        "first_line": 0.8,
        "name": 0.8,
        "meaning": 0.5,
        "near": 1.5,
        "recency": 2.1,
        "similar": 0.9,
        "imports": 1.0,
        "end": 1.4,
        "size": -1.6,
    }
)
"""By the name of the signal, as `coordinator.reading.unit_signal` works it out. `size` is negative: of two pieces that
are as likely to be needed the shorter one leaves room for others."""
SIGNALS: Final = tuple(DEFAULT_WEIGHTS)
