"""How a file is cut for retrieval: its units by the reading engine, each with what its headings say.

A section is what its innermost unit says itself: a function, a class without its methods, the text below a heading
without the deeper ones. One of more than sixty lines comes in several. Headings without text of their own are none.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from coordinator.reading.block_units import MAX_BLOCK_LINES
from coordinator.reading.grammar import outline_of
from coordinator.reading.language.catalogue import kind_of_file
from coordinator.reading.language.rst import rst_outline
from coordinator.reading.piece import Piece, cut_pieces
from coordinator.reading.source import SourceText
from coordinator.reading.unit import Outline, Unit

MAX_TEXT_CHARACTERS: Final = 20_000
"""A section is found by so much of its text, and shown whole all the same."""
MAX_TITLE_CHARACTERS: Final = 200
MINIFIED: Final = "minified"
_MIN_LINES: Final = 20
HTML_KINDS: Final = frozenset({"html", "htm"})
_HEADED: Final = frozenset({"md", "markdown", "rst", "rest", "txt"})
_PLAIN: Final = "txt"
_UNSEEN: Final = re.compile(r"(?is)<(script|style)\b.*?</\1\s*>|<!--.*?-->")
_TAG: Final = re.compile(r"(?s)</?[A-Za-z][^>]*>")
_HEADING_MARKUP: Final = re.compile(r"^#+\s*|\s#+\s*$|:[\w:+.-]+:(?=`)|\.\. (?:[\w-]+:)*[\w-]+::\s*|[*`|]")
_RULE: Final = re.compile(r"([!-/:-@\[-`{-~])\1+")


@dataclass(frozen=True, slots=True)
class Section:
    """Lines `first_line` to `last_line`, 1-based and inclusive.

    `title` is the innermost heading, or the definition's name; `above` are the headings that it stands under, the
    outermost first. `text` is what it can be found by: no tags, and no more than 20,000 characters.
    """

    title: str
    above: tuple[str, ...]
    first_line: int
    last_line: int
    text: str


def sections_of(source: SourceText, path: str) -> list[Section]:
    """The sections of a file that is called `path`, in order; empty where it holds nothing to be found by.

    Minified code is left out; prose whose paragraphs are one line each is not.
    """
    lines = source.lines
    outline = _outline(source, path, lines)
    if outline.fallback.startswith(MINIFIED) and not is_headed(path):
        return []
    pieces = cut_pieces(lines, outline, min_lines=_MIN_LINES, max_lines=MAX_BLOCK_LINES)
    kind = kind_of_file(path)
    found = (_section(piece, around, lines, kind) for piece, around in _with_units(pieces, outline))
    return [section for section in found if section is not None]


def units_of(source: SourceText, path: str) -> list[Unit]:
    """The named units that sections are cut from."""
    return [unit for unit in _outline(source, path, source.lines).units if unit.is_definition]


def is_headed(path: str) -> bool:
    """Whether a file of this name is prose under headings."""
    kind = kind_of_file(path)
    return kind in _HEADED or kind in HTML_KINDS


def _outline(source: SourceText, path: str, lines: Sequence[str]) -> Outline:
    """As the reading engine says; plain text by its underlined titles, if it has some."""
    outline = outline_of(source, path)
    if kind_of_file(path) == _PLAIN:
        return rst_outline(lines) or outline
    return outline


def _with_units(pieces: Sequence[Piece], outline: Outline) -> Iterator[tuple[Piece, list[Unit]]]:
    """Each piece with the named units that it lies in, the outermost first."""
    named = [unit for unit in outline.units if unit.is_definition]
    around: list[Unit] = []
    place = 0
    for piece in pieces:
        first = piece.lines[0]
        while place < len(named) and named[place].lines[0] <= piece.lines[1]:
            around.append(named[place])
            place += 1
        around = [unit for unit in around if unit.lines[1] >= first]
        yield piece, [unit for unit in around if unit.lines[0] <= first or unit is piece.unit]


def _section(piece: Piece, around: Sequence[Unit], lines: Sequence[str], kind: str) -> Section | None:
    first, last = _said(piece, lines)
    if first > last or _is_bare_heading(piece, last):
        return None
    titles = [title_of(unit, lines, kind) for unit in around]
    text = _plain_text("".join(lines[first - 1 : last])[:MAX_TEXT_CHARACTERS], kind)
    if not any(character.isalnum() for character in text):
        return None
    return Section(titles[-1] if titles else "", tuple(titles[:-1]), first, last, text)


def _said(piece: Piece, lines: Sequence[str]) -> tuple[int, int]:
    """The piece's lines without the blank ones around it."""
    first, last = piece.lines
    while first <= last and not lines[first - 1].strip():
        first += 1
    while last >= first and not lines[last - 1].strip():
        last -= 1
    return first, last


def _is_bare_heading(piece: Piece, last: int) -> bool:
    """Whether this is a heading alone, whose text stands in deeper sections: it is said again above each of them."""
    unit = piece.unit
    return unit is not None and unit.kind == "section" and last <= unit.signature[1] and unit.lines[1] > last


def title_of(unit: Unit, lines: Sequence[str], kind: str) -> str:
    """What a unit's heading says, or what it is called; `kind` is that of its file."""
    if kind in _HEADED and not lines[unit.signature[0] - 1].lstrip().startswith(".. "):
        stretch = (line.strip() for line in lines[unit.signature[0] - 1 : unit.signature[1]])
        said = (_HEADING_MARKUP.sub("", line).strip() for line in stretch if not _RULE.fullmatch(line))
        return " ".join(filter(None, said))[:MAX_TITLE_CHARACTERS] or unit.name
    if kind in HTML_KINDS:
        shown = " ".join(_plain_text("".join(lines[unit.signature[0] - 1 : unit.signature[1]]), kind).split())
        return shown.rstrip(" ¶")[:MAX_TITLE_CHARACTERS] or unit.name.replace("-", " ")
    return unit.name


def _plain_text(text: str, kind: str) -> str:
    """What is said, without the tags of HTML."""
    return html.unescape(_TAG.sub(" ", _UNSEEN.sub(" ", text))) if kind in HTML_KINDS else text
