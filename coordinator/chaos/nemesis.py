"""Brings a plan's faults over a stage and its crew, and remembers what it did and how long the house took."""

from __future__ import annotations

import heapq
import os
import signal
import time
from collections.abc import Callable
from typing import NamedTuple

from coordinator.chaos.crew import Crew, Member
from coordinator.chaos.plan import KILL_ACTOR, KILL_AGENT, KILL_CLUSTER, STOP_ACTOR, STOP_AGENT, Fault, Plan
from coordinator.chaos.stage import Stage
from coordinator.domain import DOMAINS

_POLL_S = 0.02


class Deed(NamedTuple):
    """A fault that was brought: its kind, whom it met, from when, and until when that one was not there.

    For a kill of an agent `until_s` is `at_s`: it does not come back. On a busy machine time passes between a look at
    the clock and a deed, and between an actor's return and the answer that tells of it: `sure_s` says from when until
    when that one certainly was not there; None stands for all of the time.
    """

    kind: str
    whom: str
    at_s: float
    until_s: float
    sure_s: tuple[float, float] | None = None


class Nemesis:
    """Works through the faults of a plan. `deeds` are in the order of their ends."""

    def __init__(self, plan: Plan, stage: Stage, crew: Crew) -> None:
        self._plan = plan
        self._stage = stage
        self._crew = crew
        self._stopped: list[tuple[float, int, float, Member]] = []
        self.deeds: list[Deed] = []
        self.gone: list[str] = []
        self._bring: dict[str, Callable[[Fault], None]] = {
            KILL_ACTOR: self._kill_actor,
            KILL_AGENT: self._kill_agent,
            STOP_AGENT: self._stop_agent,
            STOP_ACTOR: self._stop_actor,
            KILL_CLUSTER: self._kill_cluster,
        }

    def run(self, told: Callable[[float, int], None] = lambda _share, _n: None) -> None:
        """Bring all faults; `told` hears which share of the run is over, and how many faults there were."""
        started_s = time.monotonic()
        for n_faults, fault in enumerate(self._plan.faults()):
            self._wait(min(fault.after_s, self._plan.for_s))
            elapsed_s = time.monotonic() - started_s
            done = n_faults / self._plan.max_faults if self._plan.max_faults else 0.0
            told(max(done, elapsed_s / self._plan.for_s), n_faults)
            if elapsed_s >= self._plan.for_s or n_faults == self._plan.max_faults:
                break
            self._bring[fault.kind](fault)
        while self._stopped:
            self._wait(_POLL_S)

    def _wait(self, for_s: float) -> None:
        """Let time pass, and stopped agents go on when theirs has come."""
        until_s = time.monotonic() + for_s
        while True:
            while self._stopped and self._stopped[0][0] <= time.monotonic():
                self._let_go_on(*heapq.heappop(self._stopped)[2:])
            self.gone += [member.name for member in self._crew.fill()]
            if time.monotonic() >= until_s:
                return
            time.sleep(min(_POLL_S, max(0.0, until_s - time.monotonic())))

    def _let_go_on(self, at_s: float, member: Member) -> None:
        self._crew.go_on(member)
        self.deeds.append(Deed(STOP_AGENT, member.name, at_s, time.time()))

    def _kill_actor(self, fault: Fault) -> None:
        pid = int(self._stage.describe(fault.actor)["pid"])
        at_s = time.time()
        os.kill(pid, signal.SIGKILL)
        killed_s = time.time()
        while int(self._stage.describe(fault.actor)["pid"]) == pid:
            self._wait(_POLL_S)
        back_s = time.time()
        sure_s = killed_s, self._stage.started_s(fault.actor)
        self.deeds.append(Deed(KILL_ACTOR, fault.actor, at_s, back_s, sure_s))

    def _stop_actor(self, fault: Fault) -> None:
        pid = int(self._stage.describe(fault.actor)["pid"])
        at_s = time.time()
        os.kill(pid, signal.SIGSTOP)
        stopped_s = time.time()
        try:
            self._wait(fault.for_s)
        finally:
            sure_s = stopped_s, time.time()
            os.kill(pid, signal.SIGCONT)
        self.deeds.append(Deed(STOP_ACTOR, fault.actor, at_s, time.time(), sure_s))

    def _kill_agent(self, fault: Fault) -> None:
        at_s = time.time()
        name = self._crew.kill(fault.place)
        self._stopped = [one for one in self._stopped if one[3].name != name]
        heapq.heapify(self._stopped)
        self.deeds.append(Deed(KILL_AGENT, name, at_s, at_s))

    def _stop_agent(self, fault: Fault) -> None:
        member = self._crew.members[fault.place]
        if member.is_stopped or self._crew.stop(fault.place) is None:
            return
        entry = (time.monotonic() + fault.for_s, len(self.deeds), time.time(), member)
        heapq.heappush(self._stopped, entry)

    def _kill_cluster(self, fault: Fault) -> None:
        """Its agents are killed with it: Ray would end them within a minute."""
        at_s = time.time()
        self._stage.kill_cluster()
        killed_s = time.time()
        for place in list(self._crew.members):
            self._kill_agent(fault._replace(place=place))
        self._stage.start_again()
        for domain in DOMAINS:
            self._stage.describe(domain)
            back_s = time.time()
            self.deeds.append(Deed(KILL_CLUSTER, domain, at_s, back_s, (killed_s, self._stage.started_s(domain))))
