"""HTML and CSS: elements with an id, landmarks, scripts and styles; rules by their selectors."""

from __future__ import annotations

import re
from typing import Final

import tree_sitter_css
import tree_sitter_html
from tree_sitter import Node

from coordinator.reading.language.definition import Found, Passage, Rule, definition
from coordinator.reading.language.grammar import Grammar, any_of
from coordinator.reading.language.name import slug, text_of
from coordinator.reading.language.place import spans_lines

_LANDMARKS = frozenset(
    {
        "article", "aside", "dialog", "dl", "footer", "form", "header", "main", "nav", "ol", "pre", "script", "section",
        "style", "table", "template", "ul",
    }
)  # fmt: skip
_ID = re.compile(r"""\sid\s*=\s*["']?([^"'\s>]+)""", re.IGNORECASE)
_COMBINATOR = re.compile(r"\s*([>+~:])\s*")
_TAG = re.compile(r"<\s*([\w:-]+)")


def _element(node: Node) -> Found:
    """An element with an id or a meaning of its own, if it has several lines; any other is passed through."""
    opening = node.children[0] if node.children else None
    if opening is None or not spans_lines(node):
        return None
    text = text_of(opening)
    known, tag = _ID.search(text), _TAG.match(text)
    name = known[1] if known else tag[1].lower() if tag and tag[1].lower() in _LANDMARKS else ""
    if not name:
        return Passage((node,))
    return definition("section", slug(name), node, opening.next_sibling, node)


def _css_rule(node: Node) -> Found:
    """A rule of several lines by what stands before its braces."""
    block = next((child for child in node.children if child.type.endswith(("block", "block_list"))), None)
    if block is None or not spans_lines(node):
        return None
    head = text_of(node)[: max(0, block.start_byte - node.start_byte)]
    return definition("section", slug(_COMBINATOR.sub(r"\1", head)), node, block)


_html_rules: dict[str, Rule] = dict.fromkeys(("element", "script_element", "style_element"), _element)
_css_rules: dict[str, Rule] = dict.fromkeys(
    ("rule_set", "media_statement", "keyframes_statement", "supports_statement", "at_rule", "scope_statement"),
    _css_rule,
)

HTML: Final = Grammar(name="HTML", load=tree_sitter_html.language, rules=_html_rules, transparent=frozenset({"ERROR"}))
CSS: Final = Grammar(
    name="CSS",
    load=tree_sitter_css.language,
    rules=_css_rules,
    transparent=frozenset({"ERROR"}),
    is_import=any_of("import_statement"),
    comments=frozenset({"comment", "js_comment"}),
)
