"""Markdown: sections by their headings, each with the deeper ones that follow it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tree_sitter import Node

from coordinator.reading.language.grammar import Grammar
from coordinator.reading.language.name import slug, text_of
from coordinator.reading.language.place import first_line, last_line
from coordinator.reading.language.run import runs_between
from coordinator.reading.unit import NameCounter, Outline, Unit, outline_in_order

_HEADINGS = frozenset({"atx_heading", "setext_heading"})
_MARKUP = str.maketrans("", "", "*`_#[]")
_MAX_DEPTH = 12  # of sections: six levels of headings

MARKDOWN: Final = Grammar(name="Markdown", wheel="tree_sitter_markdown")


def markdown_outline(lines: Sequence[str]) -> Outline | None:
    """The sections of `lines` (with their endings), each up to the next heading of its level or above."""
    contents = [line.rstrip("\r\n") for line in lines]
    tree = MARKDOWN.parse(contents)
    if tree is None:
        return None
    headings = list(_headings(tree.root_node))
    names = NameCounter()
    units = [_section(headings, place, contents, names) for place in range(len(headings))]
    return outline_in_order([*units, *runs_between(units, contents)])


def _headings(node: Node, depth: int = 0) -> Iterator[Node]:
    for child in node.children:
        if child.type in _HEADINGS:
            yield child
        elif child.type == "section" and depth < _MAX_DEPTH:
            yield from _headings(child, depth + 1)


def _level(heading: Node) -> int:
    marker = heading.children[0 if heading.type == "atx_heading" else -1].type
    return int(next((character for character in marker if character.isdigit()), "1"))


def _section(headings: Sequence[Node], place: int, contents: Sequence[str], names: NameCounter) -> Unit:
    heading = headings[place]
    level = _level(heading)
    later = (headings[other] for other in range(place + 1, len(headings)))
    following = next((other for other in later if _level(other) <= level), None)
    signature = first_line(heading), last_line(heading)
    last = first_line(following) - 1 if following is not None else len(contents)
    return Unit(
        name=names.name(_name(heading)),
        kind="section",
        lines=(signature[0], _last_text(contents, last, signature[1])),
        signature=signature,
        decorated_at=signature[0],
    )


def _name(heading: Node) -> str:
    content = heading.child_by_field_name("heading_content")
    return (slug(text_of(content).translate(_MARKUP)) if content is not None else "") or "heading"


def _last_text(contents: Sequence[str], last: int, least: int) -> int:
    while last > least and not contents[last - 1].strip():
        last -= 1
    return last
