"""Giving claims up: back to the field, or to somebody else.

Whoever asks for that and hears no answer cannot know whose a claim is now, and believes in it no longer. A request that
was refused has changed nothing, and neither has belief.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from actors.runtime.errors import Misuse
from actors.scent_field.messages import Granted, Held, Release, Released, Transfer
from coordinator.asking import Asker
from coordinator.session import AgentSession
from coordinator.step import Operation


def release(asker: Asker, session: AgentSession, command: Release) -> Operation[Released]:
    """Give targets back, or a whole claim by its generation."""
    with _giving(session, command.space, command.generation, command.targets):
        released: Released = yield from asker.request(session, command)
    session.gave(command.space, generation=command.generation, targets=command.targets)
    return released


def transfer(asker: Asker, session: AgentSession, command: Transfer) -> Operation[Granted | Held]:
    """Hand a claim over to another session; `Held` if somebody is in its way."""
    with _giving(session, command.space, command.generation):
        answer: Granted | Held = yield from asker.request(session, command)
    if isinstance(answer, Granted):
        session.gave(command.space, generation=command.generation)
    return answer


@contextmanager
def _giving(session: AgentSession, space: str, generation: int, targets: tuple[str, ...] = ()) -> Iterator[None]:
    """Around a request to give claims up; whatever breaks it off but a refusal may have come after it was done."""
    try:
        yield
    except Misuse:
        raise
    except BaseException:
        session.gave(space, generation=generation, targets=targets)
        raise
