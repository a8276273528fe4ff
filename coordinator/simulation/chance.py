"""All randomness of a simulation: one generator for each concern, each from the seed alone.

They are apart so that a change of one concern (a fault more, another delay) leaves the draws of the others as they are.
"""

from __future__ import annotations

from random import Random
from typing import Final

CONCERNS: Final = ("plan", "agent", "network", "host", "fault", "token", "jitter")


class Chance:
    """The generators of one seed, by concern."""

    def __init__(self, seed: int) -> None:
        # A text as seed goes through SHA-512, so it does not depend on PYTHONHASHSEED.
        self.plan, self.agent, self.network, self.host, self.fault, self.token, self.jitter = (
            Random(f"{seed}/{concern}") for concern in CONCERNS
        )


def hex_token(random: Random) -> str:
    """A session's secret, as long as the client's own."""
    return f"{random.getrandbits(128):032x}"
