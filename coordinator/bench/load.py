"""What one process does in a round: the same call over and over. Tidying up afterwards is not timed."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any, Final, Protocol

import ray

from actors.runtime.errors import InvariantBroken
from actors.scent_field.messages import Claim, ClaimEach, Noted, Progress, Release
from coordinator.asking import Asker
from coordinator.bench.noop import NOOP
from coordinator.client import Coordinator
from coordinator.conversation import Conversation
from coordinator.core import Core
from coordinator.domain import DOMAINS, SCENT_FIELD
from coordinator.step import drive

HEAT: Final = 0.3
_CALL_S: Final = 60.0
_N_WARM_PATHS: Final = 1_000
_TARGETS_A_RELEASE: Final = 256
_INTENT: Final = "measure"


class Load(Protocol):
    """One kind of call."""

    def call(self) -> None:
        """The call that is timed. Raises `InvariantBroken` if it did not do its work."""

    def tidy(self) -> None:
        """Take back what the round's calls have done."""


class Claims:
    """Durable claims on targets that nobody else asks for, by the public client."""

    def __init__(self, core: Core, agent: Coordinator, prefix: str, batch: int) -> None:
        self._core = core
        self._agent = agent
        self._batch = batch
        self._names = (f"{prefix}/f{number}.py" for number in itertools.count())
        self._claimed: list[str] = []

    def call(self) -> None:
        """Claim one target, or a batch of them in one call."""
        targets = list(itertools.islice(self._names, self._batch))
        self._claimed += targets
        if self._batch == 1:
            granted = bool(self._agent.claim(targets[0], intent=_INTENT))
        else:
            granted = all(self._agent.claim_each(targets, intent=_INTENT))
        if not granted:
            raise InvariantBroken(f"somebody else holds one of {targets[:3]!r}: nobody else asks for them")

    def tidy(self) -> None:
        """Release all of them."""
        for start in range(0, len(self._claimed), _TARGETS_A_RELEASE):
            targets = tuple(self._claimed[start : start + _TARGETS_A_RELEASE])
            _ask(self._core, [Release(self._core.space, targets, 0, False)])
        self._claimed = []


class Warmth:
    """Relaxed notes of progress, as a read leaves them: HOT 0.3, committed within a second. They fade by themselves."""

    def __init__(self, core: Core, prefix: str, batch: int) -> None:
        self._core = core
        self._batch = batch
        self._commands = itertools.cycle(
            Progress(core.space, f"{prefix}/f{number}.py", HEAT, 0.0) for number in range(_N_WARM_PATHS)
        )

    def call(self) -> None:
        """Tell of one path, or of a batch of them in one call."""
        answers = _ask(self._core, list(itertools.islice(self._commands, self._batch)))
        if not all(isinstance(answer, Noted) for answer in answers):
            raise InvariantBroken(f"progress was refused: {answers[0]!r}")

    def tidy(self) -> None:
        """Nothing to take back."""


class Calls:
    """No-op calls of an async actor, with as many bytes as the claims' requests have."""

    def __init__(self, namespace: str, commands: Sequence[Any]) -> None:
        self._actor: Any = ray.get_actor(NOOP, namespace=namespace)
        conversation = Conversation(DOMAINS[SCENT_FIELD].schema, "bench-0#1", "0" * 32)
        _, self._raw = conversation.numbered(commands)

    def call(self) -> None:
        """There and back."""
        ray.get(self._actor.noop.remote(self._raw), timeout=_CALL_S)

    def tidy(self) -> None:
        """Nothing to take back."""


def _ask(core: Core, commands: Sequence[Any]) -> list[Any]:
    if core.session is None or core.transport is None:
        raise InvariantBroken("the worker has no session")
    asker = Asker(SCENT_FIELD, timeout_s=_CALL_S, jitter=random.random)
    return drive(asker.request_many(core.session, commands), core.transport)


def reference_commands(space: str, prefix: str, batch: int, *, durable: bool) -> list[Any]:
    """The commands whose size a reference call has."""
    paths = [f"{prefix}/f{number}.py" for number in range(batch)]
    if durable and batch == 1:
        return [Claim(space, (paths[0],), "exclusive", 0.0, _INTENT)]
    if durable:
        return [ClaimEach(space, tuple(paths), "exclusive", _INTENT)]
    return [Progress(space, path, HEAT, 0.0) for path in paths]
