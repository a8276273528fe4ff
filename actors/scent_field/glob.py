"""Patterns over whole paths: which paths one matches, and whether two of them can meet.

A path is a sequence of names. A pattern is a sequence of steps: a literal name, a `NamePattern`, or `Depth.ANY`, which
is `**`, any number of names, also none. Each question visits each pair of positions once at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import TypeAlias

from actors.scent_field.name_pattern import NamePattern, name_matches, names_meet, parse_name


class Depth(Enum):
    """The step that crosses slashes."""

    ANY = "**"


Step: TypeAlias = str | NamePattern | Depth
Steps: TypeAlias = tuple[Step, ...]


def parse_step(segment: str) -> Step:
    """Read one segment of a path. Raises `BadTarget` as `parse_name` does."""
    return Depth.ANY if segment == "**" else parse_name(segment)


def steps_cover(steps: Sequence[Step], names: Sequence[str]) -> bool:
    """Whether the pattern matches this literal path.

    Steps between two `**` are best matched as early as possible, so after a mismatch only the last `**` takes a name
    more. The last name is looked at first: it decides most questions.
    """
    if not steps or not names:
        return all(step is Depth.ANY for step in steps) and not names
    last = steps[-1]
    if last is not Depth.ANY and not name_matches(last, names[-1]):
        return False
    i = j = 0
    retry: tuple[int, int] | None = None
    while j < len(names):
        step = steps[i] if i < len(steps) else None
        if step is Depth.ANY:
            i += 1
            retry = (i, j)
        elif step is not None and name_matches(step, names[j]):
            i, j = i + 1, j + 1
        elif retry is not None:
            i, j = retry[0], retry[1] + 1
            retry = (i, j)
        else:
            return False
    return all(step is Depth.ANY for step in steps[i:])


def steps_meet(a: Sequence[Step], b: Sequence[Step]) -> bool:
    """Whether some path matches both patterns."""
    stack = [(0, 0)]
    seen = set(stack)
    while stack:
        i, j = stack.pop()
        if i == len(a) and j == len(b):
            return True
        for pair in _next_pairs(a, i, b, j):
            if pair not in seen:
                seen.add(pair)
                stack.append(pair)
    return False


def _next_pairs(a: Sequence[Step], i: int, b: Sequence[Step], j: int) -> list[tuple[int, int]]:
    left = a[i] if i < len(a) else None
    right = b[j] if j < len(b) else None
    if left is Depth.ANY:
        return [(i + 1, j)] if right is None else [(i, j + 1), (i + 1, j)]
    if right is Depth.ANY:
        return [(i, j + 1)] if left is None else [(i + 1, j), (i, j + 1)]
    if left is None or right is None or not names_meet(left, right):
        return []
    return [(i + 1, j + 1)]


class Walk:
    """A pattern on its way down a tree of names; a position is the set of steps that may come next.

    Positions are few and come again for each folder, so what follows from one is worked out once.
    """

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._plans: dict[frozenset[int], tuple[frozenset[int], list[tuple[str | NamePattern, frozenset[int]]]]] = {}
        self.start = self._with_skips({0})

    def after(self, position: frozenset[int], name: str) -> frozenset[int]:
        """The position one name deeper; empty when nothing from there down can match."""
        plan = self._plans.get(position)
        if plan is None:
            plan = self._plans[position] = self._plan(position)
        reached, tests = plan
        for step, gained in tests:
            if step == name if isinstance(step, str) else step.matches(name):
                reached = reached | gained
        return reached

    def has_matched(self, position: frozenset[int]) -> bool:
        """Whether the path so far matches."""
        return len(self._steps) in position

    def covers_below(self, position: frozenset[int]) -> bool:
        """Whether the path so far and all below it match."""
        return self._steps[-1] is Depth.ANY and len(self._steps) - 1 in position

    def only_name(self, position: frozenset[int]) -> str | None:
        """The one name that leads on from here, where there is but one."""
        if len(position) > 1:
            return None
        step = self._steps[min(position)] if min(position) < len(self._steps) else None
        return step if isinstance(step, str) else None

    def _plan(self, position: frozenset[int]) -> tuple[frozenset[int], list[tuple[str | NamePattern, frozenset[int]]]]:
        ahead = [(self._steps[at], at) for at in sorted(position) if at < len(self._steps)]
        stays = self._with_skips({at for step, at in ahead if step is Depth.ANY})
        return stays, [(step, self._with_skips({at + 1})) for step, at in ahead if step is not Depth.ANY]

    def _with_skips(self, positions: set[int]) -> frozenset[int]:
        """`**` may stand for no name, so the step after it may come next, too."""
        for at in sorted(positions):
            while at < len(self._steps) and self._steps[at] is Depth.ANY:
                at += 1
                positions.add(at)
        return frozenset(positions)
