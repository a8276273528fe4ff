"""What a claim gives back: a claim that can be used in a `with` block, or a refusal that says why."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Generic, Literal, TypeVar

from actors.runtime.errors import ScentfieldError
from actors.scent_field.messages import Conflict, Granted, Held, Released, SignalNote


class ClaimRefused(ScentfieldError):
    """A `with` block asked for a claim that somebody else holds; `refused` says who."""

    code = "claim_refused"

    def __init__(self, message: str, refused: NotGranted | None = None) -> None:
        super().__init__(message)
        self.refused = refused

    def __reduce__(self) -> tuple[type[ScentfieldError], tuple[object, ...]]:
        return (type(self), (self.message, self.refused))


class NotGranted:
    """The targets are not yours; false in a condition. Entering it with `with` raises `ClaimRefused`."""

    def __init__(self, held: Held) -> None:
        self.held = held

    def __bool__(self) -> Literal[False]:
        return False

    def __repr__(self) -> str:
        return f"NotGranted({self.message!r})"

    @property
    def reason(self) -> str:
        """`claimed`, `queued`, `lock_delay`, `timeout` or `would_deadlock`."""
        return self.held.reason

    @property
    def conflicts(self) -> tuple[Conflict, ...]:
        """Who is in the way, in the order of the targets, 20 at most."""
        return self.held.conflicts

    @property
    def next_step(self) -> str:
        """What to do now."""
        return self.held.next_step

    @property
    def message(self) -> str:
        """One sentence for people: who holds what, for how long already, and what to do."""
        who = "; ".join(_described(conflict) for conflict in self.conflicts[:3])
        n_more = len(self.conflicts) - 3 + self.held.n_more
        more = f"; and {n_more} more" if n_more > 0 else ""
        ring = f" Waiting would close a ring: {' -> '.join(self.held.cycle)}." if self.held.cycle else ""
        return f"{who}{more}.{ring} {self.next_step}".lstrip(". ")

    def to_dict(self) -> dict[str, Any]:
        """The refusal for programs."""
        return {
            "granted": False,
            "reason": self.reason,
            "conflicts": [conflict._asdict() for conflict in self.conflicts],
            "n_more": self.held.n_more,
            "cycle": list(self.held.cycle),
            "next_step": self.next_step,
        }

    def __enter__(self) -> Any:
        raise ClaimRefused(self.message, self)

    def __exit__(self, *exc_info: object) -> None:
        """Nothing was entered."""

    async def __aenter__(self) -> Any:
        raise ClaimRefused(self.message, self)

    async def __aexit__(self, *exc_info: object) -> None:
        """Nothing was entered."""


Given = TypeVar("Given")  # what giving a claim back comes to: an answer, or something to await it by


class Holding(Generic[Given]):
    """The targets are yours, as far as this process knows; true in a condition.

    `lessons` say what has helped with these targets before, as far as this agent has heard of it; `close_work` who
    holds other targets for something like this claim's intent.
    """

    __slots__ = ("_is_valid", "_release", "close_work", "granted", "is_released", "lessons")

    def __init__(
        self,
        granted: Granted,
        is_valid: Callable[[Granted], bool],
        release: Callable[[Granted, bool], Given],
        lessons: tuple[str, ...] = (),
        close_work: tuple[str, ...] = (),
    ) -> None:
        self.granted = granted
        self.lessons = lessons
        self.close_work = close_work
        self.is_released = False
        self._is_valid = is_valid
        self._release = release

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(self.targets)}, generation={self.generation})"

    @property
    def targets(self) -> tuple[str, ...]:
        """What is claimed, canonical."""
        return self.granted.targets

    @property
    def generation(self) -> int:
        """The fencing number: hand it to whatever must refuse an earlier holder."""
        return self.granted.generation

    @property
    def expires_in_s(self) -> float:
        """When the claim would end if this process had gone silent at the grant."""
        return self.granted.expires_in_s

    @property
    def renewed(self) -> bool:
        """Whether it was yours already."""
        return self.granted.renewed

    @property
    def signals(self) -> tuple[SignalNote, ...]:
        """What others have left on these targets: DONE, STUCK, AVOID."""
        return self.granted.signals

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is questionable about the claim."""
        return self.granted.warnings

    @property
    def valid(self) -> bool:
        """Whether it may still be believed, by what this process knows and its own deadline; asks nobody.

        False once it was released, handed over or lost, and when this agent has not been heard for its TTL.
        """
        return not self.is_released and self._is_valid(self.granted)

    def to_dict(self) -> dict[str, Any]:
        """The grant for programs."""
        granted = self.granted
        return {
            "granted": True,
            "generation": granted.generation,
            "targets": list(granted.targets),
            "expires_in_s": granted.expires_in_s,
            "kept_by": granted.kept_by,
            "renewed": granted.renewed,
            "signals": [note._asdict() for note in granted.signals],
            "warnings": list(granted.warnings),
            "lessons": list(self.lessons),
            "close_work": list(self.close_work),
        }


class Claimed(Holding[Released]):
    """A claim of the sync client; a `with` block releases it at its end."""

    __slots__ = ()

    def release(self, *, done: bool = False) -> Released:
        """Give the whole claim back; `done` leaves a DONE signal. Once is enough, and twice does no harm."""
        if self.is_released:
            return Released(0, ())
        released = self._release(self.granted, done)
        self.is_released = True
        return released

    def __enter__(self) -> Claimed:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        with suppress(*_unless(kind)):
            self.release()


class AsyncClaimed(Holding[Awaitable[Released]]):
    """A claim of the async client; an `async with` block releases it at its end."""

    __slots__ = ()

    async def release(self, *, done: bool = False) -> Released:
        """Give the whole claim back; `done` leaves a DONE signal. Once is enough, and twice does no harm."""
        if self.is_released:
            return Released(0, ())
        released = await self._release(self.granted, done)
        self.is_released = True
        return released

    async def __aenter__(self) -> AsyncClaimed:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        with suppress(*_unless(kind)):
            await self.release()


def _unless(kind: type[BaseException] | None) -> tuple[type[BaseException], ...]:
    """What leaving a block may swallow: our own errors, where the block's own exception is the one to hear of."""
    return () if kind is None else (ScentfieldError,)


def _described(conflict: Conflict) -> str:
    what = conflict.target
    if conflict.held_target != conflict.target:
        what = f"{conflict.target} (inside {conflict.held_target})"
    verb = "waits for" if conflict.waiting else "holds"
    intent = f" to {conflict.intent}" if conflict.intent else ""
    return f"{conflict.holder} {verb} {what} since {conflict.age_s:.0f} s{intent}"
