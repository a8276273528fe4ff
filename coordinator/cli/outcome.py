"""What a command found out: one document for programs, and lines and tables that say the same to people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from coordinator.cli.exit_code import ExitCode


@dataclass(frozen=True, slots=True)
class Line:
    """One line for people; `style` is Rich's, used on a terminal only."""

    text: str
    style: str = ""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table. Cells are printed as they are; control characters in them are made visible."""

    columns: Sequence[str]
    rows: Sequence[Sequence[object]]


@dataclass(frozen=True, slots=True)
class Verbatim:
    """Text that is printed byte for byte, such as a file's."""

    text: str


Part: TypeAlias = Line | Grid | Verbatim


@dataclass(frozen=True, slots=True)
class Outcome:
    """`document` is what --json prints; `parts` go to standard output, `notes` to standard error."""

    document: Any
    parts: Sequence[Part] = ()
    notes: Sequence[str] = ()
    exit_code: ExitCode = ExitCode.OK


def span(seconds: float) -> str:
    """A span of time for people: `4 s`, `12 min`, `3 h`, `2 d`."""
    for unit, size_s in (("d", 86_400.0), ("h", 3_600.0), ("min", 60.0)):
        if seconds >= 2 * size_s:
            return f"{seconds / size_s:.0f} {unit}"
    return f"{seconds:.0f} s"


def times(n: int) -> str:
    """`once`, else `3 times`."""
    return "once" if n == 1 else f"{n} times"


def plain(message: Any) -> Any:
    """A message as dicts, lists and plain values."""
    if hasattr(message, "_asdict"):
        return {name: plain(value) for name, value in message._asdict().items()}
    return [plain(one) for one in message] if isinstance(message, tuple) else message
