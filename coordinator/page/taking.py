"""What a person may do from the page: take a target away from whoever holds it. Each time stands in the audit."""

from __future__ import annotations

import random
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from actors.runtime.errors import Misuse
from actors.scent_field.messages import ForceRelease, Released
from coordinator.asking import Asker
from coordinator.domain import SCENT_FIELD
from coordinator.gateway.party import agent_name
from coordinator.heart import monotonic_s
from coordinator.session import AgentSession, new_token, register, say_goodbye
from coordinator.step import Operation

SOMEBODY: Final = "page"
_TTL_S: Final = 60.0


class Taking(BaseModel):
    """Which target, why, and who says so; `even_if_alive` takes it from a holder that is alive too."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    space: str = Field(min_length=1, max_length=1_024)
    target: str = Field(min_length=1, max_length=4_096)
    reason: str = Field(min_length=1, max_length=200)
    even_if_alive: bool = False
    by: str = Field(default="", max_length=64)


def read_taking(body: bytes) -> Taking:
    """What was asked for. Raises `Misuse` that names each fault."""
    try:
        return Taking.model_validate_json(body)
    except ValidationError as error:
        faults = "; ".join(f"{'.'.join(map(str, one['loc'])) or 'body'}: {one['msg']}" for one in error.errors())
        raise Misuse(f"this is no release: {faults}") from error


def take(asked: Taking, timeout_s: float) -> Operation[tuple[str, Released]]:
    """Take it away as an agent of this one moment; returns who that was, as the audit names it, and what came of it."""
    name = agent_name(asked.by) if asked.by.strip() else SOMEBODY
    session: AgentSession = yield from register(
        name=name,
        parent="",
        kept_by="heartbeat",
        ttl_s=max(_TTL_S, timeout_s),
        token=new_token(),
        now_s=monotonic_s(),
        timeout_s=timeout_s,
    )
    asker = Asker(SCENT_FIELD, timeout_s=timeout_s, jitter=random.random)
    command = ForceRelease(asked.space, asked.target, asked.reason, asked.even_if_alive)
    try:
        released: Released = yield from asker.request(session, command)
    finally:
        yield from say_goodbye(session, timeout_s)
    return session.session_id, released
