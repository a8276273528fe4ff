"""The agents of one MCP session: the session's own, and the sub-agents that it speaks for."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from typing import Final

from actors.runtime.errors import Misuse, ScentfieldError, UnknownAgent
from coordinator.aio import AsyncCoordinator
from coordinator.core import Core, Identity
from coordinator.session import AgentSession

MAX_SUB_AGENTS: Final = 64
_UNUSABLE: Final = re.compile(r"[^A-Za-z0-9._@:+-]+")
_MAX_NAME: Final = 64

MakeCore = Callable[[Identity], Core]


def agent_name(text: str) -> str:
    """A name that agents may have, made from what a client calls itself."""
    return _UNUSABLE.sub("-", text)[:_MAX_NAME].strip("-._@:+") or "agent"


class Party:
    """Registers its agents on first use; all end with the session."""

    def __init__(self, name: str, make_core: MakeCore, seat: str = "") -> None:
        self.name = name
        self.seat = seat
        self._make_core = make_core
        self._agents: dict[str, AsyncCoordinator] = {}
        self._cores: dict[str, Core] = {}
        self._registering = asyncio.Lock()
        self._is_over = False

    async def agent(self, sub_agent: str = "") -> AsyncCoordinator:
        """The session's agent, or one of its children. Raises as `AsyncCoordinator.connect` does.

        An agent whose session has ended is begun anew; the error tells what it lost, so that it hears of it once.
        """
        async with self._registering:  # two calls at once must not become two agents
            if self._is_over:
                raise UnknownAgent("this MCP session has ended: connect again")
            own = await self._registered("", Identity(self.name, "", "connection", self.seat))
            if not sub_agent:
                return own
            return await self._registered(sub_agent, Identity(sub_agent, own.agent_id, "connection"))

    async def core(self, sub_agent: str = "") -> Core:
        """What the operations of that agent are made of. Raises as `agent`."""
        await self.agent(sub_agent)
        return self._cores[sub_agent]

    def speaks_for(self, sub_agent: str) -> bool:
        """Whether that sub-agent has called before."""
        return sub_agent in self._agents

    async def _registered(self, key: str, identity: Identity) -> AsyncCoordinator:
        agent = self._agents.get(key)
        if agent is None:
            if len(self._agents) > MAX_SUB_AGENTS:
                raise Misuse(f"this session speaks for {MAX_SUB_AGENTS} sub-agents already: let one leave first")
            core = self._make_core(identity)
            agent = AsyncCoordinator(core)
            await agent.register()
            self._agents[key], self._cores[key] = agent, core
        session = self._cores[key].session
        if session is not None and session.end is not None:
            await self._begin_anew(key, session.end)
        return agent

    async def _begin_anew(self, key: str, end: UnknownAgent) -> None:
        if not key:  # its children ended with it
            for child in [name for name in self._agents if name]:
                del self._agents[child], self._cores[child]
            new = await self._agents[key].register_anew()
            raise UnknownAgent(f"{end.message}. You are {new} now, which holds nothing: claim again what you need")
        del self._agents[key], self._cores[key]
        raise UnknownAgent(f"{end.message}. Call again, and {key} begins anew, holding nothing")

    async def leave(self, sub_agent: str) -> int:
        """A sub-agent is done: what it holds is free at once; returns how many claims that were."""
        agent = self._agents.pop(sub_agent, None) if sub_agent else None
        if agent is None:
            raise Misuse(f"there is no sub-agent {sub_agent!r} here: name one that has called before, with agent=")
        del self._cores[sub_agent]
        return await agent.close()

    def sessions(self) -> Iterator[AgentSession]:
        """The sessions that have to be kept alive."""
        for core in self._cores.values():
            if core.session is not None and core.session.end is None:
                yield core.session

    async def close(self) -> None:
        """Everything is released at once; where nobody can be asked, the sessions' TTL does that."""
        async with self._registering:
            self._is_over = True
            agents = [self._agents[key] for key in sorted(self._agents, reverse=True)]  # children first
            self._agents.clear()
            self._cores.clear()
            for agent in agents:
                try:
                    await agent.close()
                except ScentfieldError:
                    continue
