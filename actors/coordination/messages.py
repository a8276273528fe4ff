"""What concerns a session and its claims together."""

from __future__ import annotations

from typing import NamedTuple

from actors.runtime.received import SCHEMA as RECEIVED_SCHEMA
from actors.runtime.wire import Schema
from actors.scent_field.messages import SCHEMA as FIELD_SCHEMA
from actors.scent_field.messages import Loss
from actors.sessions.messages import SCHEMA as SESSIONS_SCHEMA


class Heartbeat(NamedTuple):
    """I am alive. `losses_through` is the number of the last lost claim that I have been told of."""

    losses_through: int


class Wanted(NamedTuple):
    """Somebody waits for one of your claims."""

    space: str
    target: str
    waiter: str


class Alive(NamedTuple):
    """Taken: the session lives on for `expires_in_s` seconds. What it lost since, and who waits for what it holds."""

    expires_in_s: float
    losses: tuple[Loss, ...]
    wanted: tuple[Wanted, ...]


SCHEMA = (
    SESSIONS_SCHEMA
    + FIELD_SCHEMA
    + RECEIVED_SCHEMA
    + Schema(
        commands={"heartbeat": Heartbeat},
        answers={"alive": Alive},
        liveness=["heartbeat"],
    )
)
