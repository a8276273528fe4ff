"""Java: types, and their methods and constructors, with annotations."""

from __future__ import annotations

from typing import Final

from coordinator.reading.language.definition import Rule, named
from coordinator.reading.language.grammar import Grammar, any_of

_rules: dict[str, Rule] = {
    "class_declaration": named("class"),
    "interface_declaration": named("class"),
    "enum_declaration": named("class"),
    "record_declaration": named("class"),
    "annotation_type_declaration": named("class"),
    "method_declaration": named("function"),
    "constructor_declaration": named("function"),
    "compact_constructor_declaration": named("function"),
}

JAVA: Final = Grammar(
    name="Java",
    wheel="tree_sitter_java",
    rules=_rules,
    transparent=frozenset({"ERROR", "enum_body_declarations"}),
    is_import=any_of("import_declaration", "package_declaration"),
    comments=frozenset({"line_comment", "block_comment"}),
    annotations=frozenset({"annotation", "marker_annotation"}),
)
