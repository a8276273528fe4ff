"""A process's session: who it is, until when it may believe that it is alive, and what it has lost.

The client keeps a deadline of its own, counted from when its last good heartbeat was *sent*: past it nothing that it
holds is valid, whether or not anybody has told it so. Times are the caller's monotonic seconds.
"""

from __future__ import annotations

import math
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from actors.coordination.messages import Alive, Heartbeat, Wanted
from actors.runtime.errors import ScentfieldError, UnknownAgent
from actors.scent_field.messages import Granted, ListLosses, Loss, Losses
from actors.sessions.messages import Goodbye, Register, Registered
from coordinator.conversation import Conversation, value_of
from coordinator.domain import DOMAINS, SCENT_FIELD
from coordinator.step import Call, Operation

MAX_LOSSES: Final = 256

ClaimKey: TypeAlias = tuple[str, int, tuple[str, ...]]
"""One claim of this session: (space, generation, targets).

A plain tuple of plain values: Python's garbage collector soon leaves those alone. A session may hold very many claims,
and as NamedTuples they would be looked at again and again; that was a fifth of what a batch cost its caller.
"""


@dataclass(slots=True)
class AgentSession:
    """One registered session and its conversations with the actors."""

    session_id: str
    token: str = field(repr=False)
    kept_by: str
    ttl_s: float
    valid_until_s: float
    losses: list[Loss] = field(default_factory=list)
    wanted: tuple[Wanted, ...] = ()
    end: UnknownAgent | None = None
    held: dict[ClaimKey, float] = field(default_factory=dict)
    conversations: dict[str, Conversation] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)
    nudge: Callable[[], None] = field(default=lambda: None, repr=False)

    def __post_init__(self) -> None:
        self.conversations = {
            name: Conversation(domain.schema, self.session_id, self.token) for name, domain in DOMAINS.items()
        }

    def is_valid(self, monotonic_s: float) -> bool:
        """Whether the session surely lives, by the client's own deadline."""
        return self.end is None and (self.kept_by == "decay" or monotonic_s < self.valid_until_s)

    @property
    def newest_loss(self) -> int:
        """The number of the last loss that was heard of; losses are numbered upwards."""
        return max((loss.number for loss in self.losses), default=0)

    def took_each(self, space: str, claims: Sequence[Granted], monotonic_s: float, newest_loss: int) -> None:
        """Claims were granted or renewed by a request that was sent at `monotonic_s`, when `newest_loss` was known.

        A grant may be overtaken by the heartbeat that tells of its loss; it is not believed any more then.
        """
        fades = self.kept_by == "decay"
        with self.lock:
            lost = {loss.generation for loss in self.losses if loss.number > newest_loss and loss.space == space}
            for claim in claims:
                if claim.generation not in lost:
                    until_s = monotonic_s + claim.expires_in_s if fades else math.inf
                    self.held[space, claim.generation, claim.targets] = until_s

    def holds(self, space: str, granted: Granted, monotonic_s: float) -> bool:
        """Whether a claim may be believed: neither given back, handed over nor lost, and the session surely lives."""
        until_s = self.held.get((space, granted.generation, granted.targets))
        return until_s is not None and monotonic_s < until_s and self.is_valid(monotonic_s)

    def has_lost(self, space: str, generation: int) -> bool:
        """Whether this claim is known to be lost."""
        return any(loss.space == space and loss.generation == generation for loss in self.losses)

    def gave(self, space: str, *, generation: int = 0, targets: tuple[str, ...] = ()) -> None:
        """Claims of this generation, and claims with one of these targets, are held no longer as they were."""
        with self.lock:
            for key in [key for key in self.held if key[0] == space]:
                _, held_generation, held_targets = key
                if held_generation == generation or (not generation and not set(targets).isdisjoint(held_targets)):
                    del self.held[key]

    def heard(self, alive: Alive, sent_at_s: float) -> None:
        """A heartbeat that was sent at `sent_at_s` has been taken."""
        with self.lock:
            self.valid_until_s = max(self.valid_until_s, sent_at_s + alive.expires_in_s)
            known = {loss.number for loss in self.losses}
            self.losses += [loss for loss in alive.losses if loss.number not in known]
            self._drop_lost(alive.losses)
            del self.losses[:-MAX_LOSSES]
            self.wanted = alive.wanted

    def _drop_lost(self, losses: tuple[Loss, ...]) -> None:
        lost = {(loss.space, loss.generation) for loss in losses}
        if not lost:
            return
        for key in [key for key in self.held if key[:2] in lost]:
            del self.held[key]

    def ended(self, error: UnknownAgent, losses: tuple[Loss, ...]) -> UnknownAgent:
        """The coordinator does not know the session any more; what it lost is part of the error."""
        with self.lock:
            self.losses = list(losses)
            self.held.clear()
            lost = "; ".join(_told(loss) for loss in losses[:5])
            self.end = UnknownAgent(f"{error.message}. Lost: {lost}" if lost else error.message)
            return self.end


def _told(loss: Loss) -> str:
    holder = f", now held by {loss.new_holder}" if loss.new_holder else ""
    return f"{', '.join(loss.targets[:3])} (generation {loss.generation}, {loss.reason}{holder})"


def register(
    *, name: str, parent: str, kept_by: str, ttl_s: float, token: str, now_s: float, timeout_s: float, seat: str = ""
) -> Operation[AgentSession]:
    """Begin a session. Raises `Misuse` for a bad name, `UnknownAgent` for a dead parent, `Unavailable`."""
    command = Register(name, token, parent, kept_by, ttl_s, seat)
    stranger = Conversation(DOMAINS[SCENT_FIELD].schema, "", "")
    raw = yield Call(SCENT_FIELD, stranger.unnumbered([command]), timeout_s)
    answer: Registered = value_of(stranger.answers(raw, 1)[0])
    return AgentSession(answer.session_id, token, kept_by, ttl_s, now_s + answer.expires_in_s)


def new_token() -> str:
    """A secret for a new session: 32 hex digits."""
    return secrets.token_hex(16)


def beat(session: AgentSession, sent_at_s: float, timeout_s: float) -> Operation[Alive]:
    """Say that the session is alive. Raises `UnknownAgent` with all that was lost if it is not any more."""
    conversation = session.conversations[SCENT_FIELD]
    told = conversation.told()
    raw = yield Call(SCENT_FIELD, conversation.unnumbered([Heartbeat(session.newest_loss)]), timeout_s)
    try:
        alive: Alive = value_of(conversation.answers(raw, 1)[0])
    except UnknownAgent as error:
        raise (yield from explain_end(session, error, timeout_s)) from error
    conversation.received(0, told)
    session.heard(alive, sent_at_s)
    return alive


def explain_end(session: AgentSession, error: UnknownAgent, timeout_s: float) -> Operation[UnknownAgent]:
    """Ask what the session lost and who has it now; returns the error to raise."""
    if session.end is not None:
        return session.end
    conversation = session.conversations[SCENT_FIELD]
    try:
        raw = yield Call(SCENT_FIELD, conversation.unnumbered([ListLosses(session.session_id)]), timeout_s)
        losses: Losses = value_of(conversation.answers(raw, 1)[0])
    except ScentfieldError:
        return session.ended(error, ())
    return session.ended(error, losses.losses)


def say_goodbye(session: AgentSession, timeout_s: float) -> Operation[int]:
    """End the session; returns how many claims were released."""
    conversation = session.conversations[SCENT_FIELD]
    number, raw = conversation.numbered([Goodbye()])
    reply = yield Call(SCENT_FIELD, raw, timeout_s)
    conversation.received(number)
    n_released: int = value_of(conversation.answers(reply, 1)[0]).n_released
    return n_released
