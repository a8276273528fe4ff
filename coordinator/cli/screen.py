"""Where a command's outcome goes: JSON for programs, Rich on a terminal, plain text in a pipe.

Standard output has the answer and nothing else; standard error has notes and errors. Colours appear on a terminal only,
and not where NO_COLOR is set (Rich sees to that). What other agents have written is never taken for markup, and cannot
send control sequences to the terminal.
"""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Iterable
from typing import IO, Any, Final
from unicodedata import combining, east_asian_width

from actors.runtime.errors import ScentfieldError
from coordinator.cli.outcome import Grid, Line, Outcome, Part, Verbatim
from coordinator.cli.standard_stream import OutputLost, standard_error, standard_output
from coordinator.cli.wording import in_options

NEXT_STEPS: Final = {
    "busy": "try again in a moment",
    "unavailable": "`scentfield up` starts what is missing, `scentfield doctor` looks for what is wrong",
    "corrupt": "look with `scentfield doctor --store`",
    "invariant_broken": "this is a bug: please report it with this message",
    "bug": "this is a bug: please report it with this message",
}
"""What to do about an error of this code, whatever its message says."""


MAX_NAME: Final = 24
MIN_FOLDED: Final = 7
"""Columns that a text needs, so that it can be folded into them and read."""
_GAP: Final = 2


class Screen:
    """Shows outcomes and errors; `as_json` may be switched on by a flag that is read later."""

    def __init__(self, *, as_json: bool = False) -> None:
        self.as_json = as_json

    def show(self, outcome: Outcome) -> None:
        """Print an outcome."""
        for note in outcome.notes:
            self.note(note)
        if self.as_json:
            self.document(outcome.document)
            return
        for part in outcome.parts:
            self.part(part)

    def document(self, document: Any) -> None:
        """Print one JSON document on one line."""
        with standard_output() as stream:
            _write(stream, json.dumps(document, default=_plain) + "\n")

    def part(self, part: Part) -> None:
        """Print one part for people."""
        with standard_output() as stream:
            if isinstance(part, Verbatim):
                _write(stream, part.text)
            elif stream.isatty():
                _show_rich(part)
            else:
                _write(stream, "".join(f"{line}\n" for line in _plain_lines(part)))

    def note(self, text: str) -> None:
        """Say something beside the answer, if anybody can be told."""
        with standard_error() as stream:
            _write(stream, f"{visible(text)}\n")

    def error(self, code: str, message: str, next_step: str = "") -> None:
        """Say what went wrong: with JSON as the one document, else in a line, and the next step where one is known.

        Where no document can be written the line has to do.
        """
        if self.as_json:
            with contextlib.suppress(OutputLost):
                self.document({"error": {"code": code, "message": message}})
                return
        self._error_lines(code, message, next_step)

    def _error_lines(self, code: str, message: str, next_step: str = "") -> None:
        self.note(f"error: {' '.join(message.split())}")
        step = next_step or NEXT_STEPS.get(code, "")
        if step:
            self.note(f"next: {step}")

    def failure(self, error: ScentfieldError) -> None:
        """Say what went wrong, of our own errors; that there is no output, never there."""
        say = self._error_lines if isinstance(error, OutputLost) else self.error
        say(error.code, in_options(error.message))


def visible(text: str) -> str:
    """The text with its control characters spelled out."""
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def _plain_lines(part: Line | Grid) -> Iterable[str]:
    if isinstance(part, Line):
        yield visible(part.text)
        return
    table = [[visible(str(cell)) for cell in row] for row in (part.columns, *part.rows)]
    widths = [max(map(n_columns, column)) for column in zip(*table, strict=True)]
    for row in table:
        padded = (cell + " " * (width - n_columns(cell)) for cell, width in zip(row, widths, strict=True))
        yield "  ".join(padded).rstrip()


def n_columns(text: str) -> int:
    """How many columns of a terminal a text takes: two for a wide letter (UAX 11), none for a mark on another."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(letter) else 1 + (east_asian_width(letter) in "WF") for letter in text)


def _show_rich(part: Line | Grid) -> None:
    # Rich takes a fifth of a second to import, and pipes do without it.
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(file=sys.stdout, highlight=False)
    if isinstance(part, Line):
        console.print(Text(visible(part.text), style=part.style), soft_wrap=True)
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    whole = _whole_columns(part, console.width)
    for number, column in enumerate(part.columns):
        table.add_column(column, overflow="fold", no_wrap=number in whole)
    for row in part.rows:
        table.add_row(*(Text(visible(str(cell))) for cell in row))
    console.print(table)


def _whole_columns(grid: Grid, n_room: int) -> set[int]:
    """The columns of names, which are not broken while the others have room enough to be folded beside them."""
    cells = [[visible(str(row[number])) for row in grid.rows] for number in range(len(grid.columns))]
    widths = {
        number: max(map(n_columns, (grid.columns[number], *column)))
        for number, column in enumerate(cells)
        if any(column) and all(map(_is_name, column))
    }
    n_others = len(cells) - len(widths)
    taken = sum(widths.values()) + MIN_FOLDED * n_others + _GAP * len(cells)
    return set(widths) if taken <= n_room else set()


def _is_name(text: str) -> bool:
    """Whether a cell is one short word."""
    return len(text) <= MAX_NAME and not any(map(str.isspace, text))


def _write(stream: IO[str], text: str) -> None:
    """Write and flush; text that is no Unicode goes out as the bytes that it was read from."""
    stream.flush()
    buffer = getattr(stream, "buffer", None)
    if buffer is None:
        stream.write(text)
    else:
        buffer.write(text.encode("utf-8", "surrogateescape"))
    stream.flush()


def _plain(value: Any) -> Any:
    return str(value)
