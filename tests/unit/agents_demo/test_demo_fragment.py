"""Parsing what an agent was shown."""

from __future__ import annotations

import ast

from agents_demo.fragment import MAX_EXTENSIONS, read_fragment


def names(statements: list[ast.stmt] | tuple[ast.stmt, ...]) -> list[str]:
    return [statement.name for statement in statements if isinstance(statement, ast.FunctionDef | ast.ClassDef)]


def test_a_whole_file_is_parsed_at_once() -> None:
    fragment = read_fragment("import abc\n\nclass A:\n    x = 1\n")
    assert fragment.is_whole
    assert names(fragment.module.body) == ["A"]
    assert (fragment.orphans, fragment.skipped) == ((), frozenset())


def test_a_method_alone_is_an_orphan_with_the_positions_of_the_text_as_shown() -> None:
    fragment = read_fragment("    @wrapped\n    def f(self):\n        return 1\n")
    assert names(fragment.orphans) == ["f"]
    assert (fragment.orphans[0].lineno, fragment.orphans[0].col_offset) == (2, 4)
    assert fragment.skipped == frozenset()


def test_strings_keep_their_content_in_an_indented_definition() -> None:
    fragment = read_fragment('    def f(self):\n        return """a\n  b\nc"""\n')
    [definition] = fragment.orphans
    assert isinstance(definition, ast.FunctionDef)
    assert isinstance(definition.body[0], ast.Return)
    assert ast.literal_eval(definition.body[0].value or ast.Constant(0)) == "a\n  b\nc"


def test_lines_that_are_no_python_are_skipped_wherever_they_stand() -> None:
    shown = (
        "[view of a.py]\nclass A:\n…3f2a 4-9 A\n    def f(self):\n…3f2a 11-20 A.f (agent's\n"
        "    def g(self):\n        return 1\n…end\n"
    )
    fragment = read_fragment(shown)
    [cls] = fragment.module.body
    assert isinstance(cls, ast.ClassDef)
    assert names(cls.body) == ["f", "g"]
    assert fragment.skipped == {1, 3, 5, 8}


def test_a_definition_without_its_body_has_none_and_does_not_swallow_the_next() -> None:
    fragment = read_fragment("def f(a,\n      b):\n    # 12 lines omitted\ndef g():\n    return 1\n")
    assert names(fragment.module.body) == ["f", "g"]
    assert isinstance(fragment.module.body[0], ast.FunctionDef)
    assert [type(statement) for statement in fragment.module.body[0].body] == [ast.Pass]


def test_statements_of_which_nobody_knows_what_they_belong_to_are_dropped() -> None:
    fragment = read_fragment("…12 lines\n        import sys, abc\n…3 lines\n")
    assert (fragment.module.body, fragment.orphans) == ([], ())


def test_of_a_text_whose_lines_cannot_be_counted_nothing_is_taken() -> None:
    fragment = read_fragment("x = 1\ry = 2\ndef f():\n    pass\n")
    assert (fragment.module.body, fragment.orphans, fragment.is_whole) == ([], (), False)


def test_orphans_are_not_taken_for_parts_of_definitions_that_are_shown() -> None:
    fragment = read_fragment("def f():\n    return 1\n…if omitted\n    def g():\n        return 2\n")
    assert (names(fragment.module.body), fragment.orphans) == (["f"], ())


def test_a_string_that_reaches_below_the_indentation_is_followed_up_to_a_limit() -> None:
    def shown(n_lines: int) -> str:
        return "[header]\n    def f(self):\n        return '''\n" + "low\n" * n_lines + "'''\n[end\n"

    assert names(read_fragment(shown(MAX_EXTENSIONS - 2)).orphans) == ["f"]
    long = read_fragment(shown(MAX_EXTENSIONS + 5))
    [definition] = long.orphans
    assert isinstance(definition, ast.FunctionDef)
    assert [type(statement) for statement in definition.body] == [ast.Pass]
