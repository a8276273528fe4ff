"""Journals and diaries made by hand, as chaos runs leave them, on a clock that only `wait` moves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from actors.runtime.request_memory import Answered
from actors.runtime.wire import encode_request, pack
from actors.scent_field.event import LeaseEnded, LeaseGranted, LockDelayOver
from actors.sessions.registry import SessionEnded, SessionRegistered
from coordinator.chaos.account import account_of
from coordinator.chaos.judge import Violation, judge
from coordinator.chaos.nemesis import Deed
from coordinator.simulation.checker.terms import Terms
from coordinator.simulation.history import Committed, History

TERMS = Terms(ttl_s=4.0, lock_delay_s=1.0, idle_s=7_200.0, fade_s=1_600.0)
START_S = 1_000.0


class Chaos:
    """A run in the making: rows of the scent field, one diary for each agent, and deeds."""

    def __init__(self, diaries: Path) -> None:
        self.diaries = diaries
        self.at_s = START_S
        self.rows: list[Committed] = []
        self.deeds: list[Deed] = []
        self.n_calls = 0
        self.terms = TERMS

    def wait(self, for_s: float) -> None:
        self.at_s += for_s

    def commit(self, *events: Any, seq: int | None = None, field_s: float | None = None) -> None:
        seq = len(self.rows) + 1 if seq is None else seq
        field_s = self.at_s - START_S if field_s is None else field_s
        self.rows.append(Committed(self.at_s, "scent_field", 1, 1, seq, field_s, self.at_s, events, False))

    def registered(self, session_id: str) -> SessionRegistered:
        number = int(session_id.rpartition("#")[2])
        return SessionRegistered(session_id, number, "", "heartbeat", TERMS.ttl_s, b"", self.at_s - START_S)

    def granted(self, lease_id: int, session_id: str, target: str, generation: int) -> LeaseGranted:
        return LeaseGranted(lease_id, "house", session_id, (target,), False, generation, False, self.at_s - START_S, "")

    def answered(self, session_id: str, number: int, *answers: list[Any]) -> Answered:
        return Answered(session_id, number, 0, pack(list(answers)))

    def end(self, session_id: str, reason: str, *leases: int) -> None:
        """A session ends, and with it its claims; a lock delay later they are free."""
        now_s = self.at_s - START_S
        delay_s = TERMS.lock_delay_s if reason == "expired" else 0.0
        ended = [LeaseEnded("house", lease, reason, now_s, now_s + delay_s) for lease in leases]
        self.commit(SessionEnded(session_id, reason, now_s), *ended)
        if delay_s and leases:
            self.wait(delay_s)
            self.commit(*(LockDelayOver("house", lease) for lease in leases))

    def note(self, who: str, what: str, **fields: Any) -> None:
        line = {"what": what, "at_s": self.at_s, **fields}
        with (self.diaries / f"{who}.diary").open("a", encoding="utf-8") as diary:
            diary.write(json.dumps(line) + "\n")

    def ask(self, session_id: str, *commands: list[Any], number: int = 0) -> int:
        self.n_calls += 1
        raw = encode_request([(session_id, "token", number, 0, [], list(commands))]).hex()
        who = session_id.partition("#")[0]
        self.note(who, "sent", call=self.n_calls, domain="scent_field", raw=raw)
        return self.n_calls

    def hear(self, session_id: str, call: int, *answers: list[Any]) -> None:
        self.note(session_id.partition("#")[0], "heard", call=call, raw=pack([1, [list(answers)]]).hex())

    def beat(self, session_id: str) -> None:
        self.hear(session_id, self.ask(session_id, ["heartbeat", 0]), ["alive", 4.0, [], []])

    def write(self, session_id: str, generation: int, *, believed: bool, accepted: bool) -> None:
        self.note(
            session_id.partition("#")[0],
            "wrote",
            session_id=session_id,
            space="house",
            path="src/api.py",
            generation=generation,
            is_believed=believed,
            is_accepted=accepted,
        )

    def history(self) -> History:
        return account_of(self.diaries, self.rows, self.deeds, self.at_s)

    def violations(self) -> list[Violation]:
        return judge(self.history(), TERMS)

    def broken(self) -> list[str]:
        """The rules that it breaks, each once."""
        return sorted({violation.rule for violation in self.violations()})

    def messages(self) -> str:
        return "\n".join(violation.message for violation in self.violations())


@pytest.fixture
def chaos(tmp_path: Path) -> Chaos:
    """A run in which nothing has happened yet."""
    return Chaos(tmp_path)
