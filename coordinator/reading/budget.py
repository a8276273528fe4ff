"""How many tokens a view may print: a number of them, or a share of what the whole file costs.

A whole number is tokens, a number with a point a share of 1.0 or less; so `1` is one token and `1.0` the file.
"""

from __future__ import annotations

import re
from typing import Final, TypeAlias

from actors.runtime.errors import Misuse

Budget: TypeAlias = int | float

DEFAULT_SHARE: Final = 0.25
MIN_DEFAULT_TOKENS: Final = 600
"""A quarter of a small file holds hardly more than header and markers: what nobody limited may take this much."""
_SHARE: Final = re.compile(r"[0-9]{0,3}\.[0-9]{1,6}|[0-9]{1,3}\.")
_TOKENS: Final = re.compile(r"[0-9]{1,9}")


def check_budget(budget: Budget | None) -> None:
    """Raise `Misuse` unless the budget can be kept to."""
    if budget is None:
        return
    if isinstance(budget, bool) or not isinstance(budget, int | float):
        raise Misuse(f"a budget is a number, not {budget!r:.80}: give tokens (800) or a share of the file (0.25)")
    if isinstance(budget, int) and budget < 1:
        raise Misuse(f"a budget of {budget} tokens holds nothing: give 1 or more, or a share such as 0.25")
    if isinstance(budget, float) and not 0.0 < budget <= 1.0:
        raise Misuse(f"a budget of {budget} is no share: give one up to 1.0, such as 0.25, or a whole number of tokens")


def parse_budget(text: str) -> Budget:
    """The budget that `text` writes: `800` or `0.25`. Raises `Misuse`."""
    if _TOKENS.fullmatch(text):
        budget: Budget = int(text)
    elif _SHARE.fullmatch(text):
        budget = float(text)
    else:
        raise Misuse(f"{text[:40]!r} is no budget: write tokens, such as 800, or a share of the file, such as 0.25")
    check_budget(budget)
    return budget


def budget_tokens(budget: Budget | None, total_tokens: int) -> int | None:
    """The budget in tokens for a file that costs `total_tokens`; at least one."""
    return max(1, int(budget * total_tokens)) if isinstance(budget, float) else budget


def default_tokens(total_tokens: int) -> int:
    """What `units` prints where nobody gave a budget."""
    return max(MIN_DEFAULT_TOKENS, int(DEFAULT_SHARE * total_tokens))
