"""The same tasks in both arms, and the files that rules about single files touched."""

from __future__ import annotations

import pytest

from agents_demo.effect import RuleEffect, TouchedPath, comparison, effects, touched_paths, verdict
from agents_demo.report import Look, Status, TaskReport
from agents_demo.task import Task


def turn(task_id, n_tokens, *looks, at_s=1.0, n_retried=0, **failures) -> TaskReport:
    views = tuple(Look(*look) for look in looks)
    return TaskReport("ann", task_id, Status.LANDED, at_s, at_s + 0.5, n_tokens, n_retried, failures, views)


MAP = ("map", "map_over_400_lines")
LEARNED = ("map", "expected_cost")
FULL = ("full", "explicit")
MEMORY = ("full", "path_memory")
ESCALATED = ("full", "edit_fail_escalation")


def test_tokens_are_summed_by_the_rule_that_chose_the_view_and_add_up():
    on = [turn("a", 900, MEMORY), turn("b", 310, LEARNED), turn("c", 800, MEMORY)]
    off = [turn("a", 400, MAP, FULL), turn("b", 308, MAP), turn("c", 1000, MAP, FULL)]
    rows = effects(on, off)
    assert rows == [
        RuleEffect("path_memory", "full", "map", 2, 1700, 1400),
        RuleEffect("expected_cost", "map", "map", 1, 310, 308),
    ]
    assert sum(row.difference for row in rows) == 2010 - 1708


def test_both_totals_and_the_change_are_told_with_failed_edits_and_net_of_them():
    on, off = [turn("a", 1100, MAP)], [turn("a", 1000, MAP, n_retried=200, not_shown=1)]
    effect = comparison(on, off)
    assert (effect["tokens_on"], effect["tokens_off"]) == (1100, 1000)
    assert (effect["percent_more"], effect["percent_more_net"]) == (10.0, 37.5)
    assert effect["by_rule"][0]["difference"] == 100


@pytest.mark.parametrize(
    ("percent", "words"), [(4.04, "4.0% more"), (-4.04, "4.0% fewer"), (0.04, "as many"), (-0.04, "as many")]
)
def test_the_verdict_says_more_as_plainly_as_fewer(percent, words):
    line = verdict({"percent_more": percent, "percent_more_net": -12.0, "tasks_for_others": 0})
    assert line == f"tokens: {words} with learning (net of what failed edits made necessary: 12.0% fewer)"


def test_views_chosen_for_the_work_of_others_are_told_apart_from_what_was_learned():
    hot, diff = ("full", "hot"), ("diff", "changed_by_other")
    on = [turn("a", 3000, hot), turn("b", 270, LEARNED), turn("c", 90, diff), turn("d", 30, LEARNED)]
    off = [turn("a", 500, MAP), turn("b", 290, MAP), turn("c", 100, MAP), turn("d", 110, MAP)]
    effect = comparison(on, off)
    assert (effect["percent_more"], effect["percent_more_learned"]) == (239.0, -25.0)
    assert effect["tasks_for_others"] == 2
    assert verdict(effect) == (
        "tokens: 25.0% fewer with learning; 239.0% more with the 2 tasks in files that others were at work on, which "
        "come whole or as a diff whatever was learned (net of what failed edits made necessary: 239.0% more)"
    )


def test_arms_of_different_tasks_are_not_compared():
    with pytest.raises(ValueError, match="1 tasks were not taken up in both arms, 'b'"):
        effects([turn("a", 1, MAP)], [turn("a", 1, MAP), turn("b", 1, MAP)])
    with pytest.raises(ValueError, match="'a' was taken up twice"):
        effects([turn("a", 1, MAP), turn("a", 1, MAP)], [turn("a", 1, MAP)])


def test_nothing_read_is_no_change():
    assert comparison([], [])["percent_more"] == 0.0


def test_a_touched_file_is_told_with_what_happened_before_it_was_served():
    tasks = [Task(name, path, "f", "f", "k", "0") for name, path in zip("abcdefg", "xxxyyxx", strict=True)]
    turns = [
        turn("g", 9, MAP, FULL, at_s=70.0),  # after the file was served for the last time
        turn("a", 9, MAP, FULL, at_s=10.0),
        turn("b", 9, MAP, ("expand", "explicit"), FULL, at_s=20.0),
        turn("c", 9, MEMORY, at_s=30.0),
        turn("d", 9, MAP, at_s=40.0, not_shown=1, ambiguous=2),
        turn("e", 9, ESCALATED, at_s=50.0),
        turn("f", 9, MEMORY, at_s=60.0),
    ]
    assert touched_paths(turns, tasks) == [
        TouchedPath("y", "edit_fail_escalation", 1, 0, 1),
        TouchedPath("x", "path_memory", 2, 2, 0),
    ]
