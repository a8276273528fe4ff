"""Who waits for whom, derived when it is asked.

A request for all of its targets can never go on when one of those it waits for cannot go on before the asker does; a
request for any of them only when that is so for each. So the agents that are stuck are found in rounds, starting from
the asker, and a ring is closed when the asker's own request is stuck.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from actors.scent_field.lease import Lease
from actors.scent_field.liveness import Liveness
from actors.scent_field.request import Blockers, Request, blockers_of, queued_request
from actors.scent_field.state import FieldState
from actors.scent_field.waiter import Waiter

MAX_AGENTS: Final = 1_000
Alternatives = list[list[str]]  # for each way to go on, the agents that have to go on first


class Handover(NamedTuple):
    """Look at the graph as if these leases were held by this session already."""

    leases: list[Lease]
    to_session: str


class WaitGraph:
    """Looks for rings; 1,000 agents at most are looked at, nearest first."""

    def __init__(self, state: FieldState, sessions: Liveness) -> None:
        self._state = state
        self._sessions = sessions

    def ring(self, request: Request, blockers: list[Blockers], handover: Handover | None = None) -> tuple[str, ...]:
        """The agents that would wait for each other, the asker first; empty if nobody would."""
        if not self._state.waiting:
            return ()
        asker = request.session_id
        alternatives = _alternatives(request, blockers, handover)
        stuck_on = self._stuck(asker, self._reachable(asker, alternatives, handover))
        agent = _blame(alternatives, stuck_on)
        path = [asker]
        while agent not in ("", asker):
            path.append(agent)
            agent = stuck_on[agent]
        return tuple(path) if agent == asker else ()

    def _reachable(
        self, asker: str, alternatives: Alternatives, handover: Handover | None
    ) -> dict[str, list[Alternatives]]:
        """What each waiting agent that can be reached from here waits for, request by request."""
        requests: dict[str, list[Alternatives]] = {}
        frontier = [agent for agents in alternatives for agent in agents]
        for agent in frontier:
            if agent in requests or agent == asker or len(requests) >= MAX_AGENTS:
                continue
            requests[agent] = [self.waits_for(waiter, handover) for waiter in self._waiters_of(agent)]
            frontier += [one for request in requests[agent] for agents in request for one in agents]
        return requests

    def _waiters_of(self, agent: str) -> list[Waiter]:
        own = self._state.waiting_by_session.get(agent, {})
        return [own[ticket] for ticket in sorted(own)]

    def waits_for(self, waiter: Waiter, handover: Handover | None = None) -> Alternatives:
        """Whom a queued request waits for."""
        request = self.queued(waiter)
        return _alternatives(request, blockers_of(request), handover)

    def queued(self, waiter: Waiter) -> Request:
        """The request of somebody who waits."""
        lineage = self._sessions.lineage(waiter.session_id)
        return queued_request(self._state.spaces[waiter.space], waiter, lineage)

    def _stuck(self, asker: str, requests: dict[str, list[Alternatives]]) -> dict[str, str]:
        """The agents that cannot go on before the asker does, each with one that it waits for in vain."""
        stuck_on = {asker: asker}
        while True:
            found = {
                agent: blamed
                for agent, waiting in requests.items()
                if agent not in stuck_on
                for blamed in [next(filter(None, (_blame(one, stuck_on) for one in waiting)), "")]
                if blamed
            }
            if not found:
                return stuck_on
            stuck_on |= found


def _blame(alternatives: Alternatives, stuck_on: dict[str, str]) -> str:
    """An agent that keeps all the ways shut, or empty if one may open."""
    shut_by = [next((agent for agent in agents if agent in stuck_on), "") for agents in alternatives]
    return shut_by[0] if shut_by and all(shut_by) else ""


def _alternatives(request: Request, blockers: list[Blockers], handover: Handover | None) -> Alternatives:
    if request.any_of:
        return [_agents(request, [blocker], handover) for blocker in blockers]
    return [_agents(request, blockers, handover)]


def _agents(request: Request, blockers: list[Blockers], handover: Handover | None) -> list[str]:
    """Whom these blockers belong to, each once, in order."""
    names: dict[str, None] = {}
    for blocker in blockers:
        for lease in blocker.leases:
            holder = handover.to_session if handover and lease in handover.leases else lease.session_id
            if holder not in request.lineage:
                names[holder] = None
        for waiter in blocker.waiters:
            names[waiter.session_id] = None
    return list(names)
