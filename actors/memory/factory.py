"""Makes the machine of the actor `memory` from plain options, as they cross to its process."""

from __future__ import annotations

from actors.memory.limit import Limits
from actors.memory.machine import Memory


def make_memory(**limits: int) -> Memory:
    """An empty machine; `limits` by the names of `Limits`."""
    return Memory(Limits(**limits))
