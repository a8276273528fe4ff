"""What is printed where, and how."""

import io
import json
import re
import sys

import pytest

from actors.runtime.errors import Busy, Corrupt, InvariantBroken, Misuse, ScentfieldError, Unavailable
from coordinator.cli.exit_code import ExitCode, exit_code_of
from coordinator.cli.outcome import Grid, Line, Outcome, Part, Verbatim, span
from coordinator.cli.screen import Screen

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
EVIL = "\x1b]0;owned\x07[red]x[/red]"
GRID = Grid(("agent", "intent"), [("ann#1", EVIL), ("bob", "")])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, *parts: Part, no_color: bool = False, n_columns: int = 80) -> str:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", str(n_columns))
    monkeypatch.setenv("LINES", "25")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    monkeypatch.delenv("NO_COLOR", raising=False)
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    Screen().show(Outcome({}, parts))
    return terminal.getvalue()


def test_in_a_pipe_a_grid_is_plain_columns(capsys: pytest.CaptureFixture[str]) -> None:
    Screen().show(Outcome({}, [Line("two agents", "green"), Grid(("agent", "n"), [("ann#1", 1), ("b", 22)])]))
    assert capsys.readouterr().out == "two agents\nagent  n\nann#1  1\nb      22\n"


def test_columns_stand_below_each_other_whatever_letters_are_in_them(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("ab", "\u6f22\u5b57", "e\u0301f", "\uff21")  # two wide letters, an accent of its own, a full-width A
    Screen().show(Outcome({}, [Grid(("name", "n"), [(name, 1) for name in names])]))
    rows = capsys.readouterr().out.splitlines()[1:]
    assert rows == ["ab    1", "\u6f22\u5b57  1", "e\u0301f    1", "\uff21    1"]


@pytest.mark.parametrize(("n_columns", "is_whole"), [(80, True), (40, True), (26, False)])
def test_names_stay_whole_while_there_is_room_to_fold_what_is_said_of_them(
    monkeypatch: pytest.MonkeyPatch, n_columns: int, is_whole: bool
) -> None:
    grid = Grid(("layer", "measure", "it"), [("expected_cost", "loss_rate", "not yet known: 400 more units at least")])
    shown = ESCAPE.sub("", on_a_terminal(monkeypatch, grid, no_color=True, n_columns=n_columns))
    assert ("expected_cost" in shown) == is_whole
    assert all(len(line) <= n_columns for line in shown.splitlines())


def test_a_long_word_may_be_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = Grid(("target", "n"), [("a/" * 40, "")])
    shown = ESCAPE.sub("", on_a_terminal(monkeypatch, grid, no_color=True, n_columns=41))
    assert shown.count("a") == 40 + 1  # one in the heading
    assert all(len(line) <= 41 for line in shown.splitlines())


def test_on_a_terminal_there_are_colours_unless_they_are_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    line = Line("granted", "green")
    assert "\x1b[32mgranted" in on_a_terminal(monkeypatch, line)
    assert on_a_terminal(monkeypatch, line, no_color=True) == "granted\n"


def test_what_others_wrote_is_no_markup_and_controls_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = on_a_terminal(monkeypatch, GRID, no_color=True)
    assert r"\x1b]0;owned\x07[red]x[/red]" in shown
    monkeypatch.undo()
    Screen().show(Outcome({}, [GRID, Line(EVIL)]))
    assert "\x1b" not in capsys.readouterr().out


def test_json_is_one_document_and_notes_stay_beside_it(capsys: pytest.CaptureFixture[str]) -> None:
    Screen(as_json=True).show(Outcome({"a": 1}, [Line("for people")], notes=["careful"]))
    printed = capsys.readouterr()
    assert (json.loads(printed.out), printed.err) == ({"a": 1}, "careful\n")


def test_text_that_is_no_unicode_is_still_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    Screen(as_json=True).show(Outcome({"text": "caf\udce9"}))
    assert json.loads(capsys.readouterr().out) == {"text": "caf\udce9"}


def test_text_that_is_no_unicode_comes_out_as_its_bytes(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    Screen().show(Outcome({}, [Verbatim("caf\udce9\n")]))
    assert capfdbinary.readouterr().out == b"caf\xe9\n"


def test_an_error_is_printed_whole_with_a_next_step_or_as_a_document(capsys: pytest.CaptureFixture[str]) -> None:
    error = Unavailable("nobody listens at x:1: start it with `scentfield up`")
    Screen().failure(error)
    Screen(as_json=True).failure(error)
    printed = capsys.readouterr()
    assert printed.err == (
        "error: nobody listens at x:1: start it with `scentfield up`\n"
        "next: `scentfield up` starts what is missing, `scentfield doctor` looks for what is wrong\n"
    )
    assert json.loads(printed.out) == {"error": {"code": "unavailable", "message": error.message}}


def test_an_error_of_several_lines_is_one_line_and_a_step_is_named_only_where_one_is_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Screen().error("busy", "full\nof work")
    Screen().error("other", "not one of: a, b")
    assert capsys.readouterr().err == ("error: full of work\nnext: try again in a moment\nerror: not one of: a, b\n")


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Misuse("x"), ExitCode.USAGE),
        (Unavailable("x"), ExitCode.UNAVAILABLE),
        (Corrupt("x"), ExitCode.CORRUPT),
        (Busy("x"), ExitCode.FAILED),
        (InvariantBroken("x"), ExitCode.FAILED),
    ],
)
def test_each_error_has_its_exit_code(error: ScentfieldError, code: ExitCode) -> None:
    assert exit_code_of(error) is code


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (119, "119 s"), (120, "2 min"), (7199, "120 min"), (7200, "2 h"), (172_800, "2 d")],
)
def test_a_span_is_told_in_its_own_unit(seconds: float, text: str) -> None:
    assert span(seconds) == text
