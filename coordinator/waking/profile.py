"""Client profiles: for which kinds of clients wakeups are made, and how many tokens each may have.

What differs between clients in how they use a wakeup is measured (the thresholds keep it by these names), not guessed;
so all begin with the same cap.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from actors.runtime.errors import Misuse

DEFAULT_PROFILE: Final = "default"
DEFAULT_TOKENS: Final = 1_000
MAX_TOKENS: Final = 100_000
PROFILES: Final[Mapping[str, int]] = MappingProxyType(
    dict.fromkeys(("claude", "gpt", "gemini", DEFAULT_PROFILE), DEFAULT_TOKENS)
)


def tokens_of(profile: str, own: Mapping[str, int], max_tokens: int | None) -> int:
    """The cap for a profile, or the one that was asked for. Raises `Misuse` for an unknown profile or an odd cap."""
    known = {**PROFILES, **own}
    if profile not in known:
        raise Misuse(
            f"unknown client profile {profile[:80]!r}: give one of {', '.join(sorted(known))}, or set its cap under "
            "[wakeup_tokens]"
        )
    wanted = known[profile] if max_tokens is None else max_tokens
    if not 0 <= wanted <= MAX_TOKENS:
        raise Misuse(f"a wakeup of {wanted} tokens cannot be made: give 0 to {MAX_TOKENS}")
    return wanted
