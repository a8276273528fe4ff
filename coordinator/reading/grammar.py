"""Which grammar cuts a file into units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from coordinator.reading.block_units import block_outline
from coordinator.reading.language.catalogue import Language, kind_of_file, language_of
from coordinator.reading.source import SourceText
from coordinator.reading.unit import Outline

MAX_PARSED_CHARACTERS: Final = 1_000_000
"""A longer file is not parsed, which takes 0.1 to 0.5 s a million characters: blocks do."""
MAX_LINE_CHARACTERS: Final = 1_000
"""Where most of a file is in longer lines, it was minified, and its units would share lines."""
_PRINTABLE_EXTENSION = re.compile(r"[a-z0-9+_-]{1,16}")


def outline_of(source: SourceText, path: str) -> Outline:
    """The units of `source`, by the grammar for what `path` is called; blocks, and a word about it, without one."""
    return _outline(source, kind_of_file(path))


@lru_cache(maxsize=16)  # an agent expands several units of what it has just read; keyed by the whole text
def _outline(source: SourceText, kind: str) -> Outline:
    lines = source.lines
    language = language_of(kind, source)
    reason = _unparsed(source, lines, kind, language)
    outline = language.outline(lines) if language is not None and not reason else None
    if outline is not None:
        return outline
    reason = reason or f"not parsable as {language.name if language else kind}"
    return block_outline(lines, f"{reason}: indentation blocks")


def _unparsed(source: SourceText, lines: Sequence[str], kind: str, language: Language | None) -> str:
    """Why the file is not parsed at all; empty if it is."""
    if language is None:
        return f"no grammar for {f'.{kind}' if _PRINTABLE_EXTENSION.fullmatch(kind) else 'this file'}"
    if len(source.text) > MAX_PARSED_CHARACTERS:
        return f"over {MAX_PARSED_CHARACTERS:,} characters"
    if 2 * sum(len(line) for line in lines if len(line) > MAX_LINE_CHARACTERS) > len(source.text):
        return "minified"
    return ""
