"""A simulated agent: a process with a session, a heart, and one or two threads that work.

What it asks for, how its requests are numbered, retried and given up, and what it believes of its claims are the
client's own code. Its clock runs on while it is paused; its code does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from actors.runtime.errors import Unavailable, UnknownAgent
from actors.scent_field.messages import Claim, Granted
from coordinator.asking import Asker
from coordinator.domain import QUALITY_STORE, SCENT_FIELD
from coordinator.session import AgentSession, beat, register, say_goodbye
from coordinator.simulation.call import Call, Hear
from coordinator.simulation.chance import hex_token
from coordinator.simulation.errand import Errand
from coordinator.simulation.history import Happened, Record, Wrote
from coordinator.step import Operation

if TYPE_CHECKING:
    from coordinator.simulation.world import World

_BEATS_A_TTL: Final = 3.0
_PATIENCE: Final = 2.0 / 3.0
_AGAIN_S: Final = (0.2, 3.0)
_BACK_OFF_S: Final = (0.5, 8.0)
_LATE_S: Final = (1.0, 15.0)
_LATE_SHARE: Final = 0.5
_THREAD_SHARE: Final = 0.2


class Agent:
    """One agent's process. `parent` is another agent's session or empty.

    `holding` are the claims that it knows of; `asked` is the last one that it asked for.
    """

    def __init__(self, world: World, name: str, *, parent: str, kept_by: str) -> None:
        self.world = world
        self.name = name
        self.parent = parent
        self.kept_by = kept_by
        self.random = world.chance.agent
        self.session: AgentSession | None = None
        self.holding: list[tuple[str, Granted]] = []
        self.asked: Claim | None = None
        self.is_dead = False
        self.n_threads = 2 if self.random.random() < _THREAD_SHARE else 1
        self._asleep_until_s = 0.0
        self._heart: Errand | None = None
        self._sessions: list[AgentSession] = []
        asker = partial(
            Asker,
            timeout_s=world.plan.call_timeout_s,
            jitter=world.chance.jitter.random,
            monotonic=self.now_s,
        )
        self.field = asker(SCENT_FIELD)
        self.quality = asker(QUALITY_STORE)

    # What an agent's process is made of

    def now_s(self) -> float:
        """The clock of its process."""
        return self.world.agenda.now_s

    def record(self, record: Record) -> None:
        """Add to the history."""
        self.world.record(record)

    def later(self, delay_s: float, run: Callable[[], None]) -> None:
        """Run it then, or when the process runs again."""
        self.world.agenda.after(delay_s, partial(self.when_awake, run))

    def when_awake(self, run: Callable[[], None]) -> None:
        """Run it now, or as soon as the process is no longer paused; never if it is dead."""
        if self.is_dead:
            return
        if self.now_s() < self._asleep_until_s:
            self.world.agenda.at(self._asleep_until_s, partial(self.when_awake, run))
        else:
            run()

    def call(self, actor: str, raw: bytes, hear: Hear) -> Call:
        """Send a request."""
        return self.world.call(self.name, actor, raw, hear)

    def pause(self, for_s: float) -> None:
        """The process is stopped, and goes on later without knowing."""
        self.record(Happened(self.now_s(), self.name, f"is stopped for {for_s:.3f} s"))
        self._asleep_until_s = max(self._asleep_until_s, self.now_s() + for_s)

    def die(self) -> None:
        """The process is gone; nobody says goodbye."""
        self.record(Happened(self.now_s(), self.name, "dies"))
        self.fall_silent()

    def fall_silent(self) -> None:
        """Do nothing any more, not even when the collector comes to what was under way."""
        self.is_dead = True
        for session in self._sessions:
            session.nudge = _do_nothing

    # Its session

    def begin(self) -> None:
        """Register; again and again until somebody answers."""
        if self.session is None:
            Errand(self, self._register(), self._registered).start()

    def _register(self) -> Operation[AgentSession]:
        plan = self.world.plan
        return (
            yield from register(
                name=self.name,
                parent=self.parent,
                kept_by=self.kept_by,
                ttl_s=plan.terms.ttl_s,
                token=hex_token(self.world.chance.token),
                now_s=self.now_s(),
                timeout_s=plan.call_timeout_s,
            )
        )

    def _registered(self, session: AgentSession | None, error: BaseException | None) -> None:
        if session is None:
            if isinstance(error, UnknownAgent):
                self.parent = ""  # it has died meanwhile
            self.later(self.random.uniform(*_AGAIN_S), self.begin)
            return
        self.session = session
        self._sessions.append(session)
        session.nudge = partial(self.later, 0.0, partial(self._beat_now, session))
        if self.kept_by != "decay":
            self._beat_later(session, was_taken=True)
        for _ in range(self.n_threads):
            self.later(self.random.random(), partial(self.work, session))

    def lost_session(self, session: AgentSession) -> None:
        """The session is over: begin anew some time."""
        if self.session is session:
            self.session = None
            self._finish_late(session)
            self.holding.clear()
            self.later(self.random.uniform(*_AGAIN_S), self.begin)

    def _finish_late(self, session: AgentSession) -> None:
        """What was under way when it ended may still be written, by code that asks nobody."""
        for space, granted in self.holding:
            if self.random.random() < _LATE_SHARE:
                path = self.world.habit.path_of(granted)
                write = partial(self._write_blindly, session, space, path, granted)
                self.later(self.random.uniform(*_LATE_S), write)

    def leave(self) -> None:
        """Say goodbye, and come back as another agent of the same name later."""
        session, self.session = self.session, None
        self.holding.clear()
        if session is not None:
            session.held.clear()
            Errand(self, say_goodbye(session, self.world.plan.call_timeout_s), self._left).start()

    def _left(self, _n_released: int | None, _error: BaseException | None) -> None:
        self.later(self.random.uniform(*_AGAIN_S), self.begin)

    # Its heart

    def _beat_later(self, session: AgentSession, *, was_taken: bool) -> None:
        period_s = session.ttl_s / (_BEATS_A_TTL if was_taken else 4 * _BEATS_A_TTL)
        self.later(period_s * self.random.uniform(0.8, 1.0), partial(self._beat, session))

    def _beat(self, session: AgentSession) -> None:
        if self.session is session and not self.world.is_over:
            self._pulse(session, lambda was_taken: self._beat_later(session, was_taken=was_taken))

    def _beat_now(self, session: AgentSession) -> None:
        """Out of turn: there is something to tell."""
        if self.session is session and (self._heart is None or self._heart.is_over) and self.kept_by != "decay":
            self._pulse(session, lambda _: None)

    def _pulse(self, session: AgentSession, then: Callable[[bool], None]) -> None:
        def done(_alive: Any, error: BaseException | None) -> None:
            if isinstance(error, UnknownAgent):
                self.lost_session(session)
            else:
                then(error is None)

        timeout_s = session.ttl_s * _PATIENCE
        self._heart = Errand(self, beat(session, self.now_s(), timeout_s), done)
        self._heart.start()

    # Its work

    def work(self, session: AgentSession) -> None:
        """Do the next thing, think, and so on while the session lasts."""
        if self.session is not session or self.world.is_over:
            return
        operation = self.world.habit.next_operation(self, session)
        errand = Errand(self, operation, partial(self._worked, session))
        if self.random.random() < self.world.plan.give_up_share:
            self.later(self.random.expovariate(2.0), errand.interrupt)
        errand.start()

    def _worked(self, session: AgentSession, _value: Any, error: BaseException | None) -> None:
        if isinstance(error, UnknownAgent):
            self.lost_session(session)
            return
        think_s = self.random.expovariate(1.0 / self.world.plan.mean_think_s)
        if isinstance(error, Unavailable):
            think_s += self.random.uniform(*_BACK_OFF_S)
        self.later(think_s, partial(self.work, session))

    def held(self, session: AgentSession) -> Iterator[tuple[str, Granted]]:
        """The claims that it knows of and may still believe in."""
        return ((space, granted) for space, granted in self.holding if session.holds(space, granted, self.now_s()))

    def write(self, session: AgentSession, space: str, path: str, granted: Granted, *, careful: bool) -> bool:
        """Write to the resource, which compares generations; a careful agent only while it believes in its claim."""
        believed = session.holds(space, granted, self.now_s())
        if careful and not believed:
            return False
        accepted = self.world.resource.accepts(space, path, granted.generation)
        self.record(
            Wrote(self.now_s(), self.name, session.session_id, space, path, granted.generation, believed, accepted)
        )
        return accepted

    def _write_blindly(self, session: AgentSession, space: str, path: str, granted: Granted) -> None:
        self.write(session, space, path, granted, careful=False)


def _do_nothing() -> None:
    """There is no process to be nudged."""
