"""The numbers of the memory: what makes two entries one, how long they stay, and our own bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

MAX_CONTENT: Final = 200
MAX_ABOUT: Final = 512
SAME_FROM: Final = 0.7
"""Token-Jaccard from which on two entries of one kind say the same."""
MAX_TURNS_UNCONFIRMED: Final = 50
SURVIVAL_TURNS: Final = 10
"""From this age on an entry is counted as one that lasts."""
MAX_DRAFTS: Final = 50
MAX_CATEGORY: Final = 64
MAX_KEY: Final = 128
MAX_VALUE: Final = 1_000
MAX_VALUES_OF_KEY: Final = 8
MAX_SPACE: Final = 200
MAX_TTL_S: Final = 10 * 365 * 86_400.0
MAX_FOUND: Final = 500
MAX_QUERY_TERMS: Final = 32
MAX_DIMS: Final = 1_024
MAX_VECTORS_A_CALL: Final = 512
MAX_SESSIONS_SHOWN: Final = 256


@dataclass(frozen=True, slots=True)
class Limits:
    """How much is kept. `max_facts` and `max_playbooks` are those of all spaces together."""

    max_entries: int = 500
    max_playbooks: int = 256
    max_facts: int = 100_000
    max_pins: int = 20_000
