"""One entry of a JSON file that is somebody else's: put in, taken out, everything else left as it means. Pure."""

from __future__ import annotations

import json
from typing import Any

from actors.runtime.errors import Misuse


def with_entry(text: str, section: str, name: str, entry: dict[str, Any]) -> str:
    """The file with `entry` as `section`'s `name`. Raises `Misuse` for a file that cannot be kept as it is."""
    document = _parsed(text)
    part = document.setdefault(section, {})
    if not isinstance(part, dict):
        raise Misuse(f"{section!r} in it is no object: add the entry by hand, see --print")
    part[name] = entry
    return _written(document)


def without_entry(text: str, section: str, name: str) -> str:
    """The file without it; empty if nothing is left. Raises as `with_entry` does."""
    document = _parsed(text)
    part = document.get(section)
    if not isinstance(part, dict) or name not in part:
        return text
    del part[name]
    if not part:
        del document[section]
    return _written(document) if document else ""


def _parsed(text: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    try:
        document = json.loads(text)
    except ValueError as error:
        raise Misuse(
            f"it is no plain JSON ({error}), perhaps for its comments: edit it by hand, see --print"
        ) from error
    if not isinstance(document, dict):
        raise Misuse("it holds no JSON object: edit it by hand, see --print")
    return document


def _written(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
