"""Checks of numbers that callers give: what cannot be is refused with what can."""

from __future__ import annotations

from typing import Any

from actors.runtime.errors import Misuse
from actors.runtime.number import as_number, shown


def check_whole(name: str, value: Any, least: int, most: int) -> None:
    """Raise `Misuse` unless the value is a whole number from `least` to `most`."""
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise Misuse(f"{name}={shown(value)} cannot be: give a whole number from {least:,} to {most:,}")


def check_span(name: str, value: Any, most_s: float) -> None:
    """Raise `Misuse` unless the value is more than 0 and no more than `most_s` seconds."""
    span_s = as_number(value)
    if span_s is None or not 0.0 < span_s <= most_s:
        raise Misuse(f"{name}={shown(value)} is no time limit: give seconds, more than 0 and {most_s:,.0f} at most")
