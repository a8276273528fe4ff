"""A memory that a test talks to in words, on a clock of days."""

from __future__ import annotations

from typing import Any

import pytest

from actors.memory.entry import Draft
from actors.memory.fact import FactDraft
from actors.memory.factory import make_memory
from actors.memory.messages import (
    Added,
    AddEntry,
    GetPlaybook,
    PlaybookView,
    Recall,
    Recalled,
    Remember,
    TakeCheckpoint,
)
from actors.runtime.machine import NOBODY, Caller, Now

SPACE = "home"


class Desk:
    """`desk("ann", Command(...))` performs a command as a session; `desk.now_s` is the time."""

    def __init__(self, **limits: int) -> None:
        self.machine = make_memory(**limits)
        self.now_s = 1_000.0

    def __call__(self, agent: str, command: Any) -> Any:
        caller = Caller(f"{agent}#1") if agent else NOBODY
        answer = self.machine.perform(caller, command, Now(0.0, self.now_s))
        self.machine.check_invariants()
        return answer

    def add(
        self, content: str, *, agent: str = "ann", kind: str = "Fact", scope: str = "session", about: str = ""
    ) -> Added:
        added: Added = self(agent, AddEntry(SPACE, scope, Draft(kind, content, about)))
        return added

    def checkpoint(self, *contents: str, agent: str = "ann", scope: str = "session") -> Any:
        return self(agent, TakeCheckpoint(SPACE, scope, tuple(Draft("Fact", content) for content in contents)))

    def playbook(self, owner: str = "ann#1") -> PlaybookView:
        view: PlaybookView = self("", GetPlaybook(SPACE, owner))
        return view

    def remember(self, key: str, value: str, *, agent: str = "ann", space: str = SPACE, **more: Any) -> Any:
        draft = FactDraft(more.pop("category", "api"), key, value, **more)
        return self(agent, Remember(space, draft))

    def recall(self, *, key: str = "", category: str = "", text: str = "", n: int = 10, space: str = SPACE) -> Recalled:
        recalled: Recalled = self("", Recall(space, key, category, text, n))
        return recalled

    def values(self, **asked: Any) -> list[str]:
        return [one.fact.value for one in self.recall(**asked).found]


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture
def make_desk() -> type[Desk]:
    return Desk
