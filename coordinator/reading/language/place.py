"""Where nodes stand: lines of the file, 1-based and inclusive."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tree_sitter import Node

from coordinator.reading.language.definition import Definition
from coordinator.reading.language.grammar import Grammar
from coordinator.reading.unit import LineRange

_LONE_OPENING = re.compile(r"\s*(?:/\*[*!]*|#+|//+[/!]?|--+|=begin)\s*")


@dataclass(frozen=True, slots=True)
class Lead:
    """What stands right above a definition: its first line, that of its last attributes, and its comment's, if any."""

    first: int
    decorated_at: int
    comment: LineRange | None


def first_line(node: Node) -> int:
    """The line where `node` begins."""
    return node.start_point.row + 1


def last_line(node: Node) -> int:
    """The line where `node` ends; a node that takes the line's ending along does not reach into the next one."""
    end = node.end_point
    return end.row + (1 if end.column or end.row == node.start_point.row else 0)


def spans_lines(node: Node) -> bool:
    """Whether `node` has more than one line."""
    return last_line(node) > first_line(node)


def lead_of(node: Node, pending: Sequence[Node], floor: int, contents: Sequence[str], grammar: Grammar) -> Lead:
    """The comments and attributes that touch `node` from above, at its indentation and below line `floor`."""
    first = decorated_at = first_line(node)
    last_comment = 0
    for above in reversed(pending):
        touches = last_line(above) == first - 1 and above.start_point.column == _indent(contents[first - 1])
        if not touches or first_line(above) <= floor:
            break
        first = first_line(above)
        if above.type in grammar.comments:
            last_comment = last_comment or last_line(above)
        elif not last_comment:
            decorated_at = first
    return Lead(first, decorated_at, (first, last_comment) if last_comment else None)


def signature_lines(found: Definition, grammar: Grammar) -> LineRange:
    """From the line after the annotations to the last one before the body."""
    first = _after_annotations(found.signature, grammar.annotations)
    if found.body is None:
        return first, last_line(found.signature)
    before = found.body.prev_sibling
    while before is not None and before.type in grammar.comments:
        before = before.prev_sibling
    return first, max(first, last_line(before) if before is not None else first_line(found.body))


def comment_summary(comment: LineRange | None, contents: Sequence[str]) -> LineRange | None:
    """The first line of a comment that says something, with what opens it."""
    if comment is None:
        return None
    first, last = comment
    alone = _LONE_OPENING.fullmatch(contents[first - 1]) is not None
    return (first, min(first + 1, last)) if alone else (first, first)


def _after_annotations(node: Node, annotations: frozenset[str]) -> int:
    """The first line of `node` that is not one of its annotations'; they may stand among its modifiers."""
    for child in node.children:
        if child.type in annotations:
            continue
        if child.type == "modifiers" and child.children:
            plain = next((each for each in child.children if each.type not in annotations), None)
            if plain is None:
                continue
            return first_line(plain)
        return first_line(child)
    return first_line(node)


def _indent(content: str) -> int:
    """Where the text of a line begins, in bytes of UTF-8, as the parser counts columns."""
    return len(content[: len(content) - len(content.lstrip())].encode("utf-8", "replace"))
