"""Each kind of rewrite: what becomes of it, and what is left alone because nothing proves it."""

from __future__ import annotations

import ast

import pytest

from agents_demo.proof import check
from agents_demo.proposal import AlreadyDone, Proposal, propose
from agents_demo.rewrites import REWRITES
from agents_demo.task import find_tasks


def rewritten(text: str) -> tuple[list[str], str]:
    """The kinds of the tasks of `text`, and the text with all of them done, each step proven."""
    tasks = find_tasks(text, "sample.py")
    for task in tasks:
        proposal = propose(task, text)
        assert isinstance(proposal, Proposal)
        assert text.count(proposal.old) == 1
        after = text.replace(proposal.old, proposal.new)
        assert check(text, after, task) is None
        assert propose(task, after) == AlreadyDone()
        text = after
    return [task.kind for task in tasks], text


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"%s and %r" % (a, b)', 'f"{a!s} and {b!r}"'),
        ('"%a" % (a,)', 'f"{a!a}"'),
        ('"100%% of %s" % (a,)', 'f"100% of {a!s}"'),
        ('"{%s}" % (a,)', 'f"{{{a!s}}}"'),
        ("'it\\'s %s\\n' % (a,)", 'f"it\'s {a!s}\\n"'),
        ('"a\\\\b %s" % (a,)', 'f"a\\\\b {a!s}"'),
        ('"\\033[%sm" % (a,)', 'f"\\x1b[{a!s}m"'),
        ("'é %s' % (a.b[0],)", 'f"é {a.b[0]!s}"'),
        ('"%s" % (a["k"],)', "f'{a[\"k\"]!s}'"),
        ('"%d items" % len(a)', 'f"{len(a)!s} items"'),
        ('"%d of %s" % (7, a)', 'f"{7!s} of {a!s}"'),
        ('"%s" % ", ".join(a)', "f'{\", \".join(a)!s}'"),
        ('"%r" % "text"', "f'{\"text\"!r}'"),
        ('("one %s "\n     "two %s" % (a,\n  b))', '(f"one {a!s} two {b!s}")'),
        ('"%s" % (a,) + "%s" % (b,)', 'f"{a!s}" + f"{b!s}"'),
    ],
)
def test_a_percent_format_becomes_an_f_string(before: str, after: str) -> None:
    kinds, text = rewritten(f"x = {before}\n")
    assert set(kinds) == {"percent_format"}
    assert text == f"x = {after}\n"


@pytest.mark.parametrize("before", ['"%s: %r" % (a, b)', '"%%%a{}" % (b,)', '"%s" % (a[b], ) % (b,)'])
def test_over_a_tuple_display_the_compiler_makes_the_same_code_of_both_forms(before: str) -> None:
    _, after = rewritten(f"def f(a, b):\n    return {before}\n")
    assert "%s" not in after
    codes = [compile(text, "f", "exec").co_consts[0] for text in (f"def f(a, b):\n    return {before}\n", after)]
    assert codes[0].co_code == codes[1].co_code
    assert codes[0].co_consts == codes[1].co_consts


@pytest.mark.parametrize(
    "source",
    [
        '"%s" % a',  # a may be a tuple
        '"%s" % a.b',
        '"%s" % f(a)',
        '"%s %s" % (a,)',  # raises, and has to go on doing so
        '"%s" % (a, b)',
        '"none" % ()',
        '"%s" % (*a,)',
        '"%(a)s" % {"a": a}',
        '"%5s" % (a,)',
        '"%.3r" % (a,)',
        '"%*s" % (3, a)',
        '"%d" % (a,)',  # of a float %d cuts the fraction off
        '"%d" % True',
        '"%x" % (1,)',
        '"100% of %s" % (a,)',
        'b"%s" % (a,)',
        "t % (a,)",
        '"%s" % ({1},)',  # a brace cannot begin an f-string's expression
        '"%s" % ((lambda: a),)',
        '"%s" % ((y := a),)',
        """"%s %s" % (a["k"], a['k'])""",  # no quote is left
        r'"%s" % (a["\n"],)',
        '"%s" % (f"{a}",)',
        '("%s"  # said of a\n % (a,))',  # the comment would be lost
        '"%s" % (' + "a + " * 30 + "a,)",  # too long for one line
        '0 if a else"%s" % (a,)',  # the prefix would run into the keyword
    ],
)
def test_a_format_that_is_not_proven_or_cannot_be_written_is_left_alone(source: str) -> None:
    text = f"x = {source}\n"
    ast.parse(text)
    assert find_tasks(text, "sample.py") == []


@pytest.mark.parametrize(
    "binding",
    ["len = 3", "def f(len): pass", "from m import *", "import m as len", "class len: pass", "for len in a: pass"],
)
def test_a_builtin_that_the_module_may_bind_proves_nothing(binding: str) -> None:
    assert find_tasks('x = "%d" % len(a)\n', "sample.py") != []
    assert find_tasks(f'{binding}\nx = "%d" % len(a)\n', "sample.py") == []


def test_of_two_nested_formats_only_the_inner_one_is_asked_for() -> None:
    kinds, text = rewritten('x = "%s!" % ("%s" % (a,),)\n')
    assert (kinds, text) == (["percent_format"], 'x = "%s!" % (f"{a!s}",)\n')


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("not x in y", "x not in y"),
        ("not (x in y)", "x not in y"),
        ("not(x is y)", "x is not y"),
        ("not x is None and z", "x is not None and z"),
        ("not (x) in (y)", "(x) not in (y)"),
        ("(not (f(x) in y)) == z", "(f(x) not in y) == z"),
    ],
)
def test_a_negated_comparison_becomes_one_operator(before: str, after: str) -> None:
    kinds, text = rewritten(f"if {before}:\n    pass\n")
    assert (kinds, text) == (["negated_comparison"], f"if {after}:\n    pass\n")


@pytest.mark.parametrize("source", ["not x in y in z", "not x == y", "not (x in y or z)", "x not in y"])
def test_other_negations_are_left_alone(source: str) -> None:
    assert find_tasks(f"a = {source}\n", "sample.py") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x == None", "x is None"),
        ("x!=None", "x is not None"),
        ("(x) == (None)", "(x) is (None)"),
        ("é == None", "é is None"),
    ],
)
def test_equality_with_none_becomes_identity(before: str, after: str) -> None:
    assert rewritten(f"a = {before}\n") == (["none_comparison"], f"a = {after}\n")


@pytest.mark.parametrize("source", ["None == x", "x == None == y", "x == 0", "x is None"])
def test_other_comparisons_are_left_alone(source: str) -> None:
    assert find_tasks(f"a = {source}\n", "sample.py") == []


def test_a_run_of_imports_becomes_one_sorted_module_a_line() -> None:
    before = "import sys, os\nimport json as j\nimport os.path\n\nimport abc\n"
    after = "import json as j\nimport os\nimport os.path\nimport sys\n\nimport abc\n"
    assert rewritten(before) == (["sorted_imports"], after)


def test_imports_in_a_function_keep_their_indentation_and_line_endings() -> None:
    before = "def f():\r\n    import sys, abc\r\n    return sys\r\n"
    assert rewritten(before)[1] == "def f():\r\n    import abc\r\n    import sys\r\n    return sys\r\n"


@pytest.mark.parametrize(
    "source",
    [
        "import abc\nimport sys\n",  # sorted
        "import sys\nimport somewhere\n",  # not of the standard library: its import may have effects
        "import this\nimport abc\n",  # speaks when it is imported
        "import sys  # first\nimport abc\n",
        "import sys; import abc\n",
        "import sys\n\nimport abc\n",
        "import sys\nfrom m import n\nimport abc\n",
        "import sys as x\nimport abc as x\n",  # the last one wins
        "import sys as abc\nimport abc\n",
        "import sys, \\\n    abc\n",
    ],
)
def test_imports_whose_order_may_matter_or_whose_lines_hold_more_are_left_alone(source: str) -> None:
    ast.parse(source)
    assert find_tasks(source, "sample.py") == []


@pytest.mark.parametrize("header", ["class A(object):", "class A ( object , ) :", "class A(object,):"])
def test_a_class_loses_the_base_object(header: str) -> None:
    assert rewritten(f"{header}  # kept\n    x = 1\n") == (["object_base"], "class A:  # kept\n    x = 1\n")


@pytest.mark.parametrize(
    "source",
    [
        "class A(B, object):\n    pass\n",
        "class A(object, metaclass=M):\n    pass\n",
        "class A(m.object):\n    pass\n",
        "object = B\nclass A(object):\n    pass\n",
        "class A():\n    pass\n",
        "class A(  # why\n    object):\n    pass\n",
    ],
)
def test_other_bases_are_left_alone(source: str) -> None:
    ast.parse(source)
    assert find_tasks(source, "sample.py") == []


SUPER = "class B:\n    pass\n\nclass A(B):\n    def f(self, x):\n        return super(A, self).f(x)\n"


def test_super_loses_the_arguments_that_it_has_anyway() -> None:
    assert rewritten(SUPER) == (["super_call"], SUPER.replace("super(A, self)", "super()"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("super(A, self)", "super(B, self)"),
        ("super(A, self)", "super(A, x)"),
        ("return super(A, self).f(x)", "self = x; return super(A, self).f(x)"),
        ("return super(A, self).f(x)", "return [super(A, self).f(y) for y in x]"),
        ("return super(A, self).f(x)", "return lambda: super(A, self).f(x)"),
        ("    def f(self, x):\n        return", "    def f(self, x=super(A, self)):\n        return 1  #"),
        ("class A(B):", "@changed\nclass A(B):"),  # the decorator may return another class
        ("class A(B):", "class A(B, metaclass=M):"),  # the metaclass may lose the cell
        ("class A(B):", "class A(C):"),  # so may that of an unknown base
        ("class B:", "class B(metaclass=M):"),
        ("class B:", "A = 1\nclass B:"),
        ("class B:", "super = print\nclass B:"),
    ],
)
def test_super_keeps_its_arguments_where_they_may_say_something_else(old: str, new: str) -> None:
    text = SUPER.replace(old, new)
    assert text != SUPER
    ast.parse(text)
    assert "super_call" not in [task.kind for task in find_tasks(text, "sample.py")]


def test_super_in_a_class_inside_a_function_is_left_alone() -> None:
    nested = "def g():\n" + "".join(f"    {line}\n" for line in SUPER.splitlines())
    assert find_tasks(nested, "sample.py") == []


def test_a_builtin_exception_is_raised_without_an_empty_call() -> None:
    before = "def f(e):\n    raise ValueError() from e\n"
    assert rewritten(before) == (["bare_raise"], "def f(e):\n    raise ValueError from e\n")


@pytest.mark.parametrize(
    "source", ["raise ValueError('x')", "raise Mine()", "raise m.ValueError()", "ValueError = f; raise ValueError()"]
)
def test_other_raises_are_left_alone(source: str) -> None:
    assert find_tasks(f"{source}\n", "sample.py") == []


def test_every_kind_names_itself_once() -> None:
    assert sorted(REWRITES) == [
        "bare_raise",
        "negated_comparison",
        "none_comparison",
        "object_base",
        "percent_format",
        "sorted_imports",
        "super_call",
    ]
