"""The learned policy of one agent: asked for once an hour, and never in a read's way."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from actors.runtime.errors import Busy, ScentfieldError, Unavailable
from actors.thresholds.messages import CostRow, DeltaRow, GetPolicy
from actors.thresholds.messages import Policy as PolicyMessage
from coordinator.learning.policy_desk import PolicyDesk, policy_of
from coordinator.reading.policy import NOTHING_LEARNED, Policy
from coordinator.session import AgentSession

SESSION = AgentSession("ann#1", "token", "decay", 30.0, 0.0)


def answer(version: str, delta: float = 0.05) -> PolicyMessage:
    costs = (CostRow("rs", "map", "<500", 0.2, 0.1, 700),)
    return PolicyMessage(version, (DeltaRow("rs", delta),), costs, (), 0.7)


class Thresholds:
    """Stands in for the way to the actor: gives one answer after the other, or raises it."""

    def __init__(self, *answers: PolicyMessage | ScentfieldError) -> None:
        self._answers = list(answers)
        self.asked: list[Any] = []

    def query(self, session: AgentSession, command: Any) -> Generator[Any, Any, PolicyMessage]:
        assert session is SESSION
        self.asked.append(command)
        found = self._answers.pop(0)
        if isinstance(found, ScentfieldError):
            raise found
        return found
        yield  # makes this an operation


class Hours:
    """A desk on a clock that the test turns."""

    def __init__(self, *answers: PolicyMessage | ScentfieldError) -> None:
        self.now_s = 0.0
        self.thresholds = Thresholds(*answers)
        self.desk = PolicyDesk(self.thresholds, lambda: self.now_s)  # type: ignore[arg-type]  # all that is used of it

    def version_at(self, now_s: float) -> str:
        self.now_s = now_s
        return self.policy().version

    def policy(self) -> Policy:
        operation = self.desk.policy(SESSION)
        with pytest.raises(StopIteration) as done:
            next(operation)
        policy: Policy = done.value.value
        return policy


def test_a_policy_is_kept_for_an_hour() -> None:
    hours = Hours(answer("one"), answer("two"))
    assert [hours.version_at(now_s) for now_s in (0.0, 1.0, 3_599.9, 3_600.0)] == ["one", "one", "one", "two"]
    assert hours.thresholds.asked == [GetPolicy(), GetPolicy()]


def test_nobody_is_asked_before_the_first_read() -> None:
    assert Hours().thresholds.asked == []


@pytest.mark.parametrize("error", [Unavailable("gone"), Busy("full"), ScentfieldError("other")])
def test_while_nobody_answers_the_base_policy_holds_and_half_a_minute_passes_between_tries(
    error: ScentfieldError,
) -> None:
    hours = Hours(error, error, answer("one"))
    assert hours.version_at(0.0) == NOTHING_LEARNED.version == ""
    assert hours.version_at(29.9) == ""
    assert len(hours.thresholds.asked) == 1
    assert hours.version_at(30.0) == ""
    assert hours.version_at(60.0) == "one"


def test_after_an_hour_without_an_answer_the_older_policy_stands() -> None:
    hours = Hours(answer("one"), Unavailable("gone"), answer("two"))
    assert [hours.version_at(now_s) for now_s in (0.0, 3_600.0, 3_630.0)] == ["one", "one", "two"]


def test_an_answer_that_cannot_be_used_is_as_good_as_none() -> None:
    hours = Hours(answer("one"), answer("mad", delta=0.5), answer("two"))
    assert [hours.version_at(now_s) for now_s in (0.0, 3_600.0, 3_629.0, 3_630.0)] == ["one", "one", "one", "two"]


def test_a_policy_is_what_the_message_says() -> None:
    policy = policy_of(answer("one"))
    assert policy.delta_of("rs") == 0.05
    assert policy.delta_of("py") == 0.0
    learned = policy.cost_of("rs", "map", 499)
    assert learned is not None
    assert (learned.share, learned.p_failure, learned.extra_tokens) == (0.2, 0.1, 700)
    assert learned.n == float("inf")  # the sender only tells what has evidence enough
    assert policy.cost_of("rs", "map", 500) is None
