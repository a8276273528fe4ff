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
from coordinator.reading.language.csharp import CSHARP
from coordinator.reading.language.data import JSON, TOML, YAML
from coordinator.reading.language.go import GO
from coordinator.reading.language.grammar import Grammar
from coordinator.reading.language.java import JAVA
from coordinator.reading.language.javascript import JAVASCRIPT
from coordinator.reading.language.markdown import markdown_outline
from coordinator.reading.language.markup import CSS, HTML
from coordinator.reading.language.notebook import notebook_outline
from coordinator.reading.language.php import PHP
from coordinator.reading.language.python import PYTHON
from coordinator.reading.language.rst import rst_outline
from coordinator.reading.language.ruby import RUBY
from coordinator.reading.language.rust import RUST
from coordinator.reading.language.shell import SHELL
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
_HTML, _JSON, _PHP, _RUBY, _SHELL, _TOML, _YAML = map(_by, (HTML, JSON, PHP, RUBY, SHELL, TOML, YAML))
_MARKDOWN = Language("Markdown", markdown_outline)
_RST = Language("reStructuredText", rst_outline)
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
        "cs": _by(CSHARP),
        "rb": _RUBY, "rake": _RUBY, "gemspec": _RUBY, "ru": _RUBY,
        "php": _PHP, "phtml": _PHP,
        "sh": _SHELL, "bash": _SHELL,
        "json": _JSON, "jsonc": _JSON, "webmanifest": _JSON, "geojson": _JSON,
        "ipynb": Language("a notebook", notebook_outline),
        "yaml": _YAML, "yml": _YAML,
        "toml": _TOML,
        "html": _HTML, "htm": _HTML,
        "css": _by(CSS),
        "md": _MARKDOWN, "markdown": _MARKDOWN,
        "rst": _RST, "rest": _RST,
    }
)  # fmt: skip
"""By extension, in lower case, without its dot."""
NAMED_FILES: Final[Mapping[str, Language]] = MappingProxyType(
    {
        "gemfile": _RUBY, "rakefile": _RUBY, "vagrantfile": _RUBY,
        "cargo.lock": _TOML, "poetry.lock": _TOML, "uv.lock": _TOML, "pdm.lock": _TOML, "pipfile": _TOML,
        "composer.lock": _JSON, "pipfile.lock": _JSON, "flake.lock": _JSON, ".babelrc": _JSON, ".eslintrc": _JSON,
        ".bashrc": _SHELL, ".bash_profile": _SHELL, ".profile": _SHELL,
    }
)  # fmt: skip
"""By the whole name in lower case, where the extension does not tell."""
_INTERPRETER = re.compile(r"#!\s*\S*?(?:/env\s+(?:-\S+\s+)*)?/?([a-z]+)[\d.]*(?:\s|$)")
_INTERPRETERS: Final[Mapping[str, Language]] = MappingProxyType(
    {"python": _PYTHON, "bash": _SHELL, "sh": _SHELL, "dash": _SHELL, "node": _JAVASCRIPT, "ruby": _RUBY, "php": _PHP}
)
_HEADER_EXTENSION = "h"
_CPP_SIGNS = re.compile(r"^\s*(?:class\s+\w+|namespace\b|template\s*<|using\s+\w|public:|private:|protected:)", re.M)


def kind_of_file(path: str) -> str:
    """What the name of a file says of its language: all of it, if known, else its extension; in lower case, no dot."""
    name = PurePosixPath(path).name.lower()
    return name if name in NAMED_FILES else PurePosixPath(name).suffix.removeprefix(".")


def language_of(kind: str, source: SourceText) -> Language | None:
    """The language of a file of this kind, with this text; None where there is no grammar for it."""
    if kind == _HEADER_EXTENSION:
        return _CPP if _CPP_SIGNS.search(source.text) else _C
    if not kind:
        return _by_interpreter(source)
    return NAMED_FILES.get(kind) or LANGUAGES.get(kind)


def _by_interpreter(source: SourceText) -> Language | None:
    """The language of a script by its first line, `#!/usr/bin/env python3`."""
    found = _INTERPRETER.match(source.text)
    return _INTERPRETERS.get(found[1]) if found else None
