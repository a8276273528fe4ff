"""What units are called: as in the source, without white space; expressions and titles short enough for a marker."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

MAX_NAME_CHARACTERS: Final = 60
MAX_TITLE_CHARACTERS: Final = 40
_GAPS = re.compile(r"[\s,;\0]+")


def slug(text: str, most: int = MAX_NAME_CHARACTERS) -> str:
    """`text` with each gap as a dash, cut at `most` characters."""
    return _joined(text[: 4 * most])[:most].rstrip("-")


def name_of(node: Node | None) -> str:
    """The source of an identifier as a name, whole; empty without a node."""
    return _joined(text_of(node)) if node is not None else ""


def _joined(text: str) -> str:
    return _GAPS.sub("-", text).strip("-")


def text_of(node: Node) -> str:
    """The source of `node`."""
    return (node.text or b"").decode("utf-8", "replace")
