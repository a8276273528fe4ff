"""Proving an edit."""

from __future__ import annotations

import pytest

from agents_demo.proof import check
from agents_demo.task import Task, find_tasks

BEFORE = '''\
import sys, abc

class A(object):
    def f(self, x, y):
        """Doc."""
        if not x in y:
            return "%s: %r" % (x, y)
        return "%s: %r" % (y, x)
'''


def task(kind: str, number: int = 0) -> Task:
    return [each for each in find_tasks(BEFORE, "a.py") if each.kind == kind][number]


RIGHT = {
    "sorted_imports": ("import sys, abc", "import abc\nimport sys"),
    "object_base": ("(object)", ""),
    "negated_comparison": ("not x in y", "x not in y"),
    "percent_format": ('"%s: %r" % (x, y)', 'f"{x!s}: {y!r}"'),
}


@pytest.mark.parametrize("kind", RIGHT)
def test_exactly_the_rewrite_is_accepted(kind: str) -> None:
    assert check(BEFORE, BEFORE.replace(*RIGHT[kind]), task(kind)) is None


def test_layout_and_comments_may_change() -> None:
    after = BEFORE.replace('"%s: %r" % (x, y)', '(  # said\n    f"{x!s}: {y!r}")')
    assert check(BEFORE, after, task("percent_format")) is None


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("percent_format", '"%s: %r" % (x, y)', 'f"{y!s}: {x!r}"'),
        ("percent_format", '"%s: %r" % (x, y)', 'f"{x!s}: {y!s}"'),
        ("percent_format", '"%s: %r" % (x, y)', 'f"{x}: {y!r}"'),  # calls another method
        ("percent_format", '"%s: %r" % (x, y)', 'f"{x!s} : {y!r}"'),
        ("percent_format", '"%s: %r" % (x, y)', '"%s: %r" % (x, y)'),  # not done at all
        ("percent_format", '"%s: %r" % (y, x)', 'f"{y!s}: {x!r}"'),  # another task's place
        ("negated_comparison", "not x in y", "x in y"),
        ("negated_comparison", "not x in y", "x is not y"),
        ("negated_comparison", "not x in y", "y not in x"),
        ("sorted_imports", "import sys, abc", "import abc"),
        ("sorted_imports", "import sys, abc", "import sys\nimport abc"),
        ("sorted_imports", "import sys, abc", "import abc\nimport os\nimport sys"),
        ("sorted_imports", "import sys, abc", "import abc as sys\nimport sys"),
        ("object_base", "class A(object)", "class B"),
        ("object_base", "(object)", "(Exception)"),
    ],
)
def test_another_change_in_the_same_place_is_found(kind: str, old: str, new: str) -> None:
    assert check(BEFORE, BEFORE.replace(old, new), task(kind)) is not None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Doc.", "Docs."),
        ("self, x, y", "self, y, x"),
        ("def f", "async def f"),
        ("        return", "        yield"),
        ("import sys, abc", "import sys"),
        ("import sys, abc\n", "import sys, abc\nx = 1\n"),
    ],
)
def test_the_rewrite_with_something_beside_it_is_found(old: str, new: str) -> None:
    right = BEFORE.replace(*RIGHT["negated_comparison"])
    assert check(BEFORE, right, task("negated_comparison")) is None
    assert right.replace(old, new) != right
    assert check(BEFORE, right.replace(old, new), task("negated_comparison")) is not None


def test_a_result_that_does_not_parse_is_named_so() -> None:
    reason = check(BEFORE, BEFORE.replace("def f(", "def f(("), task("object_base"))
    assert reason == "'a.py' does not parse after the edit"


def test_an_original_that_does_not_parse_proves_nothing() -> None:
    assert check("def f(:", BEFORE, task("object_base")) == "'a.py' did not parse before the edit"


def test_a_rewrite_that_was_there_before_is_no_rewrite() -> None:
    done = BEFORE.replace(*RIGHT["object_base"])
    assert check(done, done, task("object_base")) == "the task's place in 'A' already had its new form before the edit"


def test_a_place_that_was_not_there_is_named_so() -> None:
    gone = BEFORE.replace('"%s: %r" % (x, y)', "x")
    assert check(gone, BEFORE, task("percent_format")) == "the task's place was not in 'A.f' before the edit"


def test_of_like_places_the_other_one_is_not_accepted() -> None:
    before = 'a = "%s" % (x,)\nb = "%s" % (x,)\n'
    first, second = find_tasks(before, "a.py")
    after = 'a = f"{x!s}"\nb = "%s" % (x,)\n'
    assert check(before, after, first) is None
    assert check(before, after, second) == "the statement at line 1 says something else than the rewrite makes of it"
