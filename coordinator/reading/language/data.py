"""JSON, YAML and TOML: keys whose values have several lines, and tables; in long ones the keys inside too.

    jobs:               jobs
      build:            jobs.build, if `jobs` is long
        - uses: a/b     uses:a/b, an entry of a list, by its first key

Keys of one line are no units: they stand in the run, or the section, around them.
"""

from __future__ import annotations

from typing import Final

from tree_sitter import Node

from coordinator.reading.language.definition import Found, Passage, Rule, definition
from coordinator.reading.language.grammar import Grammar
from coordinator.reading.language.name import MAX_TITLE_CHARACTERS, slug, text_of
from coordinator.reading.language.place import spans_lines

_QUOTES = str.maketrans("", "", "\"'")
_PAIRS = frozenset({"pair", "block_mapping_pair", "flow_pair"})
_MAX_AROUND_PAIR = 5  # nodes around the first pair of an entry
_TOML_KEYS = frozenset({"bare_key", "quoted_key", "dotted_key"})


def _pair(node: Node) -> Found:
    key, value = node.child_by_field_name("key"), node.child_by_field_name("value")
    if key is None or value is None or not spans_lines(node):
        return None
    return definition("section", _key_name(key), node, value)


def _object(node: Node) -> Found:
    """An object in a list is an entry of it; any other has a key, or is the whole file."""
    return _entry(node) if node.parent is not None and node.parent.type == "array" else Passage((node,))


def _entry(node: Node) -> Found:
    """One of a list, called by its first key and value; they are its signature."""
    if not spans_lines(node):
        return None
    pair = _first_pair(node)
    title = text_of(pair or node).lstrip("- ").partition("\n")[0].rstrip().translate(_QUOTES).replace(": ", ":")
    rest = (pair.child_by_field_name("value") if spans_lines(pair) else pair.next_named_sibling) if pair else None
    body = rest or (node.named_children[0] if node.named_children else None)
    return definition("section", slug(title, MAX_TITLE_CHARACTERS), pair or node, body, node)


def _first_pair(node: Node) -> Node | None:
    inner: Node | None = node
    for _ in range(_MAX_AROUND_PAIR):
        if inner is None or inner.type in _PAIRS:
            return inner
        inner = next((child for child in inner.named_children if child.type != "comment"), None)
    return None


def _table(node: Node) -> Found:
    key = next((child for child in node.children if child.type in _TOML_KEYS), None)
    values = next((child for child in node.named_children if child.type == "pair"), None)
    return definition("section", _key_name(key), node, values, node) if key is not None else None


def _toml_pair(node: Node) -> Found:
    key, value = node.named_children[0], node.named_children[-1]
    return definition("section", _key_name(key), node, value) if spans_lines(node) else None


def _key_name(key: Node) -> str:
    return slug(text_of(key).translate(_QUOTES))


_json_rules: dict[str, Rule] = {"pair": _pair, "object": _object}
_yaml_rules: dict[str, Rule] = {"block_mapping_pair": _pair, "flow_pair": _pair, "block_sequence_item": _entry}
_toml_rules: dict[str, Rule] = {"table": _table, "table_array_element": _table, "pair": _toml_pair}

JSON: Final = Grammar(
    name="JSON", wheel="tree_sitter_json", rules=_json_rules, transparent=frozenset({"ERROR", "array"})
)
YAML: Final = Grammar(
    name="YAML",
    wheel="tree_sitter_yaml",
    rules=_yaml_rules,
    transparent=frozenset(
        {"ERROR", "document", "block_node", "block_mapping", "block_sequence", "flow_node", "flow_mapping"}
    ),
    has_loose_ends=True,
)
TOML: Final = Grammar(
    name="TOML",
    wheel="tree_sitter_toml",
    rules=_toml_rules,
    transparent=frozenset({"ERROR", "array"}),
    has_loose_ends=True,
)
