"""The learned policy as one agent uses it: fetched when a read needs it, and then kept for an hour.

A view's bytes depend on the policy's version, and clients cache their prompts: so it does not change under an agent's
hands with every outcome. Where nobody can be asked, the base policy holds, and the reader says so.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Final

from actors.runtime.errors import ScentfieldError
from actors.thresholds.messages import GetPolicy
from actors.thresholds.messages import Policy as PolicyMessage
from actors.thresholds.ranking import shifted_weights
from coordinator.asking import Asker
from coordinator.reading.policy import NOTHING_LEARNED, LearnedCost, Policy
from coordinator.session import AgentSession
from coordinator.step import Operation

PINNED_S: Final = 3_600.0
RETRY_S: Final = 30.0


class PolicyDesk:
    """Asks the thresholds once an hour; after a failure again after half a minute. `monotonic` is the hour's clock."""

    def __init__(self, thresholds: Asker, monotonic: Callable[[], float]) -> None:
        self._thresholds = thresholds
        self._monotonic = monotonic
        self._policy = NOTHING_LEARNED
        self._until_s = float("-inf")

    def policy(self, session: AgentSession) -> Operation[Policy]:
        """The policy to read by; an older one, or the base policy, while the thresholds cannot be asked."""
        now_s = self._monotonic()
        if now_s < self._until_s:
            return self._policy
        try:
            answer: PolicyMessage = yield from self._thresholds.query(session, GetPolicy())
            self._policy, self._until_s = policy_of(answer), now_s + PINNED_S
        except ScentfieldError:  # nobody answered, or what was answered cannot be used; a read goes on all the same
            self._until_s = now_s + RETRY_S
        return self._policy


def policy_of(message: PolicyMessage) -> Policy:
    """What readers use of the thresholds' answer."""
    return Policy(
        message.version,
        {row.extension: row.delta for row in message.deltas},
        {
            (row.extension, row.mode, row.bucket): LearnedCost(inf, row.share, row.p_loss, row.n_extra_tokens)
            for row in message.costs
        },
        {row.extension: shifted_weights(row.shifts) for row in message.rankings},
    )
