"""One seed's world: it puts the house, the agents and the faults together, and runs them step by step."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from actors.coordination.factory import make_coordination
from actors.coordination.machine import Coordination
from actors.quality_store.factory import make_quality_store
from actors.quality_store.machine import QualityStore
from actors.runtime.machine import Machine
from actors.runtime.wire import encode_request
from actors.scent_field.messages import SCHEMA as FIELD_SCHEMA
from actors.scent_field.messages import FieldStatistics
from coordinator.domain import QUALITY_STORE, SCENT_FIELD
from coordinator.simulation.agenda import Agenda
from coordinator.simulation.agent import Agent
from coordinator.simulation.call import Call, Hear, sent
from coordinator.simulation.carrier import Carrier
from coordinator.simulation.chance import Chance
from coordinator.simulation.disk import DiskRoom, SimDisk
from coordinator.simulation.fault import Faults
from coordinator.simulation.habit import Habit
from coordinator.simulation.history import Finished, Happened, History, Record
from coordinator.simulation.host import Host, KeptTable
from coordinator.simulation.network import Network
from coordinator.simulation.plan import Plan
from coordinator.simulation.resource import Resource

_BEGAN_UTC_S: Final = 1_800_000_000.0
_TABLES: Final = {SCENT_FIELD: KeptTable(Coordination.events), QUALITY_STORE: KeptTable(QualityStore.events)}
_CHILD_SHARE: Final = 0.3
_QUIET_S: Final = 4.0
_GRANDCHILD_SHARE: Final = 0.5
_CHILD_KEPT_BY: Final = ("heartbeat", "connection", "connection", "decay")
_KEPT_BY: Final = ("heartbeat",) * 5 + ("connection", "connection", "decay")


class World:
    """Everything that one seed makes. `history` is what has happened so far."""

    def __init__(self, plan: Plan, chance: Chance, room: DiskRoom) -> None:
        self.plan = plan
        self.chance = chance
        self.agenda = Agenda()
        self.history: History = []
        self.wall_offset_s = 0.0
        self.is_over = False
        self.n_steps = 0
        self._n_calls = 0
        self.network = Network(self.agenda, chance.network, plan)
        self.resource = Resource()
        self.habit = Habit(self)
        names = (SCENT_FIELD, QUALITY_STORE) if plan.has_quality_store else (SCENT_FIELD,)
        self.hosts = [self._host(name, room) for name in names]
        self._host_of = {host.name: host for host in self.hosts}
        self.agents: list[Agent] = []
        self._faults = Faults(self)

    def _host(self, name: str, room: DiskRoom) -> Host:
        plan = self.plan
        return Host(
            name,
            agenda=self.agenda,
            network=self.network,
            random=self.chance.host,
            disk=SimDisk(room.store(name), lambda: self.agenda.now_s),
            make_machine=self._make_field if name == SCENT_FIELD else make_quality_store,
            table=_TABLES[name],
            limits=plan.limits,
            wall_s=lambda: _BEGAN_UTC_S + self.agenda.now_s + self.wall_offset_s,
            record=self.record,
            carrier=Carrier(self.agenda, (SCENT_FIELD,), self.call) if name == QUALITY_STORE else None,
        )

    def _make_field(self) -> Machine:
        return make_coordination(**self.plan.field_options)

    def record(self, record: Record) -> None:
        """Add to the history."""
        self.history.append(record)

    def call(self, who: str, actor: str, raw: bytes, hear: Hear) -> Call:
        """Send a request to an actor."""
        self._n_calls += 1
        call = Call(self._n_calls, who, actor, raw, hear)
        self.record(sent(call, self.agenda.now_s))
        if actor in self._host_of:
            self.network.carry(who, partial(self._host_of[actor].deliver, call))
        return call

    # The run

    def run(self) -> History:
        """Let it all happen, then let the faults rest, so that what must end by itself can; returns the history."""
        for host in self.hosts:
            host.start()
        for number in range(self.plan.n_agents):
            self._add_agent(f"a{number}")
        self._faults.start()
        while self.n_steps < self.plan.n_steps:
            self._step()
        self._rest()
        return self.history

    def _step(self) -> None:
        self.n_steps += 1
        self.agenda.step()

    def _add_agent(self, name: str) -> None:
        random = self.chance.agent
        parent = self._parent()
        agent = Agent(self, name, parent=parent, kept_by=random.choice(_CHILD_KEPT_BY if parent else _KEPT_BY))
        self.agents.append(agent)
        spread_s = 0.2 * self.plan.n_agents
        agent.later(random.random() * spread_s if self.n_steps == 0 else random.random(), agent.begin)

    def _parent(self) -> str:
        """Nobody, or an agent that lives, who may well be a child: families run deep."""
        random = self.chance.agent
        parents = {one.session.session_id: one.parent for one in self.agents if one.session}
        if not parents or random.random() >= _CHILD_SHARE:
            return ""
        children = [session_id for session_id, parent in parents.items() if parent]
        return random.choice(children if children and random.random() < _GRANDCHILD_SHARE else [*parents])

    def replace(self, agent: Agent) -> None:
        """An agent dies; another process takes its name."""
        agent.die()
        self.agents.remove(agent)
        self._add_agent(agent.name)

    def _rest(self) -> None:
        """No more faults and no more agents: every session ends in time, and in the end nobody holds anything."""
        self.record(Happened(self.agenda.now_s, "world", "the faults are over, and the agents fall silent"))
        self.is_over = True
        self._faults.stop()
        self.network.is_calm = True
        for agent in self.agents:
            agent.fall_silent()
        for host in self.hosts:
            host.recover()
        terms = self.plan.terms
        self.agenda.run_until(self.agenda.now_s + 2 * terms.ttl_s + terms.lock_delay_s + terms.fade_s + _QUIET_S)
        self._inspect()
        self.agenda.run_until(self.agenda.now_s + _QUIET_S)
        self.record(Finished(self.agenda.now_s))
        self.close()

    def close(self) -> None:
        """Give the stores back."""
        for host in self.hosts:
            host.close()

    def _inspect(self) -> None:
        """Ask for the counters, when nothing happens any more."""
        command: Any = FIELD_SCHEMA.wire_of(FieldStatistics())
        self.call("inspector", SCENT_FIELD, encode_request([("", "", 0, 0, (), (command,))]), lambda _call, _raw: None)
