"""Whom or what a story is about: a target, an agent, a learned layer."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, Protocol

from actors.runtime.errors import BadTarget, Misuse
from actors.runtime.holdout import LAYERS
from actors.scent_field.target import Target, TargetKind, overlaps, parse_target
from coordinator.domain import MEMORY, QUALITY_STORE, SCENT_FIELD, THRESHOLDS
from coordinator.learning.layer import DOMAIN_OF
from coordinator.story.fact import Draft
from coordinator.story.switch_teller import layer_key

_AGENT: Final = re.compile(r".*#[0-9]*")
_MAX_AGENT: Final = 1_200
_N_CACHED: Final = 20_000
_WORK: Final = (SCENT_FIELD, QUALITY_STORE)
_LEARNING: Final = (THRESHOLDS, MEMORY)


class Subject(Protocol):
    """What a story is told of; `domains` are those whose journals may know of it."""

    @property
    def kind(self) -> str: ...  # noqa: D102 - the protocol's docstring says it

    @property
    def key(self) -> str: ...  # noqa: D102 - the protocol's docstring says it

    @property
    def domains(self) -> tuple[str, ...]: ...  # noqa: D102 - the protocol's docstring says it

    def concerns(self, draft: Draft) -> bool: ...  # noqa: D102 - the protocol's docstring says it


def names_an_agent(text: str) -> bool:
    """Whether it is spelled as an agent's identity, `ann#3`, or as all of a name, `ann#`."""
    return _AGENT.fullmatch(text) is not None


@dataclass(frozen=True)
class AgentSubject:
    """An agent by its identity; `name#` is every agent of that name. Raises `Misuse` for what can be neither."""

    key: str
    kind: str = "agent"
    domains: tuple[str, ...] = (*_WORK, *_LEARNING)

    def __post_init__(self) -> None:
        if not names_an_agent(self.key) or len(self.key) > _MAX_AGENT or self.key.startswith("#"):
            raise Misuse(f"{self.key[:80]!r} is no agent: name one as `sessions` lists it, ann#3, or all of them, ann#")

    def concerns(self, draft: Draft) -> bool:
        """Whether the agent acted, or was acted upon."""
        return self._is_meant(draft.agent) or any(map(self._is_meant, draft.others))

    def _is_meant(self, agent: str) -> bool:
        return agent == self.key or (self.key.endswith("#") and agent.rpartition("#")[0] == self.key[:-1])


@dataclass(frozen=True)
class LayerSubject:
    """A learned layer: who has switched it on or off. Raises `Misuse` for what is none."""

    key: str
    kind: str = "layer"

    def __post_init__(self) -> None:
        if self.key not in LAYERS:
            raise Misuse(f"{self.key[:80]!r} is no learned layer: give one of {', '.join(LAYERS)}")

    @property
    def domains(self) -> tuple[str, ...]:
        """That which serves it."""
        return (DOMAIN_OF[self.key],)

    def concerns(self, draft: Draft) -> bool:
        """Whether it was switched."""
        return draft.known_as == layer_key(self.key)


@dataclass(frozen=True)
class TargetSubject:
    """A target of a claim space: a file, and with it all claims that cover it, or a folder, glob or label."""

    space: str
    key: str
    kind: str = "target"
    domains: tuple[str, ...] = _WORK

    @cached_property
    def target(self) -> Target:
        """The target. Raises `BadTarget`."""
        return parse_target(self.key)

    def concerns(self, draft: Draft) -> bool:
        """Whether it happened on the target, on what covers it, or on what it covers."""
        return draft.space == self.space and bool(self.meeting(draft.targets))

    def meeting(self, targets: Iterable[str]) -> tuple[str, ...]:
        """Those of these targets that overlap this one."""
        target = self.target
        is_narrow = target.kind in (TargetKind.FILE, TargetKind.LABEL)
        return tuple(text for text in targets if text == self.key or self._meets(text, target, is_narrow=is_narrow))

    @staticmethod
    def _meets(text: str, target: Target, *, is_narrow: bool) -> bool:
        other = _target_of(text)
        if other is None or (is_narrow and other.kind is target.kind):  # two different files, or labels
            return False
        return overlaps(target, other)


@lru_cache(maxsize=_N_CACHED)
def _target_of(text: str) -> Target | None:
    """The target that a journal names; None for a text that this version would not take."""
    try:
        return parse_target(text)
    except BadTarget:
        return None
