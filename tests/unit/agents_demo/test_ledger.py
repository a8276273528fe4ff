"""Judging a run by its files and reports."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from agents_demo.ledger import FileVerdict, Outcome, judge, judge_text, performed_twice
from agents_demo.report import AgentReport, Status, TaskReport
from agents_demo.task import Task, find_tasks

FILES = {
    "a.py": 'x = "%s" % (y,)\nz = y == None\n',
    "pkg/b.py": 'def f(v):\n    return "%r" % (v,)\n',
    "c.py": "untouched = 1\n",
}
DONE = {
    "a.py": 'x = f"{y!s}"\nz = y is None\n',
    "pkg/b.py": 'def f(v):\n    return f"{v!r}"\n',
}
TASKS = [task for path, text in FILES.items() for task in find_tasks(text, path)]
A_FORMAT, A_NONE, B_FORMAT = (task.task_id for task in TASKS)


def turn(agent_id: str, task_id: str, status: str, start_s: float, end_s: float, **more: Any) -> TaskReport:
    return TaskReport(agent_id, task_id, Status(status), start_s, end_s, **more)


def judged(tmp_path: Path, final: Mapping[str, str | bytes], *turns: TaskReport) -> Outcome:
    for name, files in (("original", FILES), ("final", {**FILES, **final})):
        for path, text in files.items():
            (tmp_path / name / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name / path).write_bytes(text if isinstance(text, bytes) else text.encode())
    agents = sorted({each.agent_id for each in turns})
    reports = [AgentReport(agent, tuple(each for each in turns if each.agent_id == agent), 1) for agent in agents]
    return judge(tmp_path / "original", tmp_path / "final", TASKS, reports)


def test_a_run_in_which_all_went_well(tmp_path: Path) -> None:
    outcome = judged(
        tmp_path,
        DONE,
        turn("ann", A_FORMAT, "landed", 10.0, 11.0, n_tokens_read=100),
        turn("bob", A_NONE, "landed", 10.5, 12.0, n_tokens_read=50, n_tokens_retried=20),
        turn("ann", B_FORMAT, "landed", 11.0, 13.5, n_tokens_read=30),
    )
    assert outcome.to_json() == {
        "tasks": 3,
        "tasks_done": 3,
        "tasks_done_twice": 0,
        "updates_lost": 0,
        "edits_failed": {},
        "claims_rejected": 2,
        "tokens_read": 180,
        "tokens_read_net": 160,
        "seconds": 3.5,
        "files_unparsable": {},
        "files_changed": {},
        "landed_by": {"ann": 2, "bob": 1},
    }


def test_a_run_in_which_nothing_happened(tmp_path: Path) -> None:
    outcome = judged(tmp_path, {})
    assert (outcome.n_tasks, outcome.done, outcome.lost, outcome.seconds) == (3, (), (), 0.0)
    assert (outcome.unparsable, outcome.changed) == ({}, {})


def test_done_is_what_the_files_say_whoever_reports_it(tmp_path: Path) -> None:
    outcome = judged(tmp_path, {"pkg/b.py": DONE["pkg/b.py"]}, turn("ann", A_FORMAT, "gave_up", 0.0, 1.0))
    assert outcome.done == (B_FORMAT,)


def test_an_edit_that_was_told_to_have_landed_and_is_not_in_the_file_is_lost(tmp_path: Path) -> None:
    half = {"a.py": 'x = "%s" % (y,)\nz = y is None\n'}
    outcome = judged(tmp_path, half, turn("ann", A_FORMAT, "landed", 0.0, 1.0), turn("bob", A_NONE, "landed", 0.0, 2.0))
    assert outcome.done == (A_NONE,)
    assert outcome.lost == (A_FORMAT,)
    assert outcome.changed == {}


def test_a_task_lost_by_two_agents_is_one_lost_update_and_done_twice(tmp_path: Path) -> None:
    outcome = judged(tmp_path, {}, turn("ann", A_FORMAT, "landed", 0.0, 1.0), turn("bob", A_FORMAT, "landed", 2.0, 3.0))
    assert (outcome.lost, outcome.done_twice) == ((A_FORMAT,), (A_FORMAT,))


def test_failed_edits_are_counted_by_cause(tmp_path: Path) -> None:
    turns = [
        TaskReport("ann", A_FORMAT, Status.LANDED, 0.0, 1.0, failures={"changed": 2, "ambiguous": 1}),
        TaskReport("bob", A_NONE, Status.FAILED, 0.0, 1.0, failures={"changed": 1}),
    ]
    assert judged(tmp_path, {}, *turns).edits_failed == {"ambiguous": 1, "changed": 3}


@pytest.mark.parametrize(
    ("final", "unparsable", "changed"),
    [
        ({"a.py": "x = (\n"}, ["a.py"], []),
        ({"a.py": b"x = '\xff'\n"}, ["a.py"], []),
        ({"a.py": FILES["a.py"].replace("y,", "w,")}, [], ["a.py"]),
        ({"c.py": "untouched = 2\n"}, [], ["c.py"]),
        ({"new.py": "x = 1\n"}, [], ["new.py"]),
        ({"c.py": "untouched = 1  # by somebody\n"}, [], []),
    ],
)
def test_damaged_files_are_named(
    tmp_path: Path, final: dict[str, str | bytes], unparsable: list[str], changed: list[str]
) -> None:
    outcome = judged(tmp_path, {**DONE, **final})
    assert (list(outcome.unparsable), list(outcome.changed)) == (unparsable, changed)


def test_a_file_that_is_gone_has_changed(tmp_path: Path) -> None:
    judged(tmp_path, {})
    (tmp_path / "final" / "c.py").unlink()
    outcome = judge(tmp_path / "original", tmp_path / "final", TASKS, [])
    assert outcome.changed == {"c.py": "the file is gone"}


def test_a_rewrite_that_nobody_asked_for_is_a_change() -> None:
    before, after = FILES["a.py"], DONE["a.py"]
    only_format = [task for task in TASKS if task.task_id == A_FORMAT]
    verdict = judge_text(before, after, tuple(only_format))
    assert verdict == FileVerdict(
        done=(A_FORMAT,), changed="the statement at line 2 says something else than the rewrite makes of it"
    )


def test_a_task_from_a_text_that_does_not_parse_is_refused() -> None:
    with pytest.raises(ValueError, match="does not parse"):
        judge_text("def f(:", "x = 1\n", ())


LANDED = turn("ann", "t", "landed", 0.0, 10.0, n_tokens_read=5)


@pytest.mark.parametrize(
    ("other", "is_twice"),
    [
        (turn("bob", "t", "landed", 11.0, 12.0), True),
        (turn("bob", "t", "already_done", 9.0, 12.0, n_tokens_read=5), True),  # worked at the same time, for nothing
        (turn("bob", "t", "already_done", 10.0, 12.0, n_tokens_read=5), False),  # looked when it was done
        (turn("bob", "t", "already_done", 9.0, 12.0), False),  # read nothing
        (turn("bob", "t", "failed", 9.0, 12.0, n_tokens_read=5), False),
        (turn("bob", "t", "gave_up", 9.0, 12.0, n_tokens_read=5), False),
        (turn("bob", "t", "held", 9.0, 9.1), False),
        (turn("bob", "u", "landed", 9.0, 12.0), False),
        (turn("ann", "t", "already_done", 9.0, 12.0, n_tokens_read=5), False),  # one agent alone
    ],
)
def test_done_twice_is_work_of_two_agents_at_one_task(other: TaskReport, is_twice: bool) -> None:
    assert performed_twice([LANDED, other]) == (frozenset({"t"}) if is_twice else frozenset())
    assert performed_twice([other, LANDED]) == performed_twice([LANDED, other])


def test_what_was_done_before_anybody_landed_it_was_not_done_twice() -> None:
    looks = [turn(agent, "t", "already_done", 0.0, 1.0, n_tokens_read=5) for agent in ("ann", "bob")]
    assert performed_twice(looks) == frozenset()


def test_reports_survive_json() -> None:
    report = AgentReport(
        "ann", (LANDED, TaskReport("ann", "u", Status.FAILED, 1.0, 2.5, 7, 3, {"not_shown": 2})), n_claims_rejected=4
    )
    assert AgentReport.from_json(json.loads(json.dumps(report.to_json()))) == report
    assert AgentReport.from_json(AgentReport("idle").to_json()) == AgentReport("idle")


def test_an_unknown_status_or_field_is_refused() -> None:
    with pytest.raises(ValueError, match="landad"):
        TaskReport.from_json({**LANDED.to_json(), "status": "landad"})
    with pytest.raises(TypeError, match="colour"):
        TaskReport.from_json({**LANDED.to_json(), "colour": "red"})


def test_tasks_of_the_sample_are_the_three_expected() -> None:
    assert [(task.path, task.kind) for task in TASKS] == [
        ("a.py", "percent_format"),
        ("a.py", "none_comparison"),
        ("pkg/b.py", "percent_format"),
    ]
    assert all(isinstance(task, Task) for task in TASKS)
