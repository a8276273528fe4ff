"""What the agent of a replay pays, in numbers that can be added up: a call is 200 tokens."""

from __future__ import annotations

import pytest

from coordinator.reading.grammar import outline_of
from coordinator.reading.mode import Mode
from coordinator.reading.render import expand, render
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import decode
from coordinator.reading.view import View
from coordinator.replay.agent import MAX_HOLES, Marker, Paid, Replayed, edit_all, markers_of
from coordinator.replay.change import Change
from coordinator.replay.hunk import Hunk
from coordinator.replay.question import NONE, QueryKind, Question
from coordinator.replay.trial import Trial, try_change

CALL = 200


def replayed(text: str, path: str = "a.py") -> Replayed:
    source = decode(text.encode())
    return Replayed(source, path, outline_of(source, path))


def view_of(one: Replayed, mode: str) -> View:
    return render(one.source, Mode.parse(mode), path=one.path, why="explicit")


def tried(text: str, *hunks: Hunk, path: str = "a.py") -> Trial:
    return try_change(Change(0, path, text.encode(), hunks), Question(kinds=(QueryKind(NONE),)))


def test_a_marker_does_not_repeat_the_name_of_the_signature_above_it(module: str) -> None:
    assert markers_of(view_of(replayed(module), "signatures")) == [
        Marker((2, 32), ""),
        Marker((34, 64), ""),
        Marker((66, 94), ""),
    ]


def test_what_is_shown_costs_nothing_on_top(module: str) -> None:
    one = replayed(module)
    assert edit_all(one, view_of(one, "full"), [(40, 42), (70, 71)]) == Paid(0, 0, 0, 0)


@pytest.mark.parametrize("mode", ["map", "signatures"])
def test_a_unit_that_is_named_or_whose_signature_is_shown_costs_a_call_and_the_unit(module: str, mode: str) -> None:
    one = replayed(module)
    beta = expand(one.source, "beta", path="a.py", why="explicit")
    assert edit_all(one, view_of(one, mode), [(40, 42)]) == Paid(1, 0, CALL + beta.tokens, beta.tokens)


def test_a_second_edit_in_the_same_unit_costs_nothing_more(module: str) -> None:
    one = replayed(module)
    alpha, beta = (expand(one.source, name, path="a.py", why="explicit") for name in ("alpha", "beta"))
    paid = edit_all(one, view_of(one, "map"), [(40, 42), (50, 52), (10, 12)])
    assert paid == Paid(3, 0, CALL + beta.tokens + CALL + alpha.tokens, beta.tokens + alpha.tokens)


def test_an_edit_across_two_units_takes_both(module: str) -> None:
    one = replayed(module)
    alpha, beta = (expand(one.source, name, path="a.py", why="explicit") for name in ("alpha", "beta"))
    printed = alpha.tokens + beta.tokens
    assert edit_all(one, view_of(one, "map"), [(29, 35)]) == Paid(1, 0, 2 * CALL + printed, printed)


def test_a_place_between_two_units_comes_with_the_one_that_it_is_beside(module: str) -> None:
    one = replayed(module)
    beta = expand(one.source, "beta", path="a.py", why="explicit")
    assert one.owners[32] is None
    assert edit_all(one, view_of(one, "map"), [(32, 33)]) == Paid(1, 0, CALL + beta.tokens, beta.tokens)


def test_lines_under_a_marker_without_a_name_come_by_their_numbers() -> None:
    text = "".join(f"import module_number_{number}\n" for number in range(1, 21)) + "\n\ndef run() -> None:\n    pass\n"
    one = replayed(text)
    view = view_of(one, "signatures")
    assert markers_of(view)[0] == Marker((1, 22), "")
    imports = render(one.source, Mode.parse("lines:1-22"), path="a.py", why="explicit")
    assert edit_all(one, view, [(9, 11)]) == Paid(1, 0, CALL + imports.tokens, imports.tokens)


def test_statements_that_a_map_names_by_their_lines_come_by_that_name() -> None:
    text = "".join(f"import module_number_{number}\n" for number in range(1, 21)) + "\n\ndef run() -> None:\n    pass\n"
    one = replayed(text)
    imports = expand(one.source, "L1-20", path="a.py", why="explicit")
    assert edit_all(one, view_of(one, "map"), [(9, 11)]) == Paid(1, 0, CALL + imports.tokens, imports.tokens)


def holed(one: Replayed, n_holes: int) -> View:
    """A view that leaves out every second line, `n_holes` in all, under markers without names."""
    full = one.full
    gaps = [2 * number for number in range(1, n_holes + 1)]
    lines = [f"…{full.tag} {number}-{number}\n" if number in gaps else line for number, line in enumerate(one.lines, 1)]
    shown = ShownLines.of((number, number) for number in range(1, len(lines) + 1) if number not in gaps)
    return View("", "".join(lines), "entropy", "explicit", 50, full.total_tokens, full.content_hash, shown, full.tag)


@pytest.fixture
def notes() -> str:
    return "".join(f"note number {number} of a short file without a grammar\n" for number in range(1, 41))


def test_an_agent_looks_into_three_holes_for_one_edit(notes: str) -> None:
    one = replayed(notes, "a.txt")
    assert MAX_HOLES == 3
    line = render(one.source, Mode.parse("lines:2-2"), path="a.txt", why="explicit").tokens
    paid = edit_all(one, holed(one, 3), [(1, 7)])
    assert paid == Paid(1, 0, 3 * CALL + 3 * line, 3 * line)


def test_with_more_holes_it_fails_and_pays_the_failure_the_whole_file_and_the_retry(notes: str) -> None:
    one = replayed(notes, "a.txt")
    paid = edit_all(one, holed(one, 4), [(1, 9)])
    line = render(one.source, Mode.parse("lines:2-2"), path="a.txt", why="explicit").tokens
    # A failed edit of a short file is answered with all of it, so it is not read a second time.
    assert paid == Paid(0, 1, 3 * CALL + 3 * line + CALL + one.full.tokens + CALL, 3 * line + one.full.tokens)


def test_a_long_file_is_read_in_full_after_the_failure() -> None:
    text = "".join(f"note number {number} of a long file without a grammar\n" for number in range(1, 601))
    one = replayed(text, "a.txt")
    assert one.full.tokens > 4000
    paid = edit_all(one, holed(one, 5), [(1, 11)])
    line = render(one.source, Mode.parse("lines:2-2"), path="a.txt", why="explicit").tokens
    block = render(one.source, Mode.parse("lines:1-60"), path="a.txt", why="explicit").tokens
    assert paid == Paid(
        0, 1, 3 * CALL + 3 * line + CALL + block + CALL + one.full.tokens + CALL, 3 * line + block + one.full.tokens
    )


def test_after_a_failure_the_file_is_known_and_reach_is_still_told_apart(notes: str) -> None:
    one = replayed(notes, "a.txt")
    alone = edit_all(one, holed(one, 4), [(1, 9)])
    assert edit_all(one, holed(one, 4), [(1, 9), (3, 5), (20, 21)]) == Paid(
        1, 1, alone.extra_tokens, alone.extra_printed
    )


def test_a_trial_holds_every_mode_against_the_same_hunks(module: str) -> None:
    trial = tried(module, Hunk(10, 1), Hunk(40, 2), Hunk(94, 0))
    shown = trial.by_kind[NONE]
    assert (trial.extension, trial.n_lines, trial.n_hunks) == ("py", 94, 3)
    assert shown["full"][0] == 3
    assert shown["map"][0] == 0
    assert shown["signatures"][0] == 0
    one = replayed(module)
    units = sum(expand(one.source, name, path="a.py", why="explicit").tokens for name in ("alpha", "beta", "gamma"))
    assert shown["map"].n_by_parts == 3
    assert shown["map"].extra_tokens == 3 * CALL + units
    assert shown["map"].view_tokens == view_of(one, "map").tokens
