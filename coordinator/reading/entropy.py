"""How much a line says: the Shannon entropy of its tokens, in bits (Shannon 1948).

Pure numbers; what is done with them is the sieve's matter. Indentation and line endings say nothing and are not
counted, or the same statement would say more the deeper it stands. So a line of one token, such as a lone bracket, has
0 bits however long it is, and a line of n different tokens has log2(n).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log2
from types import MappingProxyType
from typing import Final

from coordinator.reading.token_count import count_tokens, token_numbers

BITS_A_UNIT: Final = 3.0
"""What one unit of the table below, and of a learned delta, means in bits of o200k tokens.

The table was made for another way to count a line's entropy; docs/decisions/0010-entropy-unit.md has the measurement.
"""
OTHER_BASE: Final = 1.0
BASE: Final = MappingProxyType(
    {
        "c": 0.9, "cpp": 0.9, "cs": 0.85, "css": 0.7, "go": 0.9, "h": 0.75, "hpp": 0.75, "java": 0.8, "js": 1.0,
        "json": 0.6, "jsx": 1.0, "kt": 0.85, "md": 1.3, "php": 0.95, "py": 1.2, "rb": 1.15, "rs": 0.85, "sh": 1.0,
        "sql": 0.8, "swift": 0.9, "toml": 0.7, "ts": 0.95, "tsx": 0.95, "xml": 0.6, "yaml": 0.7, "yml": 0.7,
    }
)  # fmt: skip
"""What a line must say to be kept, in units, by extension, before anything was learned; `OTHER_BASE` for all others."""
_DECIMALS: Final = 9  # 0.7 x 3 is 2.1, not a little less
MAX_CACHED_LINES: Final = 8_192
MAX_CACHED_CHARACTERS: Final = 400  # longer lines are weighed anew each time: the cache stays small


@dataclass(frozen=True, slots=True)
class LineWeight:
    """What a line costs and says.

    `n_tokens` are those of the line with its indentation and ending; 0 for a blank one, because o200k joins it to the
    line before. `bits` and `distinct`, its different tokens, are of what stands between indentation and ending.
    """

    n_tokens: int
    bits: float
    distinct: frozenset[int]


_BLANK: Final = LineWeight(0, 0.0, frozenset())


def least_bits(extension: str, delta: float = 0.0) -> float:
    """The bits from which on a line is kept; the extension is in lower case without its dot, `delta` in units."""
    return round((BASE.get(extension, OTHER_BASE) + delta) * BITS_A_UNIT, _DECIMALS)


def weigh(line: str) -> LineWeight:
    """The weight of one line, with or without its ending."""
    return _weighed(line) if len(line) <= MAX_CACHED_CHARACTERS else _weigh(line)


def _weigh(line: str) -> LineWeight:
    said = line.strip()
    if not said:
        return _BLANK
    tokens = token_numbers(said)
    return LineWeight(count_tokens(line), entropy_bits(tokens), frozenset(tokens))


_weighed = lru_cache(maxsize=MAX_CACHED_LINES)(_weigh)


def line_tokens(line: str) -> int:
    """The `n_tokens` of a line's weight, for whoever needs no more of it."""
    return _counted(line) if len(line) <= MAX_CACHED_CHARACTERS else _count(line)


def _count(line: str) -> int:
    return count_tokens(line) if line and not line.isspace() else 0


_counted = lru_cache(maxsize=MAX_CACHED_LINES)(_count)


def entropy_bits(tokens: Sequence[int]) -> float:
    """The Shannon entropy of how often each token occurs, in bits: from 0 to log2(distinct tokens)."""
    n_tokens = len(tokens)
    counts = Counter(tokens).values()
    return sum(count / n_tokens * log2(n_tokens / count) for count in counts)
