"""In which format a machine writes its state, and how it reads what older versions wrote.

A snapshot says its format in its first part; one that says nothing has format 1. A row needs no number of its own:
each event stands under its code, and a code means one thing for ever. Who changes an event takes a new code, and says
here what the old one has become; who changes a snapshot's parts raises the number and gives the step from the format
before. docs/decisions says more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from actors.runtime.newer_format import newer_format

if TYPE_CHECKING:
    from actors.runtime.kernel import Kernel
    from actors.runtime.machine import Machine

Part: TypeAlias = "list[Any]"
Step: TypeAlias = Callable[[Iterator[Part]], Iterable[Part]]
Successor: TypeAlias = Callable[["list[Any]"], "tuple[int, list[Any]]"]
_TAG: Final = "format"


@dataclass(frozen=True, slots=True)
class StateFormat:
    """The format of a machine's snapshots.

    `steps[n]` makes the parts of a snapshot of format n into those of n + 1; it sees all of them, and passes on what it
    does not know. `successors[code]` makes the fields of an event that is not written any more into the (code, fields)
    of one that is. A machine has one as `state_format`, or the first format.
    """

    number: int = 1
    steps: Mapping[int, Step] = field(default_factory=dict)
    successors: Mapping[int, Successor] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if sorted(self.steps) != list(range(1, self.number)):
            raise ValueError(f"format {self.number} needs a step from each of 1 to {self.number - 1}: {self.steps}")

    def upgraded(self, parts: Iterator[Part], where: str) -> Iterator[Part]:
        """The parts of a snapshot as this format has them. Raises `NewerFormat`; `where` names the snapshot."""
        first = next(parts, None)
        is_tagged = first is not None and first[0] == _TAG
        found = int(first[1]) if first is not None and is_tagged else 1
        if found > self.number:
            raise newer_format(where, found, self.number)
        present = parts if is_tagged or first is None else chain([first], parts)
        for number in range(found, self.number):
            present = iter(self.steps[number](present))
        return present

    def present(self, code: int, fields: list[Any]) -> tuple[int, list[Any]]:
        """An event of a row as it is written today."""
        while code in self.successors:
            code, fields = self.successors[code](fields)
        return code, fields


_FIRST: Final = StateFormat()


def state_format_of(machine: Machine) -> StateFormat:
    """The machine's format."""
    found: StateFormat = getattr(machine, "state_format", _FIRST)
    return found


def tagged_snapshot(kernel: Kernel) -> Iterator[Part]:
    """A kernel's snapshot as it is written: its format, then its parts."""
    yield [_TAG, state_format_of(kernel.machine).number]
    yield from kernel.snapshot()
