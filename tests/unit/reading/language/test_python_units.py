"""Where definitions begin and end in Python."""

from coordinator.reading.grammar import outline_of
from coordinator.reading.source import decode
from coordinator.reading.unit import Outline, Unit

SOURCE = '''\
"""What this is.

More of it."""
import os
import sys

LIMIT = 3


# Why f is here,
# in two lines.
@cached
@traced(
    1)
def f(a,
      b) -> int:
    """
    Adds.

    Really.
    """
    def inner():
        pass
    return a + b


class A(B):
    """An A."""

    x = 1

    # leads m
    async def m(self): return 1

    @property
    def p(self):
        "one line"

    @p.setter
    def p(self, value):
        pass

    class Inner:
        def m(self):
            pass

if LIMIT:
    def g(): pass
else:
    # leads the other
    def g(): pass
# after all
'''


def outline(text: str) -> Outline:
    return outline_of(decode(text.encode()), "module.py")


def unit(name: str, text: str = SOURCE) -> Unit:
    found = outline(text).find(name)
    assert found is not None, [known.name for known in outline(text).units]
    return found


def line(number: int, text: str = SOURCE) -> str:
    return text.splitlines()[number - 1]


def test_every_unit_has_its_name_in_the_order_of_the_file() -> None:
    assert [known.name for known in outline(SOURCE).units] == [
        "L1-3", "L4-5", "L7-7", "f", "A", "A.m", "A.p", "A.p#2", "A.Inner", "A.Inner.m",
        "L47-47", "g", "L49-49", "g#2", "L52-52",
    ]  # fmt: skip
    assert outline(SOURCE).fallback == ""


def test_a_function_has_its_decorators_and_leading_comment() -> None:
    f = unit("f")
    assert line(f.lines[0]) == "# Why f is here,"
    assert line(f.lines[1]) == "    return a + b"
    assert line(f.decorated_at) == "@cached"


def test_a_signature_of_several_lines_is_whole() -> None:
    first, last = unit("f").signature
    assert [line(number) for number in range(first, last + 1)] == ["def f(a,", "      b) -> int:"]


def test_the_summary_is_the_first_line_of_the_docstring() -> None:
    assert unit("A").summary == (28, 28)
    assert line(28) == '    """An A."""'
    assert unit("A.m").summary is None


def test_quotes_that_stand_alone_take_the_next_line_along() -> None:
    assert unit("f").summary == (17, 18)
    assert line(18) == "    Adds."


def test_the_docstring_of_the_module_summarises_its_first_run() -> None:
    assert unit("L1-3").summary == (1, 1)


def test_a_class_reaches_over_its_methods() -> None:
    assert unit("A").kind == "class"
    assert unit("A").lines == (27, 45)
    assert unit("A").lines[0] < unit("A.Inner.m").lines[0] <= unit("A").lines[1]


def test_a_method_on_one_line_has_the_line_as_its_signature() -> None:
    method = unit("A.m")
    assert line(method.lines[0]) == "    # leads m"
    assert method.signature == (33, 33)
    assert method.lines == (32, 33)


def test_functions_inside_functions_belong_to_them() -> None:
    assert outline(SOURCE).find("f.inner") is None


def test_definitions_below_if_count_as_if_they_stood_outside() -> None:
    assert unit("g").lines == (48, 48)
    assert unit("g#2").lines == (50, 51)
    assert line(50) == "    # leads the other"


def test_a_comment_after_a_blank_line_leads_nothing() -> None:
    assert unit("f", "# far\n\ndef f(): pass\n").lines == (3, 3)


def test_a_comment_behind_a_statement_leads_nothing() -> None:
    assert unit("f", "x = 1  # near\ndef f(): pass\n").lines == (2, 2)


def test_imports_are_a_run_of_their_own() -> None:
    imports = unit("L4-5")
    assert imports.kind == "imports"
    assert unit("L7-7").kind == "run"


def test_the_owner_of_a_line_is_the_innermost_unit() -> None:
    owners = outline(SOURCE).owners(52)
    names = {number: owner.name if owner else "" for number, owner in enumerate(owners)}
    assert names[27] == "A"
    assert names[30] == "A"  # x = 1
    assert names[45] == "A.Inner.m"
    assert names[46] == ""


def test_carriage_returns_and_form_feeds_do_not_shift_the_lines() -> None:
    text = "x = 1\r\x0c\ry = 2\r\ndef f():\r    pass\u2028\r\ndef g(): pass"
    assert unit("f", text).lines == (4, 5)
    assert unit("g", text).lines == (6, 6)


def test_broken_source_keeps_what_can_be_told() -> None:
    broken = outline("def f(:\n    pass\n\nclass B\n    def g(self: pass\n\ndef ok():\n    pass\n")
    assert [unit.name for unit in broken.units] == ["f", "B", "ok"]
    assert "syntax errors" in broken.fallback


def test_source_that_is_not_python_at_all_falls_back_to_blocks() -> None:
    found = outline("{% if x %} <a b='c> ) ( ] }\n\n $$$ :: => ??\n")
    assert found.fallback == "not parsable as Python: indentation blocks"
    assert [unit.kind for unit in found.units] == ["block"]


def test_a_definition_does_not_reach_into_a_line_that_it_has_no_text_in() -> None:
    broken = outline("\ndef f(): pass \\\nasync def f(): else: \n        lambda: 0 if x:\n")
    assert [(unit.name, unit.lines) for unit in broken.units] == [("f", (2, 2)), ("f#2", (3, 4))]


def test_a_comment_on_the_line_of_the_class_leads_no_method() -> None:
    assert unit("A.f", "class A: # why\n         def f(self): pass\n").lines == (2, 2)


def test_an_empty_file_has_no_units() -> None:
    assert outline("").units == ()
    assert outline("\n\n").units == ()


def test_definitions_nested_too_deep_belong_to_what_is_around_them() -> None:
    ifs = "".join(f"{' ' * depth}if x:\n" for depth in range(500)) + f"{' ' * 500}def f(): pass\n"
    assert {unit.kind for unit in outline(ifs).units} == {"run"}
    classes = "".join(f"{' ' * depth}class A:\n" for depth in range(500)) + f"{' ' * 500}x = 1\n"
    assert outline(classes).find("A.A") is not None


def test_nesting_beyond_the_parser_falls_back_to_blocks() -> None:
    text = "".join(f"{' ' * depth}if x:\n" for depth in range(3_000)) + f"{' ' * 3_000}def f(): pass\n"
    assert "indentation blocks" in outline(text).fallback
