"""Several replacements in one call: all of them, or none."""

from __future__ import annotations

import pytest

from actors.runtime.errors import Misuse
from coordinator.editing.plan import Applies, Plan, plan_edit
from coordinator.editing.refusal import Cause, Refused
from coordinator.editing.request import MAX_EDITS, MAX_TEXT_BYTES, EditRequest, Replacement, Seen, replacements_of
from coordinator.editing.shown_line import after_edits, written_lines
from coordinator.editing.splice import LineChange
from coordinator.reading.source import decode

TEXT = "import os\n\ndef add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return a - b\n"


def planned(text: str | bytes, *pairs: tuple[str, str], seen: Seen | None = None) -> Plan:
    source = decode(text if isinstance(text, bytes) else text.encode())
    return plan_edit(EditRequest("a.py", edits=replacements_of(pairs)), source, seen)


def applied(text: str | bytes, *pairs: tuple[str, str]) -> Applies:
    plan = planned(text, *pairs)
    assert isinstance(plan, Applies), plan.message
    return plan


def refused(text: str, *pairs: tuple[str, str], seen: Seen | None = None) -> Refused:
    plan = planned(text, *pairs, seen=seen)
    assert isinstance(plan, Refused)
    return plan


def test_all_are_made_and_nothing_else_changes() -> None:
    plan = applied(TEXT, ("a - b", "b - a"), ("import os\n", ""), ("def add(a, b):", "def add(a, b, /):"))
    assert plan.new_text == "\ndef add(a, b, /):\n    return a + b\n\ndef sub(a, b):\n    return b - a\n"
    assert plan.changes == (LineChange(1, 1, 0), LineChange(3, 1, 1), LineChange(7, 1, 1))


def test_each_old_text_is_looked_for_in_the_file_as_it_was() -> None:
    assert applied("a b\n", ("a", "b"), ("b", "a")).new_text == "b a\n"
    plan = refused("one\n", ("one", "two"), ("two", "three"))
    assert (plan.cause, plan.number) == (Cause.UNREAD, 1)
    assert "looked for in the file as it was before the call: join the two edits" in plan.message


def test_replacements_in_one_line_are_one_change() -> None:
    assert applied("f(a, b)\ng()\n", ("a", "x"), ("b", "y\n")).changes == (LineChange(1, 1, 2),)
    assert applied("one\ntwo\nthree\n", ("one\n", "1"), ("two", "2")).changes == (LineChange(1, 2, 1),)
    assert applied("one\ntwo\nthree\n", ("one\n", "1\n"), ("two\n", "")).changes == (
        LineChange(1, 1, 1),
        LineChange(2, 1, 0),
    )


def test_each_place_keeps_its_line_endings() -> None:
    plan = applied(b"one\r\ntwo\nthree\r\n", ("one\n", "1\n1b\n"), ("two\n", "2\n2b\n"))
    assert plan.raw == b"1\r\n1b\r\n2\n2b\nthree\r\n"


def test_edits_that_overlap_are_refused_and_both_are_named() -> None:
    plan = refused("abcdef\nx\n", ("x", "y"), ("bcd", "1"), ("abc", "2"))
    assert (plan.cause, plan.number) == (Cause.OVERLAP, 1)
    assert "edits[1], edits[2] overlap in 'a.py', at lines 1, 1" in plan.message
    assert applied("abcdef\n", ("abc", "1"), ("def", "2")).new_text == "12\n"


def test_the_same_text_twice_overlaps() -> None:
    assert refused("abc\n", ("abc", "1"), ("abc", "2")).cause is Cause.OVERLAP


@pytest.mark.parametrize(
    ("pair", "cause"),
    [
        (("return a ", "x"), Cause.AMBIGUOUS),
        (("nothing like it", "x"), Cause.UNREAD),
        (("", "x"), Cause.EMPTY_OLD),
        (("add", "add"), Cause.IDENTICAL),
        (("a + b", "\0"), Cause.BINARY),
    ],
)
def test_one_that_cannot_be_made_stops_all_and_is_named(pair: tuple[str, str], cause: Cause) -> None:
    plan = refused(TEXT, ("a - b", "b - a"), pair)
    assert (plan.cause, plan.number) == (cause, 1)
    assert plan.message.startswith("edits[1]: ")


def test_the_first_that_fails_is_explained_and_the_others_are_named() -> None:
    plan = refused(TEXT, ("a - b", "b - a"), ("return a ", "x"), ("zzz", "x"), ("return a ", "y"))
    assert (plan.cause, plan.number, plan.places) == (Cause.AMBIGUOUS, 1, (4, 7))
    assert plan.message.endswith("edits[2], edits[3] do not stand there once either")


def test_a_retry_of_a_call_that_went_through_is_a_success() -> None:
    pairs = (("return a + b", "return sum((a, b))"), ("return a - b", "return sum((a, -b))"))
    plan = refused(applied(TEXT, *pairs).new_text, *pairs)
    assert (plan.cause, plan.places, plan.number) == (Cause.ALREADY_APPLIED, (4, 7), None)


def test_a_call_of_which_a_part_is_there_writes_nothing_and_says_which() -> None:
    pairs = (("return a + b", "return sum((a, b))"), ("return a - b", "return sum((a, -b))"))
    plan = refused(applied(TEXT, pairs[1]).new_text, *pairs)
    assert (plan.cause, plan.number, plan.cause.is_success) == (Cause.PARTLY_APPLIED, 1, False)
    assert "already holds the new text of edits[1], at line 7, but not of the others" in plan.message


def test_what_can_not_be_made_matters_more_than_what_was_made_before() -> None:
    pairs = (("return a + b", "return sum((a, b))"), ("return a ", "return b "))
    after = TEXT.replace("return a + b", "return sum((a, b))") + "\n    return a * b\n"
    plan = refused(after, *pairs)
    assert (plan.cause, plan.number) == (Cause.AMBIGUOUS, 1)


def test_what_was_shown_moves_along_with_every_change() -> None:
    changes = (LineChange(2, 1, 3), LineChange(6, 2, 0))
    assert after_edits([(1, 3), (6, 8)], changes) == ((1, 5), (8, 8))
    assert written_lines(changes) == ((2, 4),)


def test_a_request_has_at_most_a_hundred_edits() -> None:
    pairs = [(f"old {number}", "new") for number in range(MAX_EDITS + 1)]
    assert len(EditRequest("a.py", edits=replacements_of(pairs[:-1])).replacements) == 100
    with pytest.raises(Misuse, match="101 edits were given, 100 fit one call"):
        EditRequest("a.py", edits=replacements_of(pairs))


def test_the_texts_of_a_request_are_bounded_together() -> None:
    half = "x" * (MAX_TEXT_BYTES // 2)
    EditRequest("a.py", edits=(Replacement(half, ""), Replacement("", half)))
    with pytest.raises(Misuse, match="are the most: make several"):
        EditRequest("a.py", edits=(Replacement(half, "y"), Replacement("", half)))
    with pytest.raises(Misuse, match="are the most"):
        EditRequest("a.py", half, half + "\u00fc")


@pytest.mark.parametrize("pairs", [[("a",)], ["ab"], [("a", "b", "c")], [1], "ab", 1, [{"old": "a", "new": "b"}]])
def test_what_is_no_list_of_pairs_is_refused(pairs: object) -> None:
    with pytest.raises(Misuse, match=r"edits.*give"):
        replacements_of(pairs)  # type: ignore[arg-type] # that is the point


def test_edits_stand_alone_and_are_not_empty() -> None:
    for given in ({"old": "a"}, {"new": "a"}, {"create": True}):
        with pytest.raises(Misuse, match="one kind of request"):
            EditRequest("a.py", edits=(Replacement("a", "b"),), **given)  # type: ignore[arg-type] # different types
    with pytest.raises(Misuse, match="edits is empty"):
        EditRequest("a.py", edits=())
    with pytest.raises(Misuse, match=r"edits\[0\]: the old text is int"):
        EditRequest("a.py", edits=replacements_of([(1, "b")]))  # type: ignore[list-item] # that is the point
