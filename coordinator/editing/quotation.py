"""How a quotation differs from the stretch of a file that it was meant to be. Pure; explains, and matches nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Final

from coordinator.editing.text_line import fold

MAX_COMPARED_LINES: Final = 200
MAX_LINE_CHARS: Final = 160
_MAX_CHARACTERS: Final = 3
_PLAIN_SPACE: Final = frozenset(" \t\n\r")
_LOOK_ALIKE: Final = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
        **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", ""),
    }
)


def plain(text: str) -> str:
    """`text` with quotes, dashes, invisible and compatibility characters as they are typed (Unicode's NFKC)."""
    return text if text.isascii() else unicodedata.normalize("NFKC", text.translate(_LOOK_ALIKE))


def look_alikes(old: str, stretch: str) -> str:
    """Which characters only look the same, and on which side they stand."""
    yours, theirs = sorted(set(old) - set(stretch)), sorted(set(stretch) - set(old))
    sides = (("you wrote", yours), ("the file has", theirs))
    said = [
        f"{who} {_named(special)}" for who, found in sides if (special := [one for one in found if plain(one) != one])
    ]
    return "look-alike characters: " + ", ".join(said) if said else "look-alike characters"


def white_space(old: str, stretch: str) -> str:
    """In what kinds of white space two texts differ that are the same without it; empty if in none."""
    return ", ".join(dict.fromkeys(_kinds(fold(old).split("\n"), fold(stretch).split("\n"))))


def first_difference(old: str, stretch: str) -> tuple[str, str] | None:
    """The first line of the quotation that differs and the file's, at most 160 characters each; None if it is long."""
    yours, theirs = fold(old).split("\n"), fold(stretch).split("\n")
    if max(len(yours), len(theirs)) > MAX_COMPARED_LINES:
        return None
    if not yours[0][:1].isspace():  # a quotation may begin anywhere in a line
        theirs[0] = theirs[0].lstrip()
    for tag, first, end, there_first, there_end in SequenceMatcher(None, yours, theirs, autojunk=False).get_opcodes():
        if tag == "replace" and end > first and there_end > there_first:
            return _around_difference(yours[first], theirs[there_first])
    return None


def _kinds(yours: list[str], theirs: list[str]) -> Iterator[str]:
    special = {char for line in (*yours, *theirs) for char in line if char.isspace()} - _PLAIN_SPACE
    if special:
        yield f"special spaces ({_named(sorted(special))})"
    kept, there = ([line for line in lines if line.strip()] for lines in (yours, theirs))
    if len(kept) != len(there):
        yield "line breaks"
        return
    for number, (line, other) in enumerate(zip(kept, there, strict=True)):
        opens, ends = number > 0 or line[:1].isspace(), number < len(kept) - 1 or not yours[-1]
        yield from _kinds_in_line(line, other, opens=opens, ends=ends)
    if _n_blank_within(yours) != _n_blank_within(theirs):
        yield "blank lines"


def _kinds_in_line(line: str, other: str, *, opens: bool, ends: bool) -> Iterator[str]:
    """`opens` and `ends`: the quotation has the line's beginning and its end, so that they can differ."""
    indent, other_indent = (text[: len(text) - len(text.lstrip())] for text in (line, other))
    if opens and indent != other_indent:
        yield "tabs and spaces" if ("\t" in indent) != ("\t" in other_indent) else "indentation"
    if ends and line[len(line.rstrip()) :] != other[len(other.rstrip()) :]:
        yield "white space at the end of a line"
    if _evenly_spaced(line) not in _evenly_spaced(other):
        yield "spaces within a line"


def _evenly_spaced(line: str) -> str:
    return re.sub(r"[^\S \t]", " ", line.strip())


def _n_blank_within(lines: list[str]) -> int:
    text = "\n".join(line.strip() for line in lines).strip("\n")
    return text.split("\n").count("") if text else 0


def _named(characters: list[str]) -> str:
    return " ".join(f"U+{ord(char):04X}" for char in characters[:_MAX_CHARACTERS])


def _around_difference(line: str, other: str) -> tuple[str, str]:
    """Both lines, from a little before the point where they part if they are long."""
    at = next((at for at, (one, two) in enumerate(zip(line, other, strict=False)) if one != two), 0)
    start = max(0, at - MAX_LINE_CHARS // 2) if max(len(line), len(other)) > MAX_LINE_CHARS else 0
    return line[start : start + MAX_LINE_CHARS], other[start : start + MAX_LINE_CHARS]
