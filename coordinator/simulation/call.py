"""One request on its way from a caller to an actor."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from actors.runtime.wire import unpack_own
from coordinator.simulation.history import Message, Sent

Hear: TypeAlias = Callable[["Call", bytes | None], None]
"""Takes the reply of a call; None if nobody could be reached. May be called more than once."""


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A request: who asks, which actor, what, and who hears the reply."""

    number: int
    who: str
    actor: str
    raw: bytes
    hear: Hear


def sent(call: Call, at_s: float) -> Sent:
    """The record of a request of one envelope."""
    _version, ((session_id, _token, number, received_through, abandoned, commands),) = unpack_own(call.raw)
    return Sent(
        at_s, call.who, call.number, call.actor, session_id, number, received_through, tuple(abandoned), tuple(commands)
    )


def answers_of(raw: bytes) -> tuple[Message, ...]:
    """The answers of a reply to one envelope."""
    _version, envelopes = unpack_own(raw)
    answers: list[Any] = envelopes[0]
    return tuple(answers)
