"""Shell scripts: functions."""

from __future__ import annotations

from typing import Final

from coordinator.reading.language.definition import named
from coordinator.reading.language.grammar import Grammar

SHELL: Final = Grammar(
    name="Bash",
    wheel="tree_sitter_bash",
    rules={"function_definition": named("function")},
    transparent=frozenset(
        {
            "ERROR",
            "if_statement",
            "elif_clause",
            "else_clause",
            "case_statement",
            "case_item",
            "list",
            "compound_statement",
        }
    ),
)
