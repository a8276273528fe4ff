"""Which grammar cuts a file into units."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import PurePosixPath

from coordinator.reading.block_units import block_outline
from coordinator.reading.python_units import EXTENSIONS, python_outline
from coordinator.reading.source import SourceText
from coordinator.reading.unit import Outline

_PRINTABLE_EXTENSION = re.compile(r"[a-z0-9+_-]{1,16}")


def outline_of(source: SourceText, path: str) -> Outline:
    """The units of `source`, by the grammar for the extension of `path`; blocks, and a word about it, without one."""
    return _outline(source, PurePosixPath(path).suffix.lower().removeprefix("."))


@lru_cache(maxsize=16)  # an agent expands several units of what it has just read; keyed by the whole text
def _outline(source: SourceText, extension: str) -> Outline:
    lines = source.lines
    if extension not in EXTENSIONS:
        named = f".{extension}" if _PRINTABLE_EXTENSION.fullmatch(extension) else "this file"
        return block_outline(lines, f"no grammar for {named}: indentation blocks")
    outline = python_outline(lines)
    return outline or block_outline(lines, "not parsable as Python: indentation blocks")
