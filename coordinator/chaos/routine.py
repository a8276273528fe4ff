"""What an agent of a chaos run does with its time, drawn act by act; it keeps a diary of all that the judge needs."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any, Final

from actors.runtime.errors import Busy, Misuse, ScentfieldError, Unavailable, UnknownAgent
from coordinator.answer import Claimed, NotGranted
from coordinator.chaos.diary import Diary
from coordinator.chaos.fenced_folder import FencedFolder
from coordinator.client import Coordinator
from coordinator.simulation.universe import FILES, PATHS, TARGETS, covers

_MAX_HELD: Final = 3
_THINK_S: Final = 0.25
_BACK_OFF_S: Final = (0.3, 1.5)
_MAX_WAIT_S: Final = 2.5
_LATE_S: Final = 1.0
_READ_SHARE: Final = 0.5


def counter_line(place: int, count: int) -> str:
    """The line of a file that the agent at this place edits."""
    return f"agent {place} has been here {count} times\n"


class Routine:
    """One agent at work. `place` is its line in the files, which no other agent edits while it lives."""

    def __init__(
        self, agent: Coordinator, *, diary: Diary, resource: FencedFolder, root: Path, place: int, random: Random
    ) -> None:
        self._agent = agent
        self._diary = diary
        self._resource = resource
        self._root = root
        self._place = place
        self._random = random
        self._claims: list[Claimed] = []
        self._others: list[str] = []
        idle: dict[Callable[[], None], int] = {
            self._claim: 40,
            self._claim_any: 8,
            self._edit: 20,
            self._deposit: 6,
            self._ask: 6,
            self._leave: 1,
        }
        busy: dict[Callable[[], None], int] = {
            self._release: 26,
            self._write: 36,
            self._check: 10,
            self._edit: 14,
            self._renew: 6,
            self._transfer: 5,
        }
        self._idle, self._idle_weights = list(idle), list(idle.values())
        self._busy, self._busy_weights = list(busy), list(busy.values())

    def step(self) -> None:
        """Do the next thing, then think. What must not happen goes into the diary as a `surprise`."""
        try:
            self._next()()
        except UnknownAgent:
            self._begin_anew()
        except (Busy, Unavailable):
            time.sleep(self._random.uniform(*_BACK_OFF_S))
        except Exception as error:  # whatever it is, the judge has to see it
            self._diary.note("surprise", time.time(), message=f"{type(error).__name__}: {error}")
        time.sleep(self._random.expovariate(1.0 / _THINK_S))

    def _next(self) -> Callable[[], None]:
        self._claims = [claim for claim in self._claims if not claim.is_released]
        if self._claims and (len(self._claims) >= _MAX_HELD or self._random.random() < 0.6):
            return self._random.choices(self._busy, self._busy_weights)[0]
        return self._random.choices(self._idle, self._idle_weights)[0]

    def _begin_anew(self) -> None:
        """The session is over. What was under way is written all the same, by an agent that does not look."""
        late, self._claims = self._claims, []
        for claim in late:
            time.sleep(self._random.uniform(0.0, _LATE_S))
            self._write_to(claim)
        while True:
            try:
                self._agent.register_anew()
                return
            except (Busy, Unavailable):
                time.sleep(self._random.uniform(*_BACK_OFF_S))

    # Looking for work

    def _targets(self) -> list[str]:
        n_targets = 1 if self._random.random() < 0.75 else 2
        return self._random.sample(TARGETS, n_targets)

    def _how(self) -> dict[str, Any]:
        wait_s = 0.0 if self._random.random() < 0.5 else round(self._random.uniform(0.3, _MAX_WAIT_S), 3)
        return {"shared": self._random.random() < 0.3, "wait_s": wait_s, "intent": "chaos"}

    def _claim(self) -> None:
        self._take(self._agent.claim(self._targets(), **self._how()))

    def _claim_any(self) -> None:
        self._take(self._agent.claim_any(self._random.sample(TARGETS, 3), **self._how()))

    def _take(self, answer: Claimed | NotGranted) -> None:
        if isinstance(answer, Claimed):
            same = (answer.generation, answer.targets)
            self._claims = [one for one in self._claims if (one.generation, one.targets) != same]
            self._claims.append(answer)
        else:
            self._others = [conflict.holder for conflict in answer.conflicts]

    def _deposit(self) -> None:
        kind = self._random.choice(("HOT", "STUCK", "DONE", "AVOID"))
        self._agent.deposit(self._random.choice(TARGETS), kind, intensity=0.5)

    def _ask(self) -> None:
        if self._random.random() < 0.5:
            self._agent.sync(limit=5)
        else:
            self._agent.statistics()

    def _leave(self) -> None:
        """Give everything back and begin anew, as an agent does that is done."""
        for claim in self._claims:
            claim.release(done=True)

    def _edit(self) -> None:
        path = self._random.choice(FILES)
        if self._random.random() < _READ_SHARE:
            self._agent.read(path, self._random.choice(("auto", "map", "full")))
        before = count_in(self._root / path, self._place)
        old, new = counter_line(self._place, before), counter_line(self._place, before + 1)
        edited = self._agent.edit(path, old, new)
        if edited.applied:
            self._diary.note("edited", time.time(), path=path, place=self._place, count=before + 1)
        elif edited.cause != "claimed":
            self._diary.note("surprise", time.time(), message=f"an edit of {path} failed: {edited.message}")

    # Working with what is held

    def _some_claim(self) -> Claimed:
        return self._random.choice(self._claims)

    def _release(self) -> None:
        claim = self._some_claim()
        if len(claim.targets) > 1 and self._random.random() < 0.4:
            self._claims.remove(claim)
            self._agent.release(claim.targets[0])
        else:
            claim.release(done=self._random.random() < 0.3)

    def _renew(self) -> None:
        claim = self._some_claim()
        self._take(self._agent.claim(claim.targets, intent="chaos"))

    def _check(self) -> None:
        claim = self._some_claim()
        self._agent.check(self._path_of(claim), claim.generation)

    def _transfer(self) -> None:
        claim = self._some_claim()
        if not self._others:
            return
        self._claims.remove(claim)
        with suppress(Misuse):  # the other has ended meanwhile, or the claim has
            self._agent.transfer(claim.generation, self._random.choice(self._others), note="yours now")

    def _write(self) -> None:
        """Perhaps ask whether the claim holds, think, and write: the process may be stopped in between."""
        claim = self._some_claim()
        if self._random.random() < 0.5 and not self._agent.check(self._path_of(claim), claim.generation):
            return
        time.sleep(self._random.expovariate(5.0))
        self._write_to(claim)

    def _write_to(self, claim: Claimed) -> None:
        path = self._path_of(claim)
        who = self._agent.agent_id
        write = self._resource.write(path, claim.generation, who, lambda: claim.valid)
        self._diary.note(
            "wrote",
            write.at_s,
            space=self._agent.space,
            session_id=who,
            path=path,
            generation=claim.generation,
            is_believed=write.is_believed,
            is_accepted=write.is_accepted,
        )

    def _path_of(self, claim: Claimed) -> str:
        """A path that a claim covers; often the same one, so that others have written it."""
        paths = [path for path in PATHS if any(covers(one, path) for one in claim.targets)]
        return paths[0] if self._random.random() < 0.7 else self._random.choice(paths)

    def close(self) -> None:
        """Say goodbye, if anybody listens."""
        with suppress(ScentfieldError):
            self._agent.close()


def count_in(file: Path, place: int) -> int:
    """How often the agents at this place have edited a file. Raises `ValueError` for one that has lost the line."""
    start = f"agent {place} has been here "
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith(start):
            return int(line.removeprefix(start).partition(" ")[0])
    raise ValueError(f"{file.name} has lost the line of the agent at place {place}")
