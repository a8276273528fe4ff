"""One question to the field about many changes, in as few requests as the wire takes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from actors.scent_field.messages import SCHEMA, Conflict, Guard, Guarded, Overtaken
from coordinator.conversation import Conversation, value_of
from coordinator.guard.changed_target import Map
from coordinator.guard.git_change import Changes
from coordinator.http_transport import HttpTransport

TARGETS_A_REQUEST: Final = 1_000
_DOMAIN: Final = "scent_field"


@dataclass(frozen=True, slots=True)
class Asker:
    """Who has changed things: agents by name, or processes; and the claim under which, if that is known."""

    names: tuple[str, ...] = ()
    seats: tuple[str, ...] = ()
    generation: int = 0


@dataclass(slots=True)
class Findings:
    """What is in the way of changes; its paths start at the top. `strictness` is that of their strictest space."""

    n_paths: int = 0
    strictness: str = ""
    agents: tuple[str, ...] = ()
    conflicts: list[Conflict] = field(default_factory=list)
    n_more: int = 0
    overtaken: list[Overtaken] = field(default_factory=list)
    n_more_overtaken: int = 0

    @property
    def n_faults(self) -> int:
        """How much is in the way."""
        return len(self.conflicts) + self.n_more + len(self.overtaken) + self.n_more_overtaken

    def add(self, told: Guarded, prefix: str) -> None:
        """Take one answer up. Of spaces in which nothing is in the way the strictness does not count."""
        is_fault = bool(told.conflicts or told.overtaken)
        if is_fault or not self.strictness:
            ranks = ("", "observe", "warn", "deny")
            known = self.strictness if self.n_faults else ""
            self.strictness = max(known, told.strictness, key=ranks.index)
        self.agents = self.agents or told.agents
        self.conflicts += [one._replace(target=prefix + one.target) for one in told.conflicts]
        self.n_more += told.n_more
        self.overtaken += [one._replace(target=prefix + one.target) for one in told.overtaken]
        self.n_more_overtaken += told.n_more_overtaken


def ask(
    transport: HttpTransport, changes: Changes, places: Map, asker: Asker, strictness: str, timeout_s: float
) -> Findings:
    """What is in the way of the changes. Raises `Unavailable`, and `Misuse` for what the field does not take."""
    findings = Findings(len(changes.paths))
    stranger = Conversation(SCHEMA, "", "")
    for prefix, question in _questions(changes, places, asker, strictness):
        reply = transport.call(_DOMAIN, stranger.unnumbered([question]), timeout_s)
        findings.add(value_of(stranger.answers(reply, 1)[0]), prefix)
    return findings


def _questions(changes: Changes, places: Map, asker: Asker, strictness: str) -> Iterator[tuple[str, Guard]]:
    now_s = time.time()
    asked: dict[tuple[str, str], dict[str, float]] = {}
    for path, at_utc_s in changes.paths.items():
        age_s = 0.0 if at_utc_s is None else max(0.0, now_s - at_utc_s)
        for space, prefix, target in places.places(path):
            ages = asked.setdefault((space, prefix), {})
            ages[target] = min(age_s, ages.get(target, age_s))
    for (space, prefix), ages in asked.items():
        targets = sorted(ages)
        for start in range(0, len(targets), TARGETS_A_REQUEST):
            part = targets[start : start + TARGETS_A_REQUEST]
            yield prefix, _question(space, part, [ages[target] for target in part], asker, strictness)


def _question(space: str, targets: Sequence[str], ages_s: Sequence[float], asker: Asker, strictness: str) -> Guard:
    ages = tuple(ages_s) if any(ages_s) else ()
    return Guard(space, tuple(targets), ages, asker.names, asker.seats, asker.generation, "guard", strictness)
