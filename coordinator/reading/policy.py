"""What reading goes by: the rule from before anything was learned, and what was learned since."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite, isnan
from typing import Final

from actors.runtime.errors import Misuse
from actors.thresholds.cost import size_bucket
from actors.thresholds.limit import MAX_DELTA
from actors.thresholds.ranking import DEFAULT_WEIGHTS

MAX_SMALL_FILE_LINES: Final = 400


def choose_base_mode(n_lines: int) -> tuple[str, str]:
    """The mode for a file of `n_lines`, and the name of the rule that chose it.

    Pending escalations and learned penalties come from the quality store and only ever move the answer to `full`.
    """
    if n_lines > MAX_SMALL_FILE_LINES:
        return "map", "map_over_400_lines"
    return "full", "small_file"


@dataclass(frozen=True, slots=True)
class LearnedCost:
    """What was learned of views of one kind; estimates that hold their sender's prior already.

    They show `share` of the file's tokens; after `p_failure` of them an edit failed or the file was read again, which
    cost `extra_tokens` on top. `n` outcomes stand behind it, faded with age; infinity where the sender only tells what
    has evidence enough.
    """

    n: float
    share: float
    p_failure: float
    extra_tokens: float

    def __post_init__(self) -> None:
        if isnan(self.n) or not isfinite(self.share + self.p_failure + self.extra_tokens) or min(self._numbers) < 0:
            raise Misuse(f"a learned cost must be of numbers from 0 up, not {self}: fetch the policy again")
        if self.p_failure > 1:
            raise Misuse(f"a probability of {self.p_failure!r} to fail is over 1: fetch the policy again")

    @property
    def _numbers(self) -> tuple[float, ...]:
        return self.n, self.share, self.p_failure, self.extra_tokens


CostKey = tuple[str, str, str]
"""Extension, mode, and size in tokens as `actors.thresholds.cost.size_bucket` names it."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What was learned, as one version that a session holds on to; equal versions give equal views.

    `deltas` are by extension (lower case, no dot), in units of `entropy.BITS_A_UNIT`, within 0.15 either way. Raises
    `Misuse` for other numbers. `weights` are by extension and then by signal.
    """

    version: str = ""
    deltas: Mapping[str, float] = field(default_factory=dict)
    costs: Mapping[CostKey, LearnedCost] = field(default_factory=dict)
    weights: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for extension, delta in self.deltas.items():
            if not abs(delta) <= MAX_DELTA:
                raise Misuse(f"the delta of {extension!r} is {delta!r}, not within {MAX_DELTA}: fetch the policy again")

    def delta_of(self, extension: str, *, use_delta: bool = True) -> float:
        """The delta for a line filter; 0.0 for a view that is held out from it."""
        return self.deltas.get(extension, 0.0) if use_delta else 0.0

    def weights_of(self, extension: str, *, use_weights: bool = True) -> Mapping[str, float]:
        """The weights to rank pieces by; the defaults where nothing was learned or the file is held out from it."""
        return self.weights.get(extension, DEFAULT_WEIGHTS) if use_weights else DEFAULT_WEIGHTS

    def cost_of(self, extension: str, mode: str, total_tokens: int) -> LearnedCost | None:
        """What was learned of such a view of a file with so many tokens."""
        return self.costs.get((extension, mode, size_bucket(total_tokens)))


NOTHING_LEARNED: Final = Policy()
