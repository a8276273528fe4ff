"""Wakeups, and what becomes of what they place, as operations that the sync and the async client share.

Scores are kept here, with the agent, until its next wakeup or its end, and then told to the thresholds; an agent that
is killed takes the scores of its last wakeup with it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from actors.memory.fact import Found
from actors.memory.messages import Recall, Recalled, RecordWakeup
from actors.quality_store.messages import RecordTrial
from actors.runtime.errors import ScentfieldError
from actors.runtime.holdout import BEGIN_SHARE, is_held_out
from actors.thresholds.messages import GetPolicy, Policy, RecordPlacement
from actors.thresholds.placement import DEFAULT_SHARE
from coordinator.asking import Asker
from coordinator.memory.ground import Ground
from coordinator.memory.recollection import fused
from coordinator.reading.token_count import count_tokens
from coordinator.session import AgentSession
from coordinator.step import Operation, Work
from coordinator.waking.layout import Room, Wakeup, lay_out
from coordinator.waking.manifest import Manifest
from coordinator.waking.profile import tokens_of

MAX_FACTS: Final = 300
"""How many facts a wakeup is made of at most."""
MAX_TASK: Final = 2_000
"""So much of a task decides which facts are near it."""


@dataclass(slots=True)
class Waking:
    """What one agent was last given to begin with.

    `is_held_out` says in which arm of the layer `begin_share` that was; None if the layer had no say in it.
    """

    manifest: Manifest = field(default_factory=Manifest)
    is_held_out: bool | None = None

    def recalled(self, text: str, key: str, category: str) -> None:
        """The agent asked for facts: what was placed and is among them was missed."""
        self.manifest.n_calls += 1
        self.manifest.recalled(text, key, category)


@dataclass(frozen=True, slots=True)
class WakingPort:
    """Whom wakeups talk to beside the memory, and their settings. `thresholds` and `quality` wait a short time only."""

    thresholds: Asker
    quality: Asker
    waking: Waking
    own_tokens: Mapping[str, int]
    holdout_share: float
    utc: Callable[[], float] = field(default=time.time)


class WakingCalls:
    """Wakeups of one agent."""

    def __init__(self, ground: Ground, port: WakingPort) -> None:
        self._ground = ground
        self._port = port

    def wakeup(self, task: str, profile: str, max_tokens: int | None, category: str) -> Operation[Wakeup]:
        """What to begin with: the most salient facts, those near the task before others, and the task.

        Raises `Misuse` for an unknown profile, a cap that cannot be, or a category that is none.
        """
        room_tokens = tokens_of(profile, self._port.own_tokens, max_tokens)
        session: AgentSession = yield from self._ground.current()
        yield from self.settle(session)
        found = yield from self._facts(session, task, category)
        facts, contradicted = [one.fact for one in found], {one.fact.fact_id for one in found if one.in_conflict}
        share, note = yield from self._begin_share(session, profile)
        room = Room(profile, room_tokens, share, count_tokens)
        made: Wakeup = yield Work(lambda: lay_out(facts, task, room, note, contradicted))
        self._port.waking.manifest = Manifest(profile, made.placed)
        yield from self._count(session, made)
        return made

    def _facts(self, session: AgentSession, task: str, category: str) -> Operation[Sequence[Found]]:
        memory, space = self._ground.memory, self._ground.space
        salient: Recalled = yield from memory.query(session, Recall(space, "", category, "", MAX_FACTS))
        rankings = [salient.found]
        if any(map(str.isalnum, task)):
            near: Recalled = yield from memory.query(session, Recall(space, "", category, task[:MAX_TASK], MAX_FACTS))
            rankings.append(near.found)
        return fused(rankings, MAX_FACTS)

    def _begin_share(self, session: AgentSession, profile: str) -> Operation[tuple[float, str]]:
        """The share of the room for the beginning, and what has to be said of it."""
        self._port.waking.is_held_out = None
        try:
            policy: Policy = yield from self._port.thresholds.query(session, GetPolicy())
        except ScentfieldError as error:
            return DEFAULT_SHARE, f"the thresholds are {error.code}: placed as by default"
        shares = {row.profile: row.begin_share for row in policy.begin_shares}
        if profile not in shares:
            return policy.default_begin_share, ""
        held_out = is_held_out(BEGIN_SHARE, session.session_id, self._port.utc(), self._port.holdout_share)
        self._port.waking.is_held_out = held_out
        return (DEFAULT_SHARE if held_out else shares[profile]), ""

    def _count(self, session: AgentSession, made: Wakeup) -> Operation[None]:
        """Count a wakeup; what goes wrong here does not concern it."""
        counted = RecordWakeup(len(made.placed), made.n_tokens, made.n_flat_tokens)
        try:
            yield from self._ground.reports.request(session, counted)
        except ScentfieldError:
            return

    def settle(self, session: AgentSession) -> Operation[None]:
        """Tell the thresholds what became of the last wakeup, once. What goes wrong here is nobody's concern."""
        manifest, self._port.waking.manifest = self._port.waking.manifest, Manifest()
        told = [RecordPlacement(manifest.profile, *score) for score in manifest.scores()]
        if not told:
            return
        yield from self._told(session, self._port.thresholds, told)
        n_hits, n_misses = (sum(getattr(one, name) for one in told) for name in ("n_hits", "n_misses"))
        held_out, self._port.waking.is_held_out = self._port.waking.is_held_out, None
        if held_out is not None and n_hits + n_misses:
            trial = RecordTrial(BEGIN_SHARE, held_out, n_hits + n_misses, n_misses)
            yield from self._told(session, self._port.quality, [trial])

    def _told(self, session: AgentSession, asker: Asker, commands: Sequence[Any]) -> Operation[None]:
        """Tell something; nobody is held up where it cannot be told."""
        try:
            yield from asker.request_many(session, commands)
        except ScentfieldError:
            return
