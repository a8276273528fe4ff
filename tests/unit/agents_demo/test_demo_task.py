"""Finding tasks."""

from __future__ import annotations

import json
from pathlib import Path

from agents_demo.task import Task, collect, find_tasks, spread

SAMPLE = """\
import sys, abc

class A(object):
    def f(self, x):
        def inner(y):
            return "%s" % (y,)
        return "%s" % (x,), "%s" % (x,)

    @property
    def p(self):
        return not self in self.x

    @p.setter
    def p(self, v):
        if not self in self.x:
            raise ValueError()
"""


def tasks_of(text: str) -> list[Task]:
    return find_tasks(text, "pkg/a.py")


def test_tasks_come_in_source_order_with_the_innermost_definition_and_the_unit_that_shows_it() -> None:
    assert [(task.kind, task.scope, task.unit) for task in tasks_of(SAMPLE)] == [
        ("sorted_imports", "<module>", "<module>"),
        ("object_base", "A", "A"),
        ("percent_format", "A.f.inner", "A.f"),
        ("percent_format", "A.f", "A.f"),
        ("percent_format", "A.f", "A.f"),
        ("negated_comparison", "A.p", "A.p"),
        ("negated_comparison", "A.p#2", "A.p#2"),
        ("bare_raise", "A.p#2", "A.p#2"),
    ]


def test_like_places_of_one_definition_are_numbered() -> None:
    twins = [task for task in tasks_of(SAMPLE) if task.scope == "A.f"]
    assert [(task.ordinal, task.n_alike) for task in twins] == [(0, 2), (1, 2)]
    assert twins[0].fingerprint == twins[1].fingerprint
    assert twins[0].task_id.endswith(".0")
    assert twins[1].task_id == twins[0].task_id.removesuffix("0") + "1"


def test_a_task_does_not_hold_the_text_that_it_is_about() -> None:
    [task] = tasks_of('def f(secret):\n    return "%s" % (secret,)\n')
    assert "secret" not in json.dumps(task.to_json())
    assert task.task_id == f"pkg/a.py::f::percent_format::{task.fingerprint[:8]}.0"


def test_a_task_survives_json() -> None:
    for task in tasks_of(SAMPLE):
        assert Task.from_json(json.loads(json.dumps(task.to_json()))) == task


def test_finding_is_deterministic_and_ids_are_unique() -> None:
    assert tasks_of(SAMPLE) == tasks_of(SAMPLE)
    assert len({task.task_id for task in tasks_of(SAMPLE)}) == len(tasks_of(SAMPLE))


def test_what_others_have_rewritten_does_not_rename_the_tasks_that_are_left() -> None:
    done = SAMPLE.replace('return "%s" % (x,), "%s" % (x,)', 'return f"{x!s}", "%s" % (x,)')
    left = [task for task in tasks_of(SAMPLE) if (task.scope, task.ordinal) != ("A.f", 0)]
    assert tasks_of(done) == left


def test_a_text_that_does_not_parse_has_no_tasks() -> None:
    assert tasks_of("def f(:\n") == []
    assert tasks_of("x = 1\0\n") == []
    assert tasks_of('x = 1\ry = "%s" % (x,)\n') == []  # a lone CR would shift the parser's lines


def test_collect_takes_the_files_in_the_order_given(tmp_path: Path) -> None:
    for name in ("a.py", "b.py"):
        (tmp_path / name).write_text("x = y == None\n")
    assert [task.path for task in collect(tmp_path, ["b.py", "a.py"])] == ["b.py", "a.py"]


def test_spread_takes_files_evenly_and_of_each_the_first_tasks_first() -> None:
    text = "x = y == None, z == None, a == None\n"
    tasks = [task for path in "abcdef" for task in find_tasks(text, path)]
    assert len(tasks) == 18
    assert spread(tasks, 18) == tasks
    assert [task.path for task in spread(tasks, 7)] == ["a", "a", "b", "c", "d", "e", "f"]
    assert [task.path for task in spread(tasks, 7, max_files=3)] == ["a", "a", "a", "c", "c", "e", "e"]
    assert [task.path for task in spread(tasks, 2)] == ["a", "d"]
    assert spread(tasks, 7, max_files=3) == [*tasks[0:3], *tasks[6:8], *tasks[12:14]]
    assert spread([], 5) == []
