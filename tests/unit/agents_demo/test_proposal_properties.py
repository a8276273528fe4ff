"""Proposals from views that are cut and interleaved in any way."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agents_demo.proposal import AlreadyDone, Proposal, propose
from agents_demo.task import Task, find_tasks

FILE = '''\
import sys, abc

class A(object):
    """Says it."""
    @property
    def f(self, x):
        if not x in self.y:
            return "%s" % (x,)
        elif x == None:
            raise ValueError()
        return "%s" % (x,)

    def g(self,
          x):
        return ("a "
                "low %s" % (x,))

def f(x):
    return "%s" % (x,)
'''
LINES = FILE.splitlines(keepends=True)
TASKS = find_tasks(FILE, "a.py")
NOISE = ["…3f2a 4-9 A.f\n", "    [2 lines (omitted\n", "--- it's more ---\n", '        ⟦cut⟧ ""\n']


@st.composite
def views(draw: st.DrawFn) -> str:
    """The file's lines from one on, some left out, with lines between that are no Python."""
    first = draw(st.integers(0, len(LINES) - 1))
    kept = [line for line in LINES[first:] if draw(st.integers(0, 9))]
    for _ in range(draw(st.integers(0, 3))):
        kept.insert(draw(st.integers(0, len(kept))), draw(st.sampled_from(NOISE)))
    return "".join(kept)


@given(views(), st.sampled_from(TASKS), st.integers(0, 3))
def test_old_is_always_cut_from_the_view_and_holds_no_marker(view: str, task: Task, n_neighbours: int) -> None:
    answer = propose(task, view, n_neighbours=n_neighbours)
    assert not isinstance(answer, AlreadyDone)  # nobody has done anything
    if isinstance(answer, Proposal):
        assert answer.old in view
        assert answer.new != answer.old
        assert not any(line.rstrip("\n") in answer.old for line in NOISE)


@given(st.text(max_size=200), st.sampled_from(TASKS))
def test_any_text_is_answered(text: str, task: Task) -> None:
    assert not isinstance(propose(task, text), Proposal)


def test_the_sample_has_a_task_of_almost_every_kind() -> None:
    assert len({task.kind for task in TASKS}) == 6
