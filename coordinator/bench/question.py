"""Questions with known answers, made from somebody's documentation: what its authors ask in headings, and its glossary.

A heading that ends in a question mark is a question, and its section the answer; a term of a glossary asks what it
is. Asking for a heading by its own words is easy, so the tree can be copied with these headings hidden: then the answer
has to be found by what it says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from actors.runtime.errors import Misuse
from coordinator.file_list import listed_files, read_regular
from coordinator.reading.language.catalogue import kind_of_file
from coordinator.reading.query import Query, telling_words
from coordinator.reading.source import BinaryFile, SourceText, decode
from coordinator.reading.unit import Unit
from coordinator.retrieval.section import HTML_KINDS, is_headed, title_of, units_of

MIN_QUESTIONS: Final = 10
HEADING: Final = "heading"
GLOSSARY: Final = "glossary"
_MAX_FILE_BYTES: Final = 2**20
_MIN_WORDS: Final = 2
_MIN_ANSWER_CHARACTERS: Final = 40
_RULE: Final = re.compile(r"\s*([!-/:-@\[-`{-~])\1*\s*")
_BETWEEN_TAGS: Final = re.compile(r">[^<>]*\w[^<>]*<")
_BEFORE: Final = re.compile(r"\s*(?:#+\s*)?")
_AFTER: Final = re.compile(r"\s*\Z")

Kind = Literal["heading", "glossary"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question and where its answer is: lines 1-based and inclusive, the heading's lines first."""

    text: str
    kind: Kind
    path: str
    first_line: int
    heading_end: int
    last_line: int
    answer: str

    def is_answered_by(self, path: str, first_line: int, last_line: int) -> bool:
        """Whether these lines lie in its answer, or some of them."""
        return path == self.path and first_line <= self.last_line and last_line >= self.first_line


def questions_of(root: Path) -> list[Question]:
    """The questions that the documentation below `root` asks, in the order of its files; each text once.

    Raises `Misuse` where there are fewer than ten.
    """
    found: dict[str, Question] = {}
    for path, source in _pages(root):
        for question in _asked_in(path, source):
            found.setdefault(question.text, question)
    if len(found) < MIN_QUESTIONS:
        raise Misuse(
            f"{str(root)!r} asks {len(found)} questions: name documentation that has a FAQ or a glossary, such as the "
            "folder Doc of CPython"
        )
    return list(found.values())


def copy_pages(root: Path, folder: Path, questions: Sequence[Question], *, hidden: bool) -> None:
    """Copy the documentation's pages; with `hidden` the headings of the questions say `Entry 7` instead."""
    for path, source in _pages(root):
        lines = source.lines
        if hidden:
            for number, question in enumerate(questions, start=1):
                if question.path == path:
                    _hide(lines, question, f"Entry {number}")
        page = folder / path
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_bytes(source.encode("".join(lines)))


def _pages(root: Path) -> Iterator[tuple[str, SourceText]]:
    """Prose under headings; a tree's other files say nothing that is asked."""
    for path in listed_files(root):
        raw = read_regular(root / path, _MAX_FILE_BYTES) if is_headed(path) else None
        try:
            if raw is not None:
                yield path, decode(raw)
        except BinaryFile:
            continue


def _asked_in(path: str, source: SourceText) -> Iterator[Question]:
    lines, kind = source.lines, kind_of_file(path)
    for unit in units_of(source, path):
        if unit.kind != "section":
            continue
        title = title_of(unit, lines, kind)
        if _is_term(unit, lines):
            yield from _question(f"What is {title}?", GLOSSARY, path, unit, lines)
        elif title.endswith("?") and len(telling_words(Query(title))) >= _MIN_WORDS:
            yield from _question(title, HEADING, path, unit, lines)


def _is_term(unit: Unit, lines: Sequence[str]) -> bool:
    """Whether it is an indented line in a glossary, which the reading engine names like a section."""
    first = unit.signature[0]
    line = lines[first - 1]
    return unit.signature == (first, first) and line[:1].isspace() and not line.lstrip().startswith((".. ", "<", "#"))


def _question(text: str, kind: Kind, path: str, unit: Unit, lines: Sequence[str]) -> Iterator[Question]:
    heading_end, last = unit.signature[1], unit.lines[1]
    answer = "".join(lines[heading_end:last]).strip()
    if len(answer) >= _MIN_ANSWER_CHARACTERS:
        yield Question(text, kind, path, unit.lines[0], heading_end, last, answer)


def _hide(lines: list[str], question: Question, name: str) -> None:
    """Put `name` in the place of what the heading's lines say; rules and markup stay."""
    is_tagged = kind_of_file(question.path) in HTML_KINDS
    for place in range(question.first_line - 1, question.heading_end):
        line = lines[place]
        if is_tagged:
            lines[place] = _BETWEEN_TAGS.sub(f">{name}<", line)
        elif line.strip() and not _RULE.fullmatch(line):
            before, after = _BEFORE.match(line), _AFTER.search(line)
            lines[place] = f"{before[0] if before else ''}{name}{after[0] if after else ''}"
