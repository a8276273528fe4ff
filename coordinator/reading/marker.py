"""The line that stands in a view for lines that were left out.

    …a3f1 12-85 Parser.parse

`a3f1` is the view's tag: the first digits of the content's hash that occur nowhere in the file. So no line of the file
can be taken for a marker, and what an agent pastes into an edit can be told from what belongs there. The view's header
begins in the same way and explains the markers once, which costs less than saying it in each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from actors.runtime.errors import Misuse
from coordinator.reading.source import SourceText

SIGIL: Final = "…"
MIN_TAG_DIGITS: Final = 4

# Three dots are what some agents make of the ellipsis. After the tag: the lines of a marker, or the mode of a header.
_PRINTED = re.compile(r"(?:…|\.\.\.) ?([0-9a-f]{4,64}) (?:[0-9]+-[0-9]+|[a-z]+(?::[0-9]+-[0-9]+)? \()")
_LINE_ENDS = re.compile(r"[\r\n]+")


def marker_tag(source: SourceText) -> str:
    """The shortest prefix of the content's hash, four digits or more, that occurs nowhere in the text."""
    for n_digits in range(MIN_TAG_DIGITS, len(source.content_hash) + 1):
        tag = source.content_hash[:n_digits]
        if tag not in source.text:
            return tag
    raise Misuse(f"the file holds its own hash {source.content_hash!r}: change a byte of it to have it shown")


def format_marker(tag: str, first: int, last: int, name: str = "") -> str:
    """The marker for lines `first`..`last`, with its line ending; `name` is the unit that they are a part of."""
    unit = f" {name}" if name else ""
    return f"{SIGIL}{tag} {first}-{last}{unit}\n"


def is_printed(line: str, tag: str) -> bool:
    """Whether `line` is a marker or the header of the view with `tag`, rather than a line of its file."""
    return line.startswith(f"{SIGIL}{tag} ")


def find_markers(text: str, tags: Iterable[str]) -> list[str]:
    """The lines of `text` that hold a marker or header of a view with one of `tags`, in order, without endings.

    Also finds them indented, commented out, or in the middle of a line.
    """
    issued = frozenset(tags)
    return [line for line in _LINE_ENDS.split(text) if any(found[1] in issued for found in _PRINTED.finditer(line))]
