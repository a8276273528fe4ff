"""All tasks over the standard library: done one after the other, each step proven."""

from __future__ import annotations

import sysconfig
import warnings
from collections import Counter
from pathlib import Path
from types import CodeType

import pytest

from agents_demo.ledger import judge_text
from agents_demo.proof import check
from agents_demo.proposal import AlreadyDone, Proposal, propose
from agents_demo.task import Task, collect, find_tasks, read_source
from agents_demo.tree import source_paths

LIBRARY = Path(sysconfig.get_path("stdlib"))
PATHS = source_paths(LIBRARY)


def code_of(text: str) -> list[tuple[bytes, tuple[str, ...], list[object]]]:
    """What the compiler makes of a text, without the positions."""

    def parts(code: CodeType) -> list[tuple[bytes, tuple[str, ...], list[object]]]:
        inner = [each for each in code.co_consts if isinstance(each, CodeType)]
        plain = [each for each in code.co_consts if not isinstance(each, CodeType)]
        return [(code.co_code, code.co_names, plain), *(part for each in inner for part in parts(each))]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return parts(compile(text, "module", "exec", dont_inherit=True))


def do_all(path: str) -> list[Task]:
    original = text = read_source(LIBRARY / path)
    tasks = find_tasks(text, path)
    for task in tasks:
        proposal = propose(task, text)
        assert isinstance(proposal, Proposal), task
        assert text.count(proposal.old) == 1, task
        after = text.replace(proposal.old, proposal.new)
        assert check(text, after, task) is None, task
        assert propose(task, after) == AlreadyDone(), task
        text = after
    if tasks:
        verdict = judge_text(original, text, tuple(tasks))
        assert list(verdict.done) == [task.task_id for task in tasks]
        assert (verdict.unparsable, verdict.changed) == (None, None)
    assert find_tasks(text, path) == []
    return tasks


def do_exact(path: str) -> None:
    """Negated comparisons compile to the same code before and after."""
    text = read_source(LIBRARY / path)
    before = code_of(text)
    for task in find_tasks(text, path):
        if task.kind == "negated_comparison":
            proposal = propose(task, text)
            assert isinstance(proposal, Proposal)
            text = text.replace(proposal.old, proposal.new)
    assert code_of(text) == before


@pytest.mark.parametrize(
    "path",
    [path for path in PATHS if path.startswith(("json/", "logging/config", "logging/handlers", "csv", "xml/sax"))],
)
def test_the_tasks_of_a_sample_of_files_are_done_and_proven(path: str) -> None:
    do_all(path)
    do_exact(path)


@pytest.mark.soak
@pytest.mark.timeout(1800)
def test_all_tasks_of_the_library_are_done_and_proven() -> None:
    tasks = [task for path in PATHS for task in do_all(path)]
    assert len({task.task_id for task in tasks}) == len(tasks)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_negated_comparisons_compile_to_the_same_code_over_the_library() -> None:
    for path in PATHS:
        do_exact(path)


@pytest.mark.soak
@pytest.mark.timeout(600)
def test_the_library_holds_enough_tasks_and_several_in_one_file_and_function() -> None:
    tasks = collect(LIBRARY, [path for path in PATHS if b"\xff" not in (LIBRARY / path).read_bytes()])
    n_in_file = Counter(task.path for task in tasks)
    n_in_scope = Counter((task.path, task.scope) for task in tasks)
    assert len(tasks) >= 400
    assert len(n_in_file) >= 100
    assert sum(n > 1 for n in n_in_file.values()) >= 50
    assert sum(n > 1 for n in n_in_scope.values()) >= 50
