"""Who waits for whom, derived when it is asked.

Whoever waits for nothing will go on. A request for all of its targets goes on when all whom it waits for do; a request
for any of them, when all do who are in the way of one. Whoever is left over then is stuck. Nobody is before a request
comes; if its asker would be, a ring through the asker is the proof, and the request is refused.
"""

from __future__ import annotations

from typing import Final

from actors.scent_field.liveness import Liveness
from actors.scent_field.request import Blockers, Request, blockers_of, queued_request
from actors.scent_field.state import FieldState
from actors.scent_field.waiter import Waiter

MAX_AGENTS: Final = 1_000
Alternatives = list[list[str]]  # for each way to go on, the agents that have to go on first


class WaitGraph:
    """Looks for rings; 1,000 agents at most are looked at, nearest first."""

    def __init__(self, state: FieldState, sessions: Liveness) -> None:
        self._state = state
        self._sessions = sessions

    def ring(self, request: Request, blockers: list[Blockers]) -> tuple[str, ...]:
        """The agents that would wait for each other, the asker first; empty if the asker would go on some day."""
        if not self._state.waiting:
            return ()
        asker = request.session_id
        waiting = self._reachable(asker, _alternatives(request, blockers))
        stuck = _stuck(waiting)
        return _way_back(asker, waiting, stuck) if asker in stuck else ()

    def _reachable(self, asker: str, alternatives: Alternatives) -> dict[str, list[Alternatives]]:
        """What each agent that can be reached from here waits for, request by request."""
        waiting: dict[str, list[Alternatives]] = {}
        frontier = [asker]
        for agent in frontier:
            if agent in waiting or len(waiting) >= MAX_AGENTS:
                continue
            requests = [self.waits_for(waiter) for waiter in self._waiters_of(agent)]
            waiting[agent] = [alternatives, *requests] if agent == asker else requests
            frontier += [one for request in waiting[agent] for agents in request for one in agents]
        return waiting

    def _waiters_of(self, agent: str) -> list[Waiter]:
        own = self._state.waiting_by_session.get(agent, {})
        return [own[ticket] for ticket in sorted(own)]

    def waits_for(self, waiter: Waiter) -> Alternatives:
        """Whom a queued request waits for."""
        request = self.queued(waiter)
        return _alternatives(request, blockers_of(request))

    def queued(self, waiter: Waiter) -> Request:
        """The request of somebody who waits."""
        lineage = self._sessions.lineage(waiter.session_id)
        return queued_request(self._state.spaces[waiter.space], waiter, lineage)


def _stuck(waiting: dict[str, list[Alternatives]]) -> set[str]:
    """The agents that can never go on."""
    stuck = set(waiting)
    while True:
        going = [agent for agent in stuck if all(_goes_on(request, stuck) for request in waiting[agent])]
        if not going:
            return stuck
        stuck.difference_update(going)


def _goes_on(alternatives: Alternatives, stuck: set[str]) -> bool:
    return any(stuck.isdisjoint(agents) for agents in alternatives)


def _way_back(asker: str, waiting: dict[str, list[Alternatives]], stuck: set[str]) -> tuple[str, ...]:
    """The shortest ring through the asker; empty if the asker only waits for one."""
    came_from: dict[str, str] = {}
    frontier = [asker]
    for agent in frontier:
        for other in [one for request in waiting[agent] for agents in request for one in agents]:
            if other == asker:
                return _path(asker, agent, came_from)
            if other in stuck and other not in came_from:
                came_from[other] = agent
                frontier.append(other)
    return ()


def _path(asker: str, last: str, came_from: dict[str, str]) -> tuple[str, ...]:
    path = [last]
    while path[-1] != asker:
        path.append(came_from[path[-1]])
    return tuple(reversed(path))


def _alternatives(request: Request, blockers: list[Blockers]) -> Alternatives:
    if not request.any_of:
        return [_agents(blockers)]
    is_free = len(blockers) < len(request.targets)
    return [_agents([blocker]) for blocker in blockers] + ([[]] if is_free else [])


def _agents(blockers: list[Blockers]) -> list[str]:
    """Whom these blockers belong to, each once, in order."""
    names: dict[str, None] = {}
    for blocker in blockers:
        for lease in blocker.leases:
            names[lease.session_id] = None
        for waiter in blocker.waiters:
            names[waiter.session_id] = None
    return list(names)
