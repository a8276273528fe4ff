"""Which mode `auto` proposes for a file: the one that is expected to cost the fewest tokens in the end.

    tokens of the view + P(failure) x (failed call + file in full + retry)

The numbers are those learned for (extension, mode, size), or what is believed before anything was. A view's tokens are
its share of the file's, so that nothing has to be rendered to choose. Of a file that the base rule shows whole, other
views have to earn it: only those are weighed that were learned of. The smallest come whole: there is little to save.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Final

from actors.thresholds.cost import PRIOR_OUTCOMES, prior_cost, size_bucket
from coordinator.reading.policy import MAX_SMALL_FILE_LINES, LearnedCost, Policy, choose_base_mode

SOURCE: Final = "expected_cost"
CANDIDATES: Final = ("full", "signatures", "map", "entropy")
"""The modes to choose from; of equally cheap ones the first."""
QUERIED_CANDIDATES: Final = (*CANDIDATES, "units")
"""The same where the reader says what for: without a query, `units` would be a guess."""
MIN_OUTCOMES: Final = PRIOR_OUTCOMES
"""With fewer outcomes than its prior weighs, an estimate is the prior more than it is evidence, and is not used."""
MAX_WHOLE_LINES: Final = 100
"""A file of so many lines comes whole, whatever was learned."""
OPEN_BUCKET_TOKENS: Final = 12_000
"""A typical file of the last bucket, which has no upper bound."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """What a mode is expected to cost: `view_tokens`, and `extra_tokens` with probability `p_failure`.

    `n` is the number of outcomes that this was learned from, 0 where it is only believed.
    """

    mode: str
    view_tokens: float
    p_failure: float
    extra_tokens: float
    n: float = 0.0

    @property
    def expected_tokens(self) -> float:
        """All in all."""
        return self.view_tokens + self.p_failure * self.extra_tokens

    def __str__(self) -> str:
        known = "nothing learned" if not self.n else f"{self.n:g} outcomes" if isfinite(self.n) else "learned"
        return (
            f"{self.mode}: {self.view_tokens:.0f} + {self.p_failure:.2f} x {self.extra_tokens:.0f} "
            f"= {self.expected_tokens:.0f} tokens ({known})"
        )


@dataclass(frozen=True, slots=True)
class Choice:
    """A mode, the name of the rule that chose it, and what it was weighed against; nothing where a rule needed none."""

    mode: str
    source: str
    candidates: tuple[Candidate, ...] = ()

    def __str__(self) -> str:
        return "; ".join([f"{self.mode} ({self.source})", *map(str, self.candidates)])


def choose_mode(
    policy: Policy,
    *,
    extension: str,
    n_lines: int,
    total_tokens: int,
    use_costs: bool = True,
    has_query: bool = False,
) -> Choice:
    """The mode for a file; the base rule's where nothing was learned of any candidate, or `use_costs` is false."""
    mode, source = choose_base_mode(n_lines)
    if n_lines <= MAX_WHOLE_LINES or not use_costs:
        return Choice(mode, source)
    modes = QUERIED_CANDIDATES if has_query else CANDIDATES
    candidates = tuple(_candidate(policy, extension, mode, total_tokens) for mode in modes)
    if n_lines <= MAX_SMALL_FILE_LINES:
        candidates = tuple(candidate for candidate in candidates if candidate.n or candidate.mode == mode)
        if len(candidates) == 1:
            return Choice(mode, source)
    if not any(candidate.n for candidate in candidates):
        return Choice(mode, source, candidates)
    cheapest = min(candidates, key=lambda candidate: round(candidate.expected_tokens))
    return Choice(cheapest.mode, SOURCE, candidates)


def _candidate(policy: Policy, extension: str, mode: str, total_tokens: int) -> Candidate:
    learned = policy.cost_of(extension, mode, total_tokens)
    if learned is None or learned.n < MIN_OUTCOMES:
        learned = LearnedCost(0, *prior_cost(mode, size_bucket(total_tokens)))
    # Reading a file again costs more the larger it is, which the mean of the bucket without an upper bound hides.
    growth = max(1.0, total_tokens / OPEN_BUCKET_TOKENS)
    return Candidate(mode, learned.share * total_tokens, learned.p_failure, learned.extra_tokens * growth, learned.n)
