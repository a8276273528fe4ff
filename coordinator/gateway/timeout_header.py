"""How long a caller of the API waits, as its request's header says."""

from __future__ import annotations

from typing import Final

from actors.runtime.errors import Misuse

TIMEOUT_HEADER: Final = "scentfield-timeout-s"
MAX_TIMEOUT_S: Final = 1_200.0


def timeout_s(given: str | None, usual_s: float) -> float:
    """Seconds; `usual_s` where nothing is said. Raises `Misuse` for what is no time."""
    if given is None:
        return usual_s
    try:
        seconds = float(given)
    except ValueError:
        seconds = 0.0
    if not 0.0 < seconds <= MAX_TIMEOUT_S:
        raise Misuse(f"{TIMEOUT_HEADER}: {given[:40]!r} is no time: give seconds, up to {MAX_TIMEOUT_S:.0f}")
    return seconds
