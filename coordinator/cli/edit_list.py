"""Several replacements as a JSON document: a list of objects with `old` and `new`."""

from __future__ import annotations

import json
from typing import Any, Final

from actors.runtime.errors import Misuse
from coordinator.cli.source_file import read_source
from coordinator.editing.request import MAX_TEXT_BYTES, Replacement

_MAX_BYTES: Final = 2 * MAX_TEXT_BYTES
"""JSON may take more bytes than the texts in it; what is in it has its own limit."""


def read_edits(file: str) -> tuple[Replacement, ...]:
    """The replacements in a file, or with `-` on standard input. Raises `Misuse` for anything else."""
    raw = read_source(file, what="", max_bytes=_MAX_BYTES, then="make several calls")
    try:
        document = json.loads(raw.decode("utf-8", "surrogateescape"))
    except ValueError as error:
        raise Misuse(f'{file!r} is no JSON ({error}): give [{{"old": ..., "new": ...}}, ...]') from error
    except RecursionError as error:
        raise Misuse(f'{file!r} is nested too deeply: give [{{"old": ..., "new": ...}}, ...]') from error
    if not isinstance(document, list):
        raise Misuse(f'{file!r} holds no list: give [{{"old": ..., "new": ...}}, ...]')
    return tuple(_replacement(number, one) for number, one in enumerate(document))


def _replacement(number: int, one: Any) -> Replacement:
    if not isinstance(one, dict) or set(one) != set(Replacement._fields):
        raise Misuse(f'edits[{number}] is not {{"old": ..., "new": ...}}: give these two and nothing else')
    return Replacement(**one)
