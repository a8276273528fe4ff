"""What a view costs beyond its own tokens, learned by extension, mode and size of the file.

Estimates begin as a prior of ten imaginary outcomes and are counted up with the real ones, so few outcomes move them
little; since old outcomes weigh less every day, an estimate goes back to its prior where nothing is seen any more.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import Final, NamedTuple

from actors.thresholds.daily_count import DailyCounts

_BOUNDS: Final = (500, 1000, 2000, 4000, 8000)
BUCKETS: Final = ("<500", "<1000", "<2000", "<4000", "<8000", ">=8000")
_TYPICAL_TOKENS: Final = (300, 750, 1500, 3000, 6000, 12_000)
CALL_TOKENS: Final = 200
"""What a call and its short answer cost."""
PRIOR_OUTCOMES: Final = 10.0
MAX_TOKENS: Final = 10**9
MAX_COUNT: Final = 10**15


class Prior(NamedTuple):
    """What is believed of a mode before anything was seen.

    The `share` of the file's tokens that it shows, and how often that is not enough. docs/learning.md says where the
    numbers come from.
    """

    share: float
    p_loss: float


PRIORS: Final = {
    "full": Prior(1.0, 0.02),
    "diff": Prior(0.10, 0.05),
    "entropy": Prior(0.55, 0.15),
    "units": Prior(0.30, 0.15),
    "signatures": Prior(0.20, 0.15),
    "map": Prior(0.06, 0.15),
}


class CostKey(NamedTuple):
    """What a cost is learned for."""

    extension: str
    mode: str
    bucket: str


class Cost(NamedTuple):
    """What to expect of a view.

    It shows `share` of the file's tokens; with probability `p_loss` a failed edit or a second read follows, which then
    costs `n_extra_tokens`.
    """

    share: float
    p_loss: float
    n_extra_tokens: float


class Outcomes(NamedTuple):
    """Outcomes of views as far as they still count, so they are no whole numbers.

    How many, how many with a loss, tokens shown of tokens in all, and tokens paid on top.
    """

    n: float = 0.0
    n_losses: float = 0.0
    n_tokens: float = 0.0
    n_total_tokens: float = 0.0
    n_extra_tokens: float = 0.0


def size_bucket(n_total_tokens: int) -> str:
    """The bucket of a file with so many tokens: 499 is "<500", 500 is "<1000"."""
    return BUCKETS[bisect_right(_BOUNDS, n_total_tokens)]


def outcomes_of(counts: DailyCounts, today: int) -> Outcomes:
    """The outcomes of all days, each weighted by its age."""
    return Outcomes(*counts.weighted(today))


def estimate(key: CostKey, seen: Outcomes) -> Cost:
    """The cost of a view of this kind: the prior's ten imaginary outcomes and those that were seen, together.

    An imaginary loss costs a call and the reading of a file of that size.
    """
    prior = PRIORS[key.mode]
    n_losses = PRIOR_OUTCOMES * prior.p_loss
    lost_tokens = n_losses * (CALL_TOKENS + _TYPICAL_TOKENS[BUCKETS.index(key.bucket)])
    seen_share = seen.n_tokens / seen.n_total_tokens if seen.n_total_tokens else prior.share
    return Cost(
        share=(seen.n * seen_share + PRIOR_OUTCOMES * prior.share) / (seen.n + PRIOR_OUTCOMES),
        p_loss=(seen.n_losses + n_losses) / (seen.n + PRIOR_OUTCOMES),
        n_extra_tokens=(seen.n_extra_tokens + lost_tokens) / (seen.n_losses + n_losses),
    )


def prior_cost(mode: str, bucket: str) -> Cost:
    """What readers expect where a policy has no row. Raises `KeyError` for a mode without a prior."""
    return estimate(CostKey("", mode, bucket), Outcomes())
