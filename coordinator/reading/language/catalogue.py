"""Which language a file is in, by its name and, where that is not enough, by its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Final

from coordinator.reading.language.c import CPP, C
from coordinator.reading.language.go import GO
from coordinator.reading.language.grammar import Grammar
from coordinator.reading.language.java import JAVA
from coordinator.reading.language.javascript import JAVASCRIPT
from coordinator.reading.language.markdown import markdown_outline
from coordinator.reading.language.python import PYTHON
from coordinator.reading.language.rust import RUST
from coordinator.reading.language.typescript import TSX, TYPESCRIPT
from coordinator.reading.language.walk import outline_by
from coordinator.reading.source import SourceText
from coordinator.reading.unit import Outline


@dataclass(frozen=True, slots=True)
class Language:
    """A name, and what cuts the lines of a file into units; None where it could make nothing of them."""

    name: str
    outline: Callable[[Sequence[str]], Outline | None]


def _by(grammar: Grammar) -> Language:
    return Language(grammar.name, partial(outline_by, grammar))


_C, _CPP, _JAVASCRIPT, _PYTHON, _TYPESCRIPT = map(_by, (C, CPP, JAVASCRIPT, PYTHON, TYPESCRIPT))
_MARKDOWN = Language("Markdown", markdown_outline)
LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType(
    {
        "py": _PYTHON, "pyi": _PYTHON, "pyw": _PYTHON,
        "js": _JAVASCRIPT, "mjs": _JAVASCRIPT, "cjs": _JAVASCRIPT, "jsx": _JAVASCRIPT,
        "ts": _TYPESCRIPT, "mts": _TYPESCRIPT, "cts": _TYPESCRIPT, "tsx": _by(TSX),
        "go": _by(GO),
        "rs": _by(RUST),
        "java": _by(JAVA),
        "c": _C,
        "cc": _CPP, "cpp": _CPP, "cxx": _CPP, "hh": _CPP, "hpp": _CPP, "hxx": _CPP,
        "md": _MARKDOWN, "markdown": _MARKDOWN,
    }
)  # fmt: skip
"""By extension, in lower case, without its dot."""
_HEADER_EXTENSION = "h"
_CPP_SIGNS = re.compile(r"^\s*(?:class\s+\w+|namespace\b|template\s*<|using\s+\w|public:|private:|protected:)", re.M)


def extension_in(path: str) -> str:
    """The extension of the file at `path`, in lower case, without its dot; empty without one."""
    return PurePosixPath(path).suffix.lower().removeprefix(".")


def language_of(extension: str, source: SourceText) -> Language | None:
    """The language of a file with this extension and text; None where there is no grammar for it."""
    if extension == _HEADER_EXTENSION:
        return _CPP if _CPP_SIGNS.search(source.text) else _C
    return LANGUAGES.get(extension)
