"""The policy is asked for once an hour, and reading goes on without it."""

from collections.abc import Callable
from math import inf
from typing import Any

from actors.runtime.errors import Unavailable
from actors.thresholds.messages import CostRow, DeltaRow, Policy
from coordinator.learning.policy_desk import PINNED_S, RETRY_S, PolicyDesk, policy_of
from coordinator.reading.policy import NOTHING_LEARNED, LearnedCost
from coordinator.session import AgentSession
from coordinator.step import Operation

SESSION = AgentSession("ann#1", "t", "decay", 30.0, 0.0)


def message(version: str) -> Policy:
    return Policy(version, (DeltaRow("py", 0.04),), (CostRow("py", "map", "<4000", 0.12, 0.1, 900),), (), 0.7)


class Answers:
    """Answers each query with the next of its answers."""

    def __init__(self, *answers: Policy | Unavailable) -> None:
        self.answers = list(answers)
        self.n_asked = 0

    def query(self, _session: AgentSession, _command: Any) -> Operation[Any]:
        self.n_asked += 1
        answer = self.answers.pop(0)
        if isinstance(answer, Unavailable):
            raise answer
        return answer
        yield  # makes it an operation


def asked(desk: PolicyDesk) -> Any:
    operation = desk.policy(SESSION)
    try:
        next(operation)
    except StopIteration as done:
        return done.value
    raise AssertionError("nothing here has to wait")


def made(answers: Answers, clock: Callable[[], float]) -> PolicyDesk:
    return PolicyDesk(answers, clock)  # type: ignore[arg-type]  # as much of an asker as it needs


def test_a_policy_is_pinned_for_an_hour() -> None:
    now = [0.0]
    answers = Answers(message("one"), message("two"))
    desk = made(answers, lambda: now[0])
    assert asked(desk).version == "one"
    now[0] = PINNED_S - 1.0
    assert (asked(desk).version, answers.n_asked) == ("one", 1)
    now[0] = PINNED_S
    assert (asked(desk).version, answers.n_asked) == ("two", 2)


def test_without_an_answer_the_base_policy_holds_and_it_is_asked_again_later() -> None:
    now = [0.0]
    answers = Answers(Unavailable("nobody"), message("one"))
    desk = made(answers, lambda: now[0])
    assert asked(desk) is NOTHING_LEARNED
    now[0] = RETRY_S - 1.0
    assert (asked(desk), answers.n_asked) == (NOTHING_LEARNED, 1)
    now[0] = RETRY_S
    assert asked(desk).version == "one"


def test_the_policy_holds_what_readers_use() -> None:
    policy = policy_of(message("one"))
    assert policy.delta_of("py") == 0.04
    assert policy.cost_of("py", "map", 3_000) == LearnedCost(inf, 0.12, 0.1, 900)
    assert policy.cost_of("py", "map", 5_000) is None
