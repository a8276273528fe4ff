import pytest

from actors.thresholds.messages import DeltaChange, Imported, LearnedRow, Learning, ShareChange
from actors.thresholds.report import cost_lines, import_lines, placement_lines, threshold_lines

NOTHING = Learning((), (), (), 10, 20)


def test_a_learner_that_saw_nothing_says_so():
    assert threshold_lines(NOTHING) == ["Learned thresholds", "  not yet known: no signals so far"]
    assert placement_lines(NOTHING) == ["Placement", "  not yet known: begin share 0.70 for every client"]
    assert cost_lines(NOTHING) == ["Learned costs", "  not yet known: no outcomes so far"]


@pytest.mark.parametrize(
    ("row", "line"),
    [
        (LearnedRow("rs", 0.041, 27, 1, True), "  .rs  +0.041  27 signals  compresses more"),
        (LearnedRow("md", -0.06, 11, 1, True), "  .md  -0.060  11 signals  backs off"),
        (LearnedRow("py", 0.07, 7, 1, False), "  .py  +0.070  warming up (7 of 10)"),
        (LearnedRow("go", -0.0004, 30, 2, True), "  .go  +0.000  30 signals  as by default"),
        (LearnedRow("c", 0.0005001, 30, 2, True), "  .c  +0.001  30 signals  compresses more"),
    ],
)
def test_an_extension_is_a_line(row, line):
    assert threshold_lines(NOTHING._replace(deltas=(row,)))[1] == line


def test_an_import_names_what_it_changed():
    deltas = (DeltaChange("rs", 0.0, 0.041, 0, 27),)
    shares = (ShareChange("cursor", 0.7, 0.85, 0.0, 40.4),)
    assert import_lines(Imported(deltas, shares, 2, 1)) == [
        "changed what is known of 2 origins",
        "  .rs  +0.000 -> +0.041  0 -> 27 signals",
        "  cursor  begin share 0.70 -> 0.85  0 -> 40 observations",
        "  1 origin found no place: the limit is reached",
    ]
    assert import_lines(Imported((), (), 0, 0)) == ["nothing changed"]
