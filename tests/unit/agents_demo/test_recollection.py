"""What an agent quotes from memory."""

from __future__ import annotations

from agents_demo.proposal import Proposal, propose
from agents_demo.recollection import LONG_UNIT_LINES, Recollection, recollected
from agents_demo.task import find_tasks

HEAD = "# what it needs\nimport sys, os\n\n\n"
LONG = "def f(x):\n" + "".join(f"    y{number} = {number}\n" for number in range(60)) + '    return "%s" % (x,)\n'
SHORT = 'def g(x):\n    return "%s" % (x,)\n'


def test_statements_outside_of_definitions_are_known_in_another_form():
    assert recollected(HEAD + SHORT, "<module>") == "import sys, os\n"


def test_a_long_definition_is_known_with_other_quotes_and_a_short_one_is_looked_at():
    known = recollected(HEAD + LONG + SHORT, "f")
    assert known.startswith("def f(x):\n    y0 = 0\n")
    assert known.endswith("    return '%s' % (x,)\n")
    assert recollected(HEAD + LONG + SHORT, "g") == ""
    assert len(known.splitlines()) == LONG_UNIT_LINES + 2


def test_a_method_is_known_at_the_indentation_of_its_class():
    text = "class A:\n" + "".join(f"    {line}\n" for line in LONG.splitlines()) + "class B:\n    pass\n"
    known = recollected(text, "A.f")
    assert "    def f(self" not in known
    assert known.startswith("class A:\n\n    def f(x):\n")
    assert "class B" not in known


def test_nothing_is_known_of_what_is_not_there_or_does_not_parse():
    assert recollected(HEAD + SHORT, "nowhere") == ""
    assert recollected("def f(:\n", "f") == ""


def test_a_quotation_from_memory_lands_only_where_the_file_says_the_same(tmp_path):
    (tmp_path / "a.py").write_text(HEAD + LONG)
    imports, returned = find_tasks(HEAD + LONG, "a.py")
    memory = Recollection(tmp_path)
    from_memory = [propose(one, memory.recall(one)) for one in (imports, returned)]
    assert all(isinstance(one, Proposal) for one in from_memory)
    assert [one.old in HEAD + LONG for one in from_memory] == [True, False]  # the file has other quotes
    assert from_memory[1].old == "    return '%s' % (x,)"
