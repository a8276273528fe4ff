"""The table and the words below it."""

from __future__ import annotations

import io

from rich.console import Console

from agents_demo.table import finish_line, footer, print_outcomes, progress_bars

COLUMN = {
    "tasks": 240,
    "tasks_done": 240,
    "tasks_done_twice": 0,
    "updates_lost": 0,
    "files_changed": {},
    "files_unparsable": {},
    "edits_failed": {},
    "claims_rejected": 0,
    "tokens_read_net": 865_215,
    "seconds": 12.25,
    "agents": 8,
    "files": 430,
    "files_with_tasks": 100,
    "think_ms": 20.0,
    "rereads": False,
}
OUTCOMES = {
    "none": {**COLUMN, "tasks_done_twice": 14, "tokens_read_net": 6_940_417, "seconds": 50.1},
    "split": {**COLUMN, "tasks_done": 234, "updates_lost": 6, "edits_failed": {"ambiguous": 2}, "seconds": 7.9},
    "with": {**COLUMN, "claims_rejected": 84},
}
DEATH = {
    **COLUMN,
    "agent_killed": "agent-5",
    "tasks_done_before": 27,
    "task_held": "a.py::f",
    "claims_free_after_s": 3.4,
    "task_finished_by": "agent-8",
    "task_finished_after_s": 5.5,
    "tasks_done_by_others_after": 115,
    "ttl_s": 2.0,
}


def printed(outcomes, width=100) -> str:
    out = io.StringIO()
    print_outcomes(Console(file=out, width=width), outcomes)
    return out.getvalue()


def row(text: str, name: str) -> list[str]:
    [line] = [line for line in text.splitlines() if line.strip().startswith(name + "  ")]
    return line.strip().removeprefix(name).split()


def test_the_columns_stand_side_by_side():
    text = printed(OUTCOMES)
    assert row(text, "tasks done") == ["240", "234", "240"]
    assert row(text, "tasks done twice") == ["14", "0", "0"]
    assert row(text, "updates lost") == ["0", "6", "0"]
    assert row(text, "failed edits") == ["0", "2", "ambiguous", "0"]
    assert row(text, "tokens read, net") == ["6,940,417", "865,215", "865,215"]
    assert row(text, "seconds") == ["50.1", "7.9", "12.2"]


def test_four_columns_fit_eighty_characters():
    lines = printed({**OUTCOMES, "killed": DEATH}, width=80).splitlines()
    assert any("Scentfield" in line and "static split" in line and "no coordination" in line for line in lines)
    assert row("\n".join(lines), "tokens read, net") == ["6,940,417", "865,215", "865,215", "865,215"]


def test_the_footer_says_where_others_win_and_only_there():
    [wins] = [line for line in footer(OUTCOMES) if line.startswith("Better")]
    assert wins == ("Better than Scentfield in this run: static split: seconds 7.9 against 12.2.")


def test_the_footer_says_so_when_no_other_column_wins():
    same = {"none": COLUMN, "split": COLUMN, "with": COLUMN}
    told = "No other column is better than Scentfield's in any row that all columns have."
    assert told in footer(same)
    assert told in footer({**same, "with": {**COLUMN, "claims_rejected": 84}})


def test_the_footer_says_how_agents_without_coordination_edit():
    assert any("save it whole (--reread" in line for line in footer(OUTCOMES))
    again = {name: {**column, "rereads": True} for name, column in OUTCOMES.items()}
    assert any("read the file once more" in line for line in footer(again))


def test_the_accident_is_told_with_its_numbers():
    [told] = [line for line in footer({**OUTCOMES, "killed": DEATH}) if "SIGKILL" in line]
    for fact in (
        "agent-5 was killed",
        "a.py::f",
        "27 tasks",
        "free after 3.4 s",
        "agent-8",
        "5.5 s",
        "115 tasks",
        "a TTL of 2 s",
    ):
        assert fact in told


def test_an_accident_without_an_heir_and_one_that_did_not_happen_are_told_as_such():
    alone = {**DEATH, "task_finished_by": None, "claims_free_after_s": None}
    assert any("nobody finished its task" in line for line in footer({"killed": alone}))
    none = dict.fromkeys(set(DEATH) - set(COLUMN))
    assert any("Nobody was killed" in line for line in footer({"killed": {**COLUMN, **none}}))


def test_no_bar_is_drawn_where_nobody_looks():
    out = io.StringIO()
    with progress_bars(Console(file=out), ["none"], 3) as advance:
        advance("none", 2)
    assert out.getvalue() == ""


def test_a_line_for_each_finished_column_is_printed_where_no_bar_is_drawn():
    piped, terminal, quiet = io.StringIO(), io.StringIO(), io.StringIO()
    for console in (
        Console(file=piped),
        Console(file=terminal, force_terminal=True),
        Console(file=quiet, quiet=True),
    ):
        with finish_line(console, "killed", 4, 4):
            pass
    assert piped.getvalue() == "Scentfield, one killed: finished (4 of 4)\n"
    assert (terminal.getvalue(), quiet.getvalue()) == ("", "")


def test_bars_show_what_is_done_on_a_terminal():
    out = io.StringIO()
    with progress_bars(Console(file=out, force_terminal=True, width=100), ["none", "killed"], 3) as advance:
        advance("none", 2)
    assert "2/3" in out.getvalue()
