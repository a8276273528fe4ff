"""Facts of real code and docs, always the same ones on one machine: what agents would note of them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from actors.memory.fact import FactDraft
from actors.runtime.errors import Misuse

_DEFINITION: Final = re.compile(r"(?P<indent> *)(?:async )?(?:def|class) (?P<name>\w+)")
_DOCSTRING: Final = re.compile(r'\s*[rR]?"""(?P<text>[^"]{12,200}?)(?:"""|\s*$)')
_HEADING: Final = re.compile(r"#+ (?P<title>.+)")
_SENTENCE: Final = re.compile(r"(?:[*-] |\d+\. )?(?P<text>[A-Z*`].{20,250}?[.:])(?: |$)")
_LOOKED_AT: Final = 6
"""So many lines after a definition its docstring may begin."""


def code_facts(folder: Path) -> Iterator[FactDraft]:
    """What each function and class below a folder says of itself, by file and name."""
    for path in sorted(folder.rglob("*.py")):
        name = path.relative_to(folder).as_posix()
        yield from _usable(_definitions(name, path.read_text(encoding="utf-8", errors="replace").splitlines()))


def _definitions(file: str, lines: list[str]) -> Iterator[FactDraft]:
    outer: list[tuple[int, str]] = []
    for number, line in enumerate(lines):
        found = _DEFINITION.match(line)
        if found is None:
            continue
        depth = len(found["indent"])
        outer = [*(one for one in outer if one[0] < depth), (depth, found["name"])]
        said = filter(None, map(_DOCSTRING.fullmatch, islice(lines, number + 1, number + 1 + _LOOKED_AT)))
        first = next(said, None)
        if first is not None:
            qualified = ".".join(one for _, one in outer)
            yield FactDraft("code", f"{file}:{qualified}", first["text"].strip(), 1.0, file)


def doc_facts(folder: Path) -> Iterator[FactDraft]:
    """The first sentence of each paragraph of the Markdown pages in a folder, by page and heading."""
    for path in sorted(folder.glob("*.md")):
        yield from _usable(_sentences(path.name, path.read_text(encoding="utf-8").splitlines()))


def _sentences(file: str, lines: list[str]) -> Iterator[FactDraft]:
    heading, number = "", 0
    for line in lines:
        title = _HEADING.fullmatch(line)
        if title is not None:
            heading, number = re.sub(r"\W+", "-", title["title"].lower()).strip("-"), 0
            continue
        sentence = _SENTENCE.match(line)
        if sentence is not None:
            number += 1
            yield FactDraft("docs", f"{file}#{heading}.{number}"[:120], sentence["text"], 1.0, file)


def _usable(drafts: Iterable[FactDraft]) -> Iterator[FactDraft]:
    """What the memory would take."""
    for draft in drafts:
        try:
            draft.check()
        except Misuse:
            continue
        yield draft
