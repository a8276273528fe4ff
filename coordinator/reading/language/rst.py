"""reStructuredText: sections by their underlined titles, and what directives describe: functions, terms, options.

Read by its lines: a title is what the docutils specification calls one, and its level is when its adornment was first
seen. What stands in a literal block is indented, and so is no title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from coordinator.reading.block_units import indent_of
from coordinator.reading.language.name import slug
from coordinator.reading.language.run import runs_between
from coordinator.reading.unit import LineRange, NameCounter, Outline, Unit, outline_in_order

_ADORNMENT: Final = re.compile(r"([!-/:-@\[-`{-~])\1{2,}\s*")
_MARKUP: Final = re.compile(r":[\w:+.-]+:`|[`*|]|<[^>`]*>(?=`)")
_DESCRIPTION: Final = re.compile(
    r"(?P<indent>\s*)\.\. (?:\w+:)?(?:function|class|method|classmethod|staticmethod|attribute|property|data|exception"
    r"|decorator|decoratormethod|coroutinefunction|coroutinemethod|awaitablefunction|awaitablemethod|opcode|option"
    r"|cmdoption|envvar|setting|confval|macro|type|struct|member|var|c?function|pdbcommand|django-admin"
    r"|templatetag|templatefilter|fieldlookup|describe|object)::\s+(?P<named>\S.*?)\s*"
)
_GLOSSARY: Final = re.compile(r"(?P<indent>\s*)\.\. glossary::\s*")
_SIGNATURE: Final = re.compile(r"\(|\s->\s|\s:\s|=")
_MAX_TITLE_LINES: Final = 3


@dataclass(frozen=True, slots=True)
class _Title:
    text: str
    lines: LineRange
    adornment: str  # the character, twice if the title has a line above it too


def rst_outline(lines: Sequence[str]) -> Outline | None:
    """The sections, descriptions and glossary terms of `lines` (with their endings); None where there are none."""
    contents = [line.rstrip() for line in lines]
    names = NameCounter()
    units = [*_sections(contents, names), *_descriptions(contents, names), *_terms(contents, names)]
    return outline_in_order([*units, *runs_between(units, contents)]) if units else None


def _sections(contents: Sequence[str], names: NameCounter) -> Iterator[Unit]:
    """Each up to the next title of its level or above."""
    titles = list(_titles(contents))
    order = list(dict.fromkeys(title.adornment for title in titles))
    levels = [order.index(title.adornment) for title in titles]
    for place, title in enumerate(titles):
        later = range(place + 1, len(titles))
        after = next((titles[other].lines[0] for other in later if levels[other] <= levels[place]), len(contents) + 1)
        yield _section(names.name(_plain(title.text)), title.lines, after - 1, contents)


def _titles(contents: Sequence[str]) -> Iterator[_Title]:
    number = 1
    while number <= len(contents):
        title = _overlined(contents, number) or _underlined(contents, number)
        if title is not None:
            yield title
        number = title.lines[1] + 1 if title is not None else number + 1


def _overlined(contents: Sequence[str], number: int) -> _Title | None:
    """The title whose upper line is line `number`."""
    stretch = contents[number - 1 : number - 1 + _MAX_TITLE_LINES]
    if len(stretch) < _MAX_TITLE_LINES or stretch[0] != stretch[2] or not _is_adornment(stretch[0]):
        return None
    if not _fits(stretch[1].strip(), stretch[0]):
        return None
    return _Title(stretch[1].strip(), (number, number + 2), stretch[0][0] * 2)


def _underlined(contents: Sequence[str], number: int) -> _Title | None:
    """The title that is line `number`; the line before it is blank, or an explicit target."""
    if number == len(contents) or not _is_adornment(contents[number]):
        return None
    text, before = contents[number - 1], contents[number - 2] if number > 1 else ""
    if text[:1].isspace() or (before and not before.startswith("..")) or not _fits(text, contents[number]):
        return None
    return _Title(text, (number, number + 1), contents[number][0])


def _is_adornment(line: str) -> bool:
    return _ADORNMENT.fullmatch(line) is not None


def _fits(text: str, adornment: str) -> bool:
    """Whether the adornment is as long as the title, less a few characters that people forget."""
    return bool(text) and not _is_adornment(text) and len(adornment) + 3 >= len(text)


def _descriptions(contents: Sequence[str], names: NameCounter) -> Iterator[Unit]:
    """What `.. function::` and its like describe: the directive with all that is indented below it."""
    for number, line in enumerate(contents, start=1):
        found = _DESCRIPTION.fullmatch(line) if ".. " in line else None
        if found is not None:
            named = _SIGNATURE.split(found["named"])[0]
            yield _indented(names.name(_plain(named)), number, contents)


def _terms(contents: Sequence[str], names: NameCounter) -> Iterator[Unit]:
    """The entries of each `.. glossary::`: terms are its least indented lines."""
    for number, line in enumerate(contents, start=1):
        found = _GLOSSARY.fullmatch(line) if "glossary::" in line else None
        if found is None:
            continue
        last = _end_of_indented(number, contents)
        indents = {one: indent_of(contents[one - 1]) for one in range(number + 1, last + 1)}
        least = min((indent for indent in indents.values() if indent is not None), default=0)
        for one, indent in indents.items():
            if indent == least and not contents[one - 1].lstrip().startswith((":", "..")):
                yield _indented(names.name(_plain(contents[one - 1])), one, contents)


def _indented(name: str, number: int, contents: Sequence[str]) -> Unit:
    return _section(name, (number, number), _end_of_indented(number, contents), contents)


def _end_of_indented(number: int, contents: Sequence[str]) -> int:
    """The last line that is indented more than line `number`, without a gap of less indented ones."""
    least = indent_of(contents[number - 1]) or 0
    last = number
    for later in range(number + 1, len(contents) + 1):
        indent = indent_of(contents[later - 1])
        if indent is not None and indent <= least:
            break
        last = later if indent is not None else last
    return last


def _section(name: str, signature: LineRange, last: int, contents: Sequence[str]) -> Unit:
    while last > signature[1] and not contents[last - 1].strip():
        last -= 1
    return Unit(name, "section", (signature[0], last), signature, signature[0])


def _plain(text: str) -> str:
    return slug(_MARKUP.sub("", text)) or "heading"
