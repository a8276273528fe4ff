r"""Lines of a text. Only CR, LF and CRLF end a line, as in `coordinator.reading.source`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

LINE_ENDING: Final = re.compile(r"\r\n|\r|\n")
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")


def split_lines(text: str) -> list[str]:
    """The lines with their endings; joined they give `text`."""
    return _LINE.findall(text)


def line_of(text: str, offset: int) -> int:
    """The 1-based line in which `offset` lies; not for an offset between CR and LF."""
    return 1 + _count_endings(text[:offset])


def count_lines(text: str) -> int:
    """The number of lines, a last one without an ending included."""
    return _count_endings(text) + (0 if not text or text[-1] in "\r\n" else 1)


def fold(text: str) -> str:
    r"""`text` with every line ending as `\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def n_alike_at_head(before: Sequence[str], after: Sequence[str]) -> int:
    """How many items (lines of a list, characters of a string) both begin with."""
    for index, (one, other) in enumerate(zip(before, after, strict=False)):
        if one != other:
            return index
    return min(len(before), len(after))


def n_alike_at_tail(before: Sequence[str], after: Sequence[str], n_head: int) -> int:
    """How many items both end with, without the `n_head` that both begin with."""
    return n_alike_at_head(before[n_head:][::-1], after[n_head:][::-1])


def _count_endings(text: str) -> int:
    if "\r" not in text:
        return text.count("\n")
    return text.count("\n") + text.count("\r") - text.count("\r\n")
