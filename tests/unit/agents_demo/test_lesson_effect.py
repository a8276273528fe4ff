"""What lessons did over several runs, and how that is said."""

import io

import pytest
from rich.console import Console

from agents_demo.lesson_effect import effect_of, tendency, verdict
from agents_demo.lesson_table import print_lessons


def leg(failed=0, tokens=100, **more):
    failures = {"not_shown": failed} if failed else {}
    counts = {"tasks": 10, "tasks_done": 10, "lessons_shown": 0, "updates_lost": 0}
    return {
        **counts,
        "edits_failed": failures,
        "tokens_read": tokens,
        "files_changed": {},
        "files_unparsable": {},
        **more,
    }


def run(number, with_, without, views="by_size"):
    kept = {"entries": 12, "mended": 3, "tokens": 400}
    arms = {"with_lessons": leg(*with_, lessons_shown=4), "without_lessons": leg(*without)}
    return {"run": number, "views": views, "first": leg(5, 1_500), "playbook": kept, **arms}


FEWER = [run(1, (1, 110), (4, 100)), run(2, (2, 95), (6, 100))]


def test_sums_changes_and_how_many_runs_agree():
    effect = effect_of(FEWER)
    assert effect["edits_failed"] == {
        "with_lessons": 3,
        "without_lessons": 10,
        "percent_more": -70.0,
        "percent_more_least": -75.0,
        "percent_more_most": pytest.approx(-66.67, abs=0.01),
        "n_fewer": 2,
        "n_more": 0,
        "n_runs": 2,
    }
    assert (effect["tokens_read"]["percent_more"], effect["tokens_read"]["n_more"]) == (2.5, 1)


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        ([(1, 2), (3, 9)], "fewer"),
        ([(2, 1), (9, 3)], "more"),
        ([(1, 2), (3, 3)], "mixed"),
        ([(1, 2), (4, 3)], "mixed"),
        ([(2, 2), (0, 0)], "as many"),
    ],
)
def test_only_what_all_runs_say_is_said(pairs, said):
    runs = [run(number, (with_, 1), (without, 1)) for number, (with_, without) in enumerate(pairs)]
    assert tendency(effect_of(runs)["edits_failed"]) == said


def test_the_verdict_has_the_figures_also_where_lessons_do_not_pay():
    effects = {"by_size": effect_of(FEWER), "learned": effect_of([run(1, (0, 100), (0, 100))])}
    assert verdict(effects) == (
        "with lessons: views by size: fewer failed edits (3 against 10, -70.0%, fewer in 2 and more in 0 of 2 runs), "
        "no clear difference in tokens (205 against 200, +2.5%, fewer in 1 and more in 1 of 2 runs); "
        "views as learned: as many failed edits, 0, as many tokens, 100"
    )


def test_the_table_has_a_row_for_each_run_and_agent_and_ends_with_the_verdict():
    learned = [run(1, (0, 100), (0, 100), "learned")]
    effects = {"by_size": effect_of(FEWER), "learned": effect_of(learned)}
    document = {"tasks": 20, "files": 90, "files_with_tasks": 5, "think_ms": 0.0, "runs": [*FEWER, *learned]}
    screen = io.StringIO()
    print_lessons(Console(file=screen, width=100), {**document, "effect": effects})
    lines = screen.getvalue().splitlines()
    assert sum("second, with " in line for line in lines) == 5
    sums = next(line for line in lines if line.strip().startswith("all"))
    assert sums.split() == ["all", "second,", "with", "20", "8", "3", "205"]
    assert "36 entries, 9 of them from failures" in screen.getvalue()
    assert "tasks of the second agent done: 60 of 60; updates lost: 0; files damaged: 0." in screen.getvalue()
    assert lines[-1] == verdict(effects)
