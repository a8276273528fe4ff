"""Which grammar cuts a file into units."""

from __future__ import annotations

import re
from functools import lru_cache

from coordinator.reading.block_units import block_outline
from coordinator.reading.language.catalogue import extension_in, language_of
from coordinator.reading.source import SourceText
from coordinator.reading.unit import Outline

_PRINTABLE_EXTENSION = re.compile(r"[a-z0-9+_-]{1,16}")


def outline_of(source: SourceText, path: str) -> Outline:
    """The units of `source`, by the grammar for the extension of `path`; blocks, and a word about it, without one."""
    return _outline(source, extension_in(path))


@lru_cache(maxsize=16)  # an agent expands several units of what it has just read; keyed by the whole text
def _outline(source: SourceText, extension: str) -> Outline:
    lines = source.lines
    language = language_of(extension, source)
    if language is None:
        named = f".{extension}" if _PRINTABLE_EXTENSION.fullmatch(extension) else "this file"
        return block_outline(lines, f"no grammar for {named}: indentation blocks")
    return language.outline(lines) or block_outline(lines, f"not parsable as {language.name}: indentation blocks")
