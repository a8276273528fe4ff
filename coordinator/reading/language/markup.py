"""HTML and CSS: elements with an id, landmarks, scripts and styles; rules by their selectors."""

from __future__ import annotations

import re
from typing import Final

from tree_sitter import Node

from coordinator.reading.language.definition import Definition, Found, Passage, Rule, definition
from coordinator.reading.language.grammar import Grammar, any_of
from coordinator.reading.language.name import MAX_TITLE_CHARACTERS, slug, text_of
from coordinator.reading.language.place import spans_lines

_LANDMARKS = frozenset(
    {
        "article", "aside", "dialog", "footer", "form", "header", "main", "nav", "script", "section", "style",
        "template",
    }
)  # fmt: skip
_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_ELEMENTS = frozenset({"element", "script_element", "style_element"})
_ID = re.compile(r"""\sid\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_COMBINATOR = re.compile(r"\s*([>+~:])\s*")
_MARKUP = re.compile(r"<[^>]*>")
_TAG = re.compile(r"<\s*([\w:-]+)")


def _element(node: Node) -> Found:
    """A heading, or an element of several lines with an id or a meaning of its own; any other is passed through."""
    opening = node.children[0] if node.children else None
    if opening is None:
        return None
    if _tag(node) in _HEADINGS:
        return _heading(node)
    if not spans_lines(node):
        return None
    name = _name(node)
    return definition("section", name, node, opening.next_sibling, node) if name else Passage((node,))


def _heading(node: Node) -> Found:
    """A heading, with what follows up to the next one or to an element with a name."""
    last, after = node, node.next_sibling
    while after is not None and not (after.type in _ELEMENTS and (_tag(after) in _HEADINGS or _name(after))):
        last, after = after, after.next_sibling
    text = _MARKUP.sub("", text_of(node))
    name = slug(text, MAX_TITLE_CHARACTERS) or _tag(node)
    return Definition(name, "section", node, last=last if last.type != "end_tag" else last.prev_sibling)


def _name(element: Node) -> str:
    """Its id, or its tag if that is a landmark; empty for any other element."""
    known, tag = _ID.search(_opening(element)), _tag(element)
    return slug(known[1]) if known else tag if tag in _LANDMARKS else ""


def _tag(element: Node) -> str:
    found = _TAG.match(_opening(element))
    return found[1].lower() if found else ""


def _opening(element: Node) -> str:
    return text_of(element.children[0]) if element.children else ""


def _css_rule(node: Node) -> Found:
    """A rule of several lines by what stands before its braces."""
    block = next((child for child in node.children if child.type.endswith(("block", "block_list"))), None)
    if block is None or not spans_lines(node):
        return None
    head = text_of(node)[: max(0, block.start_byte - node.start_byte)]
    return definition("section", slug(_COMBINATOR.sub(r"\1", head)), node, block)


_html_rules: dict[str, Rule] = dict.fromkeys(_ELEMENTS, _element)
_css_rules: dict[str, Rule] = dict.fromkeys(
    ("rule_set", "media_statement", "keyframes_statement", "supports_statement", "at_rule", "scope_statement"),
    _css_rule,
)

HTML: Final = Grammar(name="HTML", wheel="tree_sitter_html", rules=_html_rules, transparent=frozenset({"ERROR"}))
CSS: Final = Grammar(
    name="CSS",
    wheel="tree_sitter_css",
    rules=_css_rules,
    transparent=frozenset({"ERROR"}),
    is_import=any_of("import_statement"),
    comments=frozenset({"comment", "js_comment"}),
)
