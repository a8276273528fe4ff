"""Drives one of the client's operations through virtual time, as `step.drive` does through real time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from actors.runtime.errors import ScentfieldError, Unavailable
from coordinator.simulation.call import Call as SimCall
from coordinator.simulation.history import GivenUp, Heard
from coordinator.step import Call, Operation, Pause, Step

if TYPE_CHECKING:
    from coordinator.simulation.agent import Agent

from coordinator.simulation.call import answers_of


class Interrupted(BaseException):
    """The caller has stopped waiting, as a cancelled task or an interrupted process does."""


class Errand:
    """An operation of an agent under way. `done` hears its value, or what it raised."""

    def __init__(
        self, agent: Agent, operation: Operation[Any], done: Callable[[Any, BaseException | None], None]
    ) -> None:
        self._agent = agent
        self._operation = operation
        self._done = done
        self._call: SimCall | None = None
        self._n_waits = 0
        self.is_over = False

    def start(self) -> None:
        """Go to the first step that takes time."""
        self._resume(None, None)

    def interrupt(self) -> None:
        """Stop waiting."""
        if not self.is_over:
            self._give_up("interrupted")
            self._resume(None, Interrupted())

    def _resume(self, value: Any, error: BaseException | None) -> None:
        self._n_waits += 1
        self._call = None
        try:
            step = self._operation.throw(error) if error is not None else self._operation.send(value)
        except StopIteration as end:
            self._end(end.value, None)
        except (ScentfieldError, Interrupted) as raised:
            self._end(None, raised)
        else:
            self._wait(step)

    def _end(self, value: Any, error: BaseException | None) -> None:
        self.is_over = True
        self._done(value, error)

    def _wait(self, step: Step) -> None:
        if isinstance(step, Call):
            self._send(step)
        elif isinstance(step, Pause):
            self._agent.later(step.for_s, self._if_waiting(lambda: self._resume(None, None)))
        else:
            raise NotImplementedError(f"{step!r} is work on files, which simulated agents do not do")

    def _send(self, step: Call) -> None:
        self._call = self._agent.call(step.domain, step.raw, self._hear)
        timeout_s = step.timeout_s

        def time_out() -> None:
            self._give_up("time-out")
            self._resume(None, Unavailable(f"{step.domain} gave no answer within {timeout_s:g} s"))

        self._agent.later(timeout_s, self._if_waiting(time_out))

    def _if_waiting(self, run: Callable[[], None]) -> Callable[[], None]:
        """Run it only if the errand still waits for the same thing by then."""
        n_waits = self._n_waits

        def run_if_waiting() -> None:
            if not self.is_over and self._n_waits == n_waits:
                run()

        return run_if_waiting

    def _give_up(self, why: str) -> None:
        if self._call is not None:
            agent = self._agent
            agent.record(GivenUp(agent.now_s(), agent.name, self._call.number, why))

    def _hear(self, call: SimCall, reply: bytes | None) -> None:
        """A reply has come to the process; its code may be asleep."""
        self._agent.when_awake(lambda: self._take(call, reply))

    def _take(self, call: SimCall, reply: bytes | None) -> None:
        if self.is_over or call is not self._call:
            return
        if reply is None:
            self._give_up("nobody is there")
            self._resume(None, Unavailable(f"{call.actor} cannot be reached"))
            return
        agent = self._agent
        agent.record(Heard(agent.now_s(), agent.name, call.number, answers_of(reply)))
        self._resume(reply, None)
