"""Numbers that somebody gives: what is one, and how a value that is none is shown."""

from __future__ import annotations

from math import isfinite
from numbers import Real
from typing import Any, Final

MAX_SHOWN: Final = 80


def as_number(value: Any) -> float | None:
    """The value as a float, NumPy's numbers too; None for what is no number, not finite, or beyond a float."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return None
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return None
    return number if isfinite(number) else None


def shown(value: Any) -> str:
    """The beginning of a value's `repr`, or its type where there is none: an integer of 5,000 digits has none."""
    try:
        return repr(value)[:MAX_SHOWN]
    except Exception:  # whatever somebody's class does
        return f"a value of {type(value).__name__} that cannot be shown"
