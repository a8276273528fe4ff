"""What simulated agents do with their time, drawn step by step: claims of all kinds, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING, Any, Final

from actors.quality_store.messages import RecordOutcome, RecordRead
from actors.runtime.errors import Misuse
from actors.scent_field.messages import (
    Check,
    Checked,
    Claim,
    ClaimAny,
    ClaimEach,
    ClaimedEach,
    FieldStatistics,
    ForceRelease,
    GiveBack,
    Granted,
    Held,
    LeaveSignal,
    Progress,
    Release,
    Sync,
    Transfer,
    Watch,
    answers_of,
)
from coordinator import giving
from coordinator.session import AgentSession
from coordinator.simulation.universe import FILES, PATHS, SPACES, TARGETS, any_meet, covers
from coordinator.step import Operation, Pause

if TYPE_CHECKING:
    from coordinator.simulation.agent import Agent
    from coordinator.simulation.world import World

_MAX_WAIT_S: Final = 8.0
_MAX_HELD: Final = 4
_SHARED_SHARE: Final = 0.3
_TO_WAITING_SHARE: Final = 0.5
_NEAR_SHARE: Final = 0.3
_SAME_SHARE: Final = 0.5
"""Of the claims of an agent with two threads: what was asked for last, maybe by the other one, is asked for again."""

Do = Callable[["Agent", AgentSession], Operation[Any]]


class Habit:
    """Chooses the next operation of an agent."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._random: Random = world.chance.agent
        idle: dict[Do, int] = {
            self._claim: 40,
            self._claim_any: 10,
            self._claim_many: 6,
            self._deposit: 3,
            self._ask: 4,
            self._force: 2,
            self._leave: 3,
        }
        if world.plan.has_quality_store:
            idle[self._report] = 20
        busy: dict[Do, int] = {self._release: 30, self._write: 40, self._renew: 8, self._transfer: 6, self._progress: 6}
        self._idle, self._idle_weights = list(idle), list(idle.values())
        self._busy, self._busy_weights = list(busy), list(busy.values())

    def next_operation(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        """What the agent does next; it works with what it holds as often as it looks for more."""
        random = self._random
        agent.holding = list(agent.held(session))
        if agent.holding and (len(agent.holding) >= _MAX_HELD or random.random() < 0.55):
            return random.choices(self._busy, self._busy_weights)[0](agent, session)
        return random.choices(self._idle, self._idle_weights)[0](agent, session)

    # Looking for work

    def _targets(self, agent: Agent) -> tuple[str, ...]:
        n_targets = 1 if self._random.random() < 0.75 else self._random.randint(2, 3)
        near: tuple[str, ...] = TARGETS
        if agent.holding and self._random.random() < _NEAR_SHARE:
            _, held = self._random.choice(agent.holding)
            near = tuple(target for target in TARGETS if any_meet((target,), held.targets))
        return tuple(self._random.choice(near) for _ in range(n_targets))

    def _mode(self, agent: Agent) -> str:
        """Threads of one process that share claims would have to count who still needs them."""
        return "shared" if agent.n_threads == 1 and self._random.random() < _SHARED_SHARE else "exclusive"

    def _wait_s(self) -> float:
        return 0.0 if self._random.random() < 0.4 else round(self._random.uniform(0.5, _MAX_WAIT_S), 3)

    def _space(self) -> str:
        return self._random.choice(SPACES)

    def _claim(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        if agent.asked is None or agent.n_threads == 1 or self._random.random() >= _SAME_SHARE:
            agent.asked = Claim(self._space(), self._targets(agent), self._mode(agent), self._wait_s(), "")
        return _claimed(agent, session, agent.asked)

    def _claim_any(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        targets = tuple(self._random.sample(TARGETS, self._random.randint(2, 3)))
        return _claimed(agent, session, ClaimAny(self._space(), targets, self._mode(agent), self._wait_s(), ""))

    def _claim_many(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        space, mode = self._space(), self._mode(agent)
        targets = tuple(self._random.sample(FILES, 3))
        if self._random.random() < 0.6:
            return _claimed_each(agent, session, ClaimEach(space, targets, mode, ""))
        return _claimed_together(agent, session, [Claim(space, (target,), mode, 0.0, "") for target in targets])

    def _deposit(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        kind = self._random.choice(("HOT", "STUCK", "DONE", "AVOID"))
        return agent.field.request(session, LeaveSignal(self._space(), kind, self._random.choice(TARGETS), 0.5))

    def _ask(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        space = self._space()
        watch = Watch(space, self._random.randint(0, 200), 2.0)
        command = self._random.choice((Sync(space, 5), FieldStatistics(), FieldStatistics(), watch))
        return agent.field.query(session, command, wait_s=2.0)

    def _force(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        command = ForceRelease(
            self._space(), self._random.choice(TARGETS), "it is in the way", self._random.random() < 0.4
        )
        return agent.field.request(session, command)

    def _leave(self, agent: Agent, _session: AgentSession) -> Operation[Any]:
        agent.leave()
        return _nothing()

    def _report(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        path = self._random.choice(FILES)
        if self._random.random() < 0.5:
            mode, source = self._random.choice((("map", "auto"), ("full", ""), ("signatures", "")))
            return agent.quality.request(session, RecordRead("house", path, mode, source, 100, 1_000))
        outcome = RecordOutcome("house", path, "map", *self._random.choice(_OUTCOMES), 50)
        return agent.quality.request(session, outcome)

    # Working with what is held

    def _release(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        space, granted = self._random.choice(agent.holding)
        is_done = self._random.random() < 0.3
        whole = agent.n_threads > 1 or self._random.random() < 0.6
        if len(granted.targets) > 1 and not whole and self._random.random() < 0.5:
            return giving.release(agent.field, session, Release(space, granted.targets[:1], 0, is_done))
        if self._random.random() < 0.2:
            return _given_back(agent, session, GiveBack(space, granted.targets, granted.generation))
        generation = granted.generation if whole else 0
        return giving.release(agent.field, session, Release(space, granted.targets, generation, is_done))

    def _renew(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        space, granted = self._random.choice(agent.holding)
        return _claimed(agent, session, Claim(space, granted.targets, self._mode(agent), 0.0, ""))

    def _progress(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        space, granted = self._random.choice(agent.holding)
        path = self._random.choice([path for path in PATHS if covers(granted.targets[0], path)])
        return agent.field.request(session, Progress(space, path, 0.3, 0.0))

    def _transfer(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        space, granted = self._random.choice(agent.holding)
        waiting = [one.waiter for one in session.wanted]
        others = [one.session.session_id for one in self._world.agents if one.session and one is not agent]
        if waiting and self._random.random() < _TO_WAITING_SHARE:
            others = waiting
        if not others:
            return _nothing()
        return _handed_over(agent, session, Transfer(space, granted.generation, self._random.choice(others), "yours"))

    def _write(self, agent: Agent, session: AgentSession) -> Operation[Any]:
        if agent.n_threads > 1:  # one thread may give back what the other has just claimed again
            return self._progress(agent, session)
        space, granted = self._random.choice(agent.holding)
        thinks_s = self._random.expovariate(self._random.choice((0.3, 5.0, 5.0)))
        careful = self._random.random() < 0.7
        return _written(agent, session, space, granted, self.path_of(granted), thinks_s, careful)

    def path_of(self, granted: Granted) -> str:
        """A path that a claim covers; often the same one, so that others have written it."""
        paths = [path for path in PATHS if any(covers(one, path) for one in granted.targets)]
        return paths[0] if self._random.random() < 0.7 else self._random.choice(paths)


_OUTCOMES: Final = (("failure", "never_there"), ("failure", "not_shown"), ("success", "applied"))


def _nothing() -> Operation[Any]:
    yield Pause(0.0)


def _take(agent: Agent, session: AgentSession, space: str, granted: Granted, asked: tuple[float, int]) -> None:
    """What the client does with a grant; `asked` says when it was asked for, and which loss was known then."""
    session.took_each(space, [granted], *asked)
    kept = [
        (where, one) for where, one in agent.holding if (where, one.generation, one.targets) != _key(space, granted)
    ]
    agent.holding = [*kept, (space, granted)]


def _key(space: str, granted: Granted) -> tuple[str, int, tuple[str, ...]]:
    return space, granted.generation, granted.targets


def _claimed(agent: Agent, session: AgentSession, command: Claim | ClaimAny) -> Operation[Any]:
    asked = agent.now_s(), session.newest_loss
    answer: Granted | Held = yield from agent.field.request(session, command, wait_s=command.wait_s)
    if type(answer) is Granted:
        _take(agent, session, command.space, answer, asked)


def _claimed_each(agent: Agent, session: AgentSession, command: ClaimEach) -> Operation[Any]:
    asked = agent.now_s(), session.newest_loss
    each: ClaimedEach = yield from agent.field.request(session, command)
    for answer in answers_of(each, command.targets):
        if type(answer) is Granted:
            _take(agent, session, command.space, answer, asked)


def _claimed_together(agent: Agent, session: AgentSession, commands: list[Claim]) -> Operation[Any]:
    asked = agent.now_s(), session.newest_loss
    answers = yield from agent.field.request_many(session, commands)
    for command, answer in zip(commands, answers, strict=True):
        if type(answer) is Granted:
            _take(agent, session, command.space, answer, asked)


def _given_back(agent: Agent, session: AgentSession, command: GiveBack) -> Operation[Any]:
    """What an edit does with a claim that it made for itself, in which nobody else ever believed."""
    session.gave(command.space, generation=command.generation)
    yield from agent.field.request(session, command)


def _handed_over(agent: Agent, session: AgentSession, command: Transfer) -> Operation[Any]:
    with suppress(Misuse):  # the other has ended meanwhile, or the claim has
        yield from giving.transfer(agent.field, session, command)


def _written(
    agent: Agent, session: AgentSession, space: str, granted: Granted, path: str, thinks_s: float, careful: bool
) -> Operation[Any]:
    """Ask whether the claim holds, think, and write: the process may be stopped between any two of these."""
    if careful:
        command = Check(space, path, granted.generation, session.session_id)
        checked: Checked = yield from agent.field.query(session, command)
        if not checked:
            return
    yield Pause(thinks_s)
    agent.write(session, space, path, granted, careful=careful)
