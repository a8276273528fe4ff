"""What goes wrong, and when: each fault comes at random times with its own mean distance."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from actors.coordination.messages import SCHEMA
from actors.runtime.wire import encode_request
from actors.scent_field.messages import ForceRelease, Release
from actors.sessions.messages import Goodbye
from coordinator.domain import SCENT_FIELD
from coordinator.simulation.disk import STAGES
from coordinator.simulation.history import IMPOSTOR, Happened
from coordinator.simulation.plan import MEAN_S
from coordinator.simulation.universe import SPACES, TARGETS

if TYPE_CHECKING:
    from coordinator.simulation.host import Host
    from coordinator.simulation.world import World

_TRAPS: Final = ("before", "head", "row", "end", "after", "answer", "answer", "torn")
_BOTH_SHARE: Final = 0.3
_FORCED: Final = (SPACES[0], TARGETS[0], "it is in the way")
_FIRST_PRETENDED: Final = 1_000_000
_JUMPS_S: Final = (-86_400.0, -3_600.0, -5.0, 5.0, 3_600.0, 40_000.0, 3 * 86_400.0)


class Faults:
    """Brings the faults of a plan over a world, until `stop`."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._random = world.chance.fault
        self._is_over = False
        self._bring: dict[str, Callable[[], None]] = {
            "kill": self._kill,
            "kill_in_commit": self._kill_in_commit,
            "twin": self._start_twin,
            "stall": self._stall,
            "pause_agent": self._pause_agent,
            "end_agent": self._end_agent,
            "wall_jump": self._jump,
            "full_disk": self._fill_disk,
            "unconfirmed": self._lose_confirmation,
            "partition": self._cut_off,
            "outage": self._take_away,
            "compaction": self._compact,
            "storm": self._storm,
            "impostor": self._pretend,
        }
        self._n_pretended = 0

    def start(self) -> None:
        """Set the first of each."""
        for name in self._world.plan.faults:
            self._next(name)

    def stop(self) -> None:
        """No more."""
        self._is_over = True

    def _next(self, name: str) -> None:
        self._world.agenda.after(self._random.expovariate(1.0 / MEAN_S[name]), partial(self._strike, name))

    def _strike(self, name: str) -> None:
        if not self._is_over:
            self._bring[name]()
            self._next(name)

    def _host(self) -> Host:
        return self._random.choice(self._world.hosts)

    def _note(self, what: str) -> None:
        self._world.record(Happened(self._world.agenda.now_s, "world", what))

    def _kill(self) -> None:
        self._host().kill()

    def _kill_in_commit(self) -> None:
        self._host().disk.trap = self._random.choice(_TRAPS)

    def _start_twin(self) -> None:
        host = self._host()
        host.start_twin()
        if self._random.random() < _BOTH_SHARE:  # neither of the two can write for a moment
            host.disk.full_until_s = self._world.agenda.now_s + self._random.uniform(0.2, 2.0)

    def _stall(self) -> None:
        self._host().stall(self._random.choice((0.5, 2.5, 8.0)) * self._random.uniform(0.5, 1.5))

    def _pause_agent(self) -> None:
        for_s = self._world.plan.terms.ttl_s * self._random.uniform(0.2, 2.5)
        self._random.choice(self._world.agents).pause(for_s)

    def _end_agent(self) -> None:
        self._world.replace(self._random.choice(self._world.agents))

    def _jump(self) -> None:
        by_s = self._random.choice(_JUMPS_S)
        self._world.wall_offset_s += by_s
        self._note(f"the wall clock jumps by {by_s:g} s")

    def _fill_disk(self) -> None:
        host, for_s = self._host(), self._random.uniform(0.2, 4.0)
        host.disk.full_until_s = self._world.agenda.now_s + for_s
        host.note(f"the disk is full for {for_s:.3f} s")

    def _lose_confirmation(self) -> None:
        self._host().disk.unconfirmed = True

    def _cut_off(self) -> None:
        agent, for_s = self._random.choice(self._world.agents), self._random.uniform(0.5, 12.0)
        self._world.network.cut_off[agent.name] = self._world.agenda.now_s + for_s
        self._note(f"nothing reaches {agent.name} for {for_s:.3f} s")

    def _take_away(self) -> None:
        host, for_s = self._host(), self._random.choice((8.0, 8.0, 8.0, 20.0, 20.0, 600.0))
        host.note(f"nobody starts it for {for_s:g} s")
        host.stay_away(for_s)

    def _compact(self) -> None:
        """The child reads, writes and prunes while the world goes on; it may die before any of that is done."""
        stages = [self._random.choice((0, 0, 3, 30)) for _ in STAGES]
        dies_at = self._random.choice(STAGES) if self._random.random() < 0.3 else ""
        self._host().compact(dict(zip(STAGES, stages, strict=True)), dies_at)

    def _pretend(self) -> None:
        """Somebody who does not know an agent's token speaks in its name."""
        sessions = [agent.session for agent in self._world.agents if agent.session is not None]
        if not sessions:
            return
        self._n_pretended += 1
        session, path = self._random.choice(sessions), self._random.choice(TARGETS)
        command = self._random.choice((Goodbye(), Release(SPACES[0], (path,), 0, False), ForceRelease(*_FORCED, True)))
        number = _FIRST_PRETENDED + self._n_pretended
        wire: Any = SCHEMA.wire_of(command)
        raw = encode_request([(session.session_id, "0" * 32, number, 0, (), (wire,))])
        self._world.call(IMPOSTOR, SCENT_FIELD, raw, lambda _call, _raw: None)

    def _storm(self) -> None:
        for_s = self._random.uniform(0.5, 3.0)
        self._world.network.storm_until_s = self._world.agenda.now_s + for_s
        self._note(f"half of all messages are lost for {for_s:.3f} s")
