"""A wakeup: the most salient facts at the beginning, the next at the end, and the task as the last line.

Models use what stands at both ends of a long context best ("Lost in the Middle", Liu et al. 2023); how much of the room
the beginning gets is learned for each client. The cap on tokens holds for any input.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from actors.memory.fact import Fact
from coordinator.waking.chunk import Chunk, chunk_text, clustered

BEGIN: Final = "begin"
END: Final = "end"
_CUT: Final = "…"
_TASK: Final = "Task: "

CountTokens = Callable[[str], int]


class Placed(NamedTuple):
    """A fact that a wakeup holds, and at which of its ends."""

    fact: Fact
    position: str


@dataclass(frozen=True, slots=True)
class Wakeup:
    """What a session begins with; `print(wakeup)` prints all of it. Other context belongs between `begin` and `end`.

    `n_tokens` of all of it are at most `max_tokens`; `n_flat_tokens` is what the same facts and the task would have as
    a flat list. `n_left_out` facts found no room. `note` says what it had to do without.
    """

    begin: str
    end: str
    task: str
    placed: tuple[Placed, ...]
    profile: str
    begin_share: float
    max_tokens: int
    n_tokens: int
    n_flat_tokens: int
    n_left_out: int
    note: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return self.begin + self.end + self.task

    def __str__(self) -> str:
        return self.text

    def to_dict(self) -> dict[str, Any]:
        """The wakeup for programs."""
        placed = [{"fact_id": one.fact.fact_id, "position": one.position} for one in self.placed]
        numbers = {name: getattr(self, name) for name in ("begin_share", "max_tokens", "n_tokens", "n_flat_tokens")}
        return {
            "text": self.text,
            "begin": self.begin,
            "end": self.end,
            "task": self.task,
            "placed": placed,
            "profile": self.profile,
            **numbers,
            "n_left_out": self.n_left_out,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True)
class Room:
    """For whom a wakeup is, how many tokens it may have, and the share of them for the beginning."""

    profile: str
    max_tokens: int
    begin_share: float
    count_tokens: CountTokens


def lay_out(facts: Sequence[Fact], task: str, room: Room, note: str = "", contradicted: Collection[int] = ()) -> Wakeup:
    """A wakeup of facts that come in the order of their salience; those of `contradicted` are marked as such."""
    last = _task_line(task, room)
    chunks = clustered(facts, contradicted)
    begin, rest = _filled(chunks, room.begin_share * (room.max_tokens - room.count_tokens(last)), room, stop=True)
    n_free = room.max_tokens - room.count_tokens(chunk_text(begin)) - room.count_tokens(last)
    end, _ = _filled(rest, n_free, room, stop=False)
    while (begin or end) and room.count_tokens(chunk_text(begin) + chunk_text(end) + last) > room.max_tokens:
        (end or begin).pop()
    placed = [Placed(fact, BEGIN) for chunk in begin for fact in chunk.facts]
    placed += [Placed(fact, END) for chunk in end for fact in chunk.facts]
    flat = "".join(f"{one.fact.line}\n" for one in placed) + last
    text = chunk_text(begin) + chunk_text(end) + last
    counts = (room.count_tokens(text), room.count_tokens(flat), len(facts) - len(placed))
    head = (tuple(placed), room.profile, room.begin_share, room.max_tokens)
    return Wakeup(chunk_text(begin), chunk_text(end), last, *head, *counts, note)


def _filled(chunks: Sequence[Chunk], n_tokens: float, room: Room, *, stop: bool) -> tuple[list[Chunk], list[Chunk]]:
    """The chunks that find room, and the others; with `stop` none that comes after one that found none."""
    taken: list[Chunk] = []
    others: list[Chunk] = []
    for chunk in chunks:
        if not (stop and others) and room.count_tokens(chunk_text([*taken, chunk])) <= n_tokens:
            taken.append(chunk)
        else:
            others.append(chunk)
    return taken, others


def _task_line(task: str, room: Room) -> str:
    """The task on one line; what does not fit under the cap is cut off its end, and so it says."""
    said = " ".join(task.split())
    if not said:
        return ""
    line = f"{_TASK}{said}\n"
    while room.count_tokens(line) > room.max_tokens:
        kept = len(line) - len(_CUT) - 1
        if kept <= len(_TASK):
            return ""
        line = f"{line[: kept - max(1, kept // 8)]}{_CUT}\n"
    return line
