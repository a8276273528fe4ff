"""From a shown text to an edit."""

from __future__ import annotations

import pytest

from agents_demo.proposal import MAX_NEIGHBOURS, AlreadyDone, NotVisible, Proposal, propose
from agents_demo.task import Task, find_tasks

FILE = '''\
import sys
import abc


class A(object):
    """Says it."""

    def f(self, x):
        if x:
            return "%s" % (x,)
        return None

    def g(self, x):
        text = "a %s" % (x,)
        return text


def f(x):
    return "%s" % (x,)
'''


def task(kind: str, scope: str, text: str = FILE, ordinal: int = 0) -> Task:
    [found] = [
        each
        for each in find_tasks(text, "a.py")
        if (each.kind, each.scope, each.ordinal) == (kind, scope, ordinal)
    ]  # fmt: skip
    return found


MAP_VIEWS = {
    "markers at the margin": """\
…3f2a map (60 of 90 tokens)
…3f2a 1-4
class A(object):
…3f2a 6-7 A
    def f(self, x):
…3f2a 9-12 A.f
    def g(self, x):
…3f2a 14-17 A.g
def f(x):
…3f2a 19-19 f
""",
    "markers as comments": """\
# view of a.py
class A(object):
    # 2 lines of A
    def f(self, x):
        # 4 lines of A.f; it's omitted
    def g(self, x):
        # 4 lines of A.g
def f(x):
    # 1 line
""",
    "markers with brackets and dots": """\
class A(object):
    ...
    def f(self, x):
        [4 lines omitted (expand A.f]
    def g(self, x):
        ...
def f(x): ...
""",
}


@pytest.mark.parametrize("view", MAP_VIEWS.values(), ids=MAP_VIEWS.keys())
def test_a_map_shows_headers_and_no_bodies(view: str) -> None:
    assert propose(task("object_base", "A"), view) == Proposal("class A(object):", "class A:")
    for scope in ("A.f", "A.g", "f"):
        answer = propose(task("percent_format", scope), view)
        assert isinstance(answer, NotVisible)
        assert scope in answer.reason


def test_from_the_whole_file_old_is_the_whole_statement() -> None:
    assert propose(task("percent_format", "A.g"), FILE) == Proposal(
        '        text = "a %s" % (x,)', '        text = f"a {x!s}"'
    )
    assert propose(task("sorted_imports", "<module>"), FILE) == Proposal(
        "import sys\nimport abc", "import abc\nimport sys"
    )


def test_old_grows_until_it_is_unique_in_what_is_shown() -> None:
    assert propose(task("percent_format", "f"), FILE) == Proposal(
        'def f(x):\n    return "%s" % (x,)', 'def f(x):\n    return f"{x!s}"'
    )


def test_neighbours_can_be_asked_for_where_the_file_was_not_unique() -> None:
    view = FILE[FILE.index("    def f(self") : FILE.index("    def g")]
    assert propose(task("percent_format", "A.f"), view) == Proposal(
        '            return "%s" % (x,)', '            return f"{x!s}"'
    )
    assert propose(task("percent_format", "A.f"), view, n_neighbours=1) == Proposal(
        '        if x:\n            return "%s" % (x,)\n        return None',
        '        if x:\n            return f"{x!s}"\n        return None',
    )
    widest = propose(task("percent_format", "A.f"), view, n_neighbours=MAX_NEIGHBOURS)
    assert isinstance(widest, Proposal)
    assert widest.old == view.rstrip("\n") or view.startswith(widest.old)


def test_old_never_holds_a_line_that_may_be_a_marker() -> None:
    view = '[view]\n    def g(self, x):\n        text = "a %s" % (x,)\n        # omitted\n[end (\n'
    answer = propose(task("percent_format", "A.g"), view, n_neighbours=9)
    assert isinstance(answer, Proposal)
    assert answer.old == '    def g(self, x):\n        text = "a %s" % (x,)'


@pytest.mark.parametrize("around", ["{}", "…3f2a expand A.g\n{}", "{}\n…3f2a 16-20\n", "[it's A.g (\n{}\n\n[end\n"])
def test_one_expanded_definition_is_enough(around: str) -> None:
    view = around.format(FILE[FILE.index("    def g") : FILE.index("\n\n\ndef f")])
    assert propose(task("percent_format", "A.g"), view) == Proposal(
        '        text = "a %s" % (x,)', '        text = f"a {x!s}"'
    )
    assert isinstance(propose(task("percent_format", "A.f"), view), NotVisible)


def test_a_function_of_the_same_name_elsewhere_is_not_mistaken_for_the_method() -> None:
    top = FILE[FILE.index("def f(x)") :]
    assert isinstance(propose(task("percent_format", "A.f"), top), NotVisible)
    assert isinstance(propose(task("percent_format", "f"), top), Proposal)


def test_a_place_that_somebody_else_rewrote_is_already_done() -> None:
    asked = task("percent_format", "A.g")
    done = FILE.replace('"a %s" % (x,)', 'f"a {x!s}"')
    assert propose(asked, done) == AlreadyDone()
    assert propose(asked, done[done.index("    def g") : done.index("\n\n\ndef f")]) == AlreadyDone()


def test_a_place_that_says_something_else_by_now_is_neither_there_nor_done() -> None:
    answer = propose(task("percent_format", "A.g"), FILE.replace('"a %s"', '"b %s"'))
    assert isinstance(answer, NotVisible)
    assert "some of it" not in answer.reason or "A.g" in answer.reason


def test_what_others_rewrote_in_the_same_statement_stays_in_old() -> None:
    text = 'def f(x, y):\n    return "%s" % (x,), not x in y\n'
    half_done = text.replace("not x in y", "x not in y")
    assert propose(task("percent_format", "f", text), half_done) == Proposal(
        '    return "%s" % (x,), x not in y', '    return f"{x!s}", x not in y'
    )


def test_a_place_is_found_again_after_what_it_contains_was_rewritten() -> None:
    text = "class B:\n    pass\nclass A(B):\n    def f(self):\n        return not super(A, self).x in self.y\n"
    half_done = text.replace("super(A, self)", "super()")
    assert propose(task("negated_comparison", "A.f", text), half_done) == Proposal(
        "        return not super().x in self.y", "        return super().x not in self.y"
    )


TWINS = 'def f(x):\n    a = "%s" % (x,)\n    b = "%s" % (x,)\n    return a, b\n'


def test_of_like_places_each_task_keeps_its_own_whichever_is_done_first() -> None:
    first, second = (task("percent_format", "f", TWINS, ordinal) for ordinal in (0, 1))
    first_done = TWINS.replace('a = "%s" % (x,)', 'a = f"{x!s}"')
    assert propose(first, first_done) == AlreadyDone()
    assert propose(second, first_done) == Proposal('    b = "%s" % (x,)', '    b = f"{x!s}"')
    second_done = TWINS.replace('b = "%s" % (x,)', 'b = f"{x!s}"')
    assert propose(first, second_done) == Proposal('    a = "%s" % (x,)', '    a = f"{x!s}"')
    assert propose(second, second_done) == AlreadyDone()


def test_like_places_that_are_not_all_shown_are_not_told_apart() -> None:
    cut = '[view]\ndef f(x):\n    [1 line omitted]\n    b = "%s" % (x,)\n    return a, b\n'
    answer = propose(task("percent_format", "f", TWINS), cut)
    assert isinstance(answer, NotVisible)
    assert "1 of 2" in answer.reason


def test_a_none_comparison_beside_a_negated_one_keeps_its_number() -> None:
    text = "def f(x):\n    return x != None, not x is None\n"
    both = [task("none_comparison", "f", text), task("negated_comparison", "f", text, 1)]
    done = text.replace("not x is None", "x is not None")
    assert propose(both[0], done) == Proposal(
        "    return x != None, x is not None", "    return x is not None, x is not None"
    )
    assert propose(both[1], done) == AlreadyDone()


def test_old_takes_only_the_changed_lines_of_a_compound_statement() -> None:
    text = "def f(x):\n    while not x in y:\n        x += 1\n"
    assert propose(task("negated_comparison", "f", text), text) == Proposal(
        "    while not x in y:", "    while x not in y:"
    )


def test_an_empty_text_shows_nothing() -> None:
    assert isinstance(propose(task("percent_format", "f"), ""), NotVisible)
