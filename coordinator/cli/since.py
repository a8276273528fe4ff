"""A point in the past, as people type it: `15m`, `2h`, or a time."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Final

from actors.runtime.errors import Misuse

_SPAN: Final = re.compile(r"(\d{1,9}(?:\.\d{1,3})?)\s*(s|m|min|h|d)")
_UNITS_S: Final = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3_600.0, "d": 86_400.0}


def parse_since(text: str, now_utc_s: float) -> float:
    """Seconds since the epoch. A time without an offset is local. Raises `Misuse` for what is neither span nor time."""
    found = _SPAN.fullmatch(text.strip())
    if found is not None:
        return max(0.0, now_utc_s - float(found[1]) * _UNITS_S[found[2]])
    try:
        return max(0.0, datetime.fromisoformat(text.strip()).astimezone(UTC).timestamp())
    except (ValueError, OverflowError, OSError) as error:
        raise Misuse(
            f"{text[:80]!r} is no point in the past: give a span such as 90s, 15m, 2h or 3d, or a time such as "
            "2026-03-01T09:30"
        ) from error
