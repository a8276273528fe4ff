"""Sessions of callers that live for one command, kept as private files between their calls.

Each agent has one file with its session's identity, its token, and which request numbers are in use. Several processes
may act for one agent at once: each reserves a block of numbers before it asks anything, and gives it back when all its
answers are there. A block whose process has died was never given back, so nobody heard those answers: its numbers are
given up, which undoes what they were granted. The token stands in the file before it is registered; a caller that dies
between the two registers again with it and gets the same session.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from actors.runtime.errors import NOT_OURS, Busy, Corrupt
from coordinator.cli.process import ProcessMark, own_mark
from coordinator.conversation import Numbers
from coordinator.domain import DOMAINS
from coordinator.editing.file_lock import locked
from coordinator.folder import private_folder
from coordinator.session import new_token

BLOCK: Final = 256  # as many as a session may leave unacknowledged
MAX_BLOCKS: Final = 64
KEPT_S: Final = 7 * 86_400.0
LOCK_S: Final = 30.0
_UNUSABLE: Final = re.compile(r"[^A-Za-z0-9._@+-]+")


class Block(NamedTuple):
    """Request numbers from `first` on, in use by one process."""

    first: int
    owner: ProcessMark

    @property
    def numbers(self) -> range:
        """All of them."""
        return range(self.first, self.first + BLOCK)


@dataclass(frozen=True, slots=True)
class KeptSession:
    """What is kept of one agent's session. `session_id` is empty until the coordinator has answered.

    `given_up`, by domain, are numbers that the actor has not been told of yet.
    """

    name: str
    space: str
    token: str = field(repr=False)
    session_id: str = ""
    last: int = 0
    blocks: tuple[Block, ...] = ()
    given_up: Mapping[str, frozenset[int]] = field(default_factory=dict)

    def reserve(self, owner: ProcessMark) -> tuple[KeptSession, Block]:
        """Take the next block of numbers, and give up those of processes that have died."""
        alive = tuple(block for block in self.blocks if block.owner.may_run(owner.at_s))
        if len(alive) >= MAX_BLOCKS:
            raise Busy(f"{len(alive)} commands of agent {self.name!r} are running, which is the limit: wait for one")
        dead = frozenset(number for block in self.blocks if block not in alive for number in block.numbers)
        given_up = {domain: self.given_up.get(domain, frozenset()) | dead for domain in DOMAINS}
        block = Block(self.last + 1, owner)
        last = block.numbers[-1]
        return replace(self, last=last, blocks=(*alive, block), given_up=given_up), block

    def numbers(self, block: Block, domain: str) -> Numbers:
        """What a conversation of that block's process needs."""
        others = [one.first for one in self.blocks if one != block]
        last = block.numbers[-1]
        return Numbers(block.first, last, min(others, default=last + 1), self.given_up.get(domain, frozenset()))

    def settle(
        self, block: Block, told: Mapping[str, frozenset[int]], left: Mapping[str, frozenset[int]]
    ) -> KeptSession:
        """Give a block back. `told` was to be told when it was taken, `left` still is; both by domain."""
        none: frozenset[int] = frozenset()
        given_up = {
            domain: (self.given_up.get(domain, none) - told.get(domain, none)) | left.get(domain, none)
            for domain in DOMAINS
        }
        return replace(self, blocks=tuple(one for one in self.blocks if one != block), given_up=given_up)

    def to_plain(self) -> dict[str, Any]:
        """For the file."""
        return {**asdict(self), "given_up": {domain: sorted(numbers) for domain, numbers in self.given_up.items()}}

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> KeptSession:
        """From the file. Raises one of `NOT_OURS` for other data."""
        return cls(
            name=str(plain["name"]),
            space=str(plain["space"]),
            token=str(plain["token"]),
            session_id=str(plain["session_id"]),
            last=int(plain["last"]),
            blocks=tuple(Block(int(first), ProcessMark.from_plain(*owner)) for first, owner in plain["blocks"]),
            given_up={domain: frozenset(map(int, numbers)) for domain, numbers in plain["given_up"].items()},
        )


class SessionFolder:
    """The kept sessions of one coordinator and claim space. `now` gives seconds since the epoch."""

    def __init__(self, state_dir: Path, namespace: str, space: str, *, now: Callable[[], float] = time.time) -> None:
        self._space = space
        self.digest = _digest(f"{namespace}\0{space}")
        self._folder = state_dir / "sessions" / self.digest
        self._now = now

    def path(self, name: str) -> Path:
        """The file of an agent; two names never share one, also where case does not count."""
        return self._folder / f"{file_stem(name)}.json"

    def nearest(self, names: list[str]) -> str | None:
        """The first of these agents that has a session here."""
        return next((name for name in names if self.path(name).is_file()), None)

    def begin(self, name: str, register: Callable[[str], str]) -> tuple[KeptSession, Block]:
        """The agent's session and a block of numbers to use.

        Where there is no session, `register` is called with a new token and returns the identity. Raises what it
        raises, `Corrupt` for a file that cannot be read, and `Busy`.
        """
        with self._locked():
            kept = self._load(name) or self._new(name)
            if not kept.session_id:
                kept = replace(kept, session_id=register(kept.token))
                self._save(kept)
            kept, block = kept.reserve(own_mark(self._now()))
            self._save(kept)
            return kept, block

    def settle(self, session: KeptSession, block: Block, left: Mapping[str, frozenset[int]]) -> None:
        """Give the block back; `left`, by domain, are numbers that were given up and that no actor was told of."""
        with self._locked():
            kept = self._load(session.name)
            if kept is not None and kept.session_id == session.session_id:
                self._save(kept.settle(block, session.given_up, left))

    def forget(self, session: KeptSession) -> None:
        """Drop a session that the coordinator does not know any more, unless it was replaced already."""
        with self._locked():
            kept = self._load(session.name)
            if kept is not None and kept.session_id == session.session_id:
                self.path(session.name).unlink()

    def _new(self, name: str) -> KeptSession:
        self._prune()
        kept = KeptSession(name, self._space, new_token())
        self._save(kept)
        return kept

    def _prune(self) -> None:
        """Remove what nobody has used for a week; sessions kept by decay end after a silent day."""
        for path in sorted(self._folder.glob("*.json")):
            with suppress(FileNotFoundError):
                if self._now() - path.stat().st_mtime > KEPT_S:
                    path.unlink()

    def _load(self, name: str) -> KeptSession | None:
        path = self.path(name)
        try:
            return KeptSession.from_plain(json.loads(path.read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None
        except NOT_OURS as error:
            raise Corrupt(
                f"{path} does not hold the session of agent {name!r} ({type(error).__name__}): remove it, and the next "
                "call registers anew"
            ) from error

    def _save(self, kept: KeptSession) -> None:
        path = self.path(kept.name)
        temporary = path.with_suffix(".tmp")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(kept.to_plain(), file)
        temporary.replace(path)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with locked(private_folder(self._folder) / "lock", LOCK_S):
            yield


def file_stem(name: str) -> str:
    """A file's name for an agent: what can be read of it, and a digest that makes it unique."""
    return f"{_UNUSABLE.sub('-', name)[:80]}-{_digest(name)}"


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
