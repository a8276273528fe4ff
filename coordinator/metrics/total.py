"""Totals of processes that come and go, added up so that what was shown never falls.

A process counts its own work from zero. What it had counted when it was last seen is carried over to its successor;
what it did after that is lost, and was never shown. What is counted in files that can be away for a while, each an
actor `kind/name`, is shown as the sum over all that were ever seen. Pure: keeps no file and reads no clock.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

Counts = Mapping[str, float]
MAX_ACTORS: Final = 320
MAX_OF_A_KIND: Final = 256
MAX_COUNTS: Final = 64


@dataclass(frozen=True, slots=True)
class Tally:
    """What is known of one actor: the process last seen, its counts then, and those of all before it.

    `epoch` is how often its store had been opened, if it has one: it tells a look at a process of before, which came
    late, from one at a new process.
    """

    pid: int
    epoch: int | None
    last: Counts
    before: Counts = field(default_factory=dict)

    @property
    def shown(self) -> dict[str, float]:
        """The totals over all its processes."""
        return _added(self.before, self.last)

    def then(self, seen: Tally) -> Tally:
        """After the actor was seen again."""
        if self.epoch is not None and seen.epoch is not None and seen.epoch < self.epoch:
            return self
        if seen.pid != self.pid or any(seen.last.get(name, n) < n for name, n in self.last.items()):
            return Tally(seen.pid, seen.epoch, seen.last, self.shown)
        return Tally(seen.pid, seen.epoch, {**self.last, **seen.last}, self.before)


def _added(one: Counts, other: Counts) -> dict[str, float]:
    return {
        name: one.get(name, 0) + other.get(name, 0) for name in (*one, *(name for name in other if name not in one))
    }


class Totals:
    """The tallies of all actors of a namespace."""

    def __init__(self, tallies: Mapping[str, Tally] | None = None) -> None:
        self._tallies = dict(tallies or {})

    def see(self, actor: str, seen: Tally) -> dict[str, float]:
        """Take a look into account; returns the totals to show."""
        known = self._tallies.get(actor)
        tally = seen if known is None else known.then(seen)
        self._tallies[actor] = tally
        return tally.shown

    def sum_of(self, kind: str) -> dict[str, float]:
        """The totals of all actors of a kind together, also of those that are not seen any more."""
        total: dict[str, float] = {}
        for actor, tally in self._tallies.items():
            if actor.startswith(f"{kind}/"):
                total = _added(total, tally.shown)
        return total

    def fold(self, kind: str, seen: Collection[str], max_actors: int = MAX_OF_A_KIND) -> None:
        """Of more actors of a kind than may be, those known longest that are not `seen` become one without a name."""
        gone = f"{kind}/"
        known = [actor for actor in self._tallies if actor.startswith(gone) and actor != gone]
        for actor in [one for one in known if one not in seen][: max(0, len(known) - max_actors)]:
            before = self._tallies[gone].shown if gone in self._tallies else {}
            self._tallies[gone] = Tally(0, None, {}, _added(before, self._tallies.pop(actor).shown))

    def copy(self) -> Totals:
        """The same, to be changed without it."""
        return Totals(self._tallies)

    def document(self) -> dict[str, Any]:
        """As plain values."""
        return {
            actor: {"pid": one.pid, "epoch": one.epoch, "last": dict(one.last), "before": dict(one.before)}
            for actor, one in self._tallies.items()
        }

    @classmethod
    def of(cls, document: Any) -> Totals:
        """From plain values. Raises `ValueError` for others."""
        return cls(dict(_tallies(document)))


def _tallies(document: Any) -> Iterator[tuple[str, Tally]]:
    if not isinstance(document, dict) or len(document) > MAX_ACTORS:
        raise ValueError("it is not an object of a few actors")
    for actor, one in document.items():
        if not isinstance(one, dict) or set(one) != {"pid", "epoch", "last", "before"}:
            raise ValueError(f"{actor!r} is not an object of pid, epoch, last and before")
        pid, epoch = one["pid"], one["epoch"]
        if type(pid) is not int or not (epoch is None or type(epoch) is int):
            raise ValueError(f"the pid or the epoch of {actor!r} is no number")
        yield actor, Tally(pid, epoch, _counts(one["last"]), _counts(one["before"]))


def _counts(given: Any) -> dict[str, float]:
    if not isinstance(given, dict) or len(given) > MAX_COUNTS:
        raise ValueError("counts are not an object of a few numbers")
    for n in given.values():
        if type(n) not in (int, float) or not 0 <= n < float("inf"):
            raise ValueError(f"{n!r} is no count")
    return given
