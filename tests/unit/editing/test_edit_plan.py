from __future__ import annotations

import codecs

import pytest

from coordinator.editing.plan import Applies, plan_edit
from coordinator.editing.refusal import Cause, Refused, binary, claimed
from coordinator.editing.request import EditRequest, Seen
from coordinator.editing.splice import LineChange
from coordinator.reading.source import SourceText, decode

TEXT = "import os\n\ndef add(a, b):\n    return a + b\n\ndef sub(a, b):\n    return a - b\n"


def source(text: str | bytes) -> SourceText:
    return decode(text if isinstance(text, bytes) else text.encode())


def seen(text: str, *shown: tuple[int, int], is_kept: bool = True) -> Seen:
    version = source(text)
    return Seen(version.content_hash, shown, "map", version if is_kept else None)


def applied(text: str | bytes, old: str, new: str) -> Applies:
    plan = plan_edit(EditRequest("a.py", old, new), source(text), None)
    assert isinstance(plan, Applies)
    return plan


def refused(text: str | None, old: str, new: str, by: Seen | None = None, **options: object) -> Refused:
    current = None if text is None else source(text)
    request = EditRequest("a.py", old, new, **options)  # type: ignore[arg-type] # tests pass the request's own fields
    plan = plan_edit(request, current, by)
    assert isinstance(plan, Refused)
    return plan


def test_a_unique_text_is_replaced_and_nothing_else() -> None:
    plan = applied(TEXT, "a - b", "b - a")
    assert plan.raw == TEXT.replace("a - b", "b - a").encode()
    assert (plan.first_line, plan.n_lines_replaced, plan.n_lines_new, plan.n_lines_changed) == (7, 1, 1, 1)


@pytest.mark.parametrize(
    ("old", "new", "counts"),
    [
        ("two\n", "", (2, 1, 0)),
        ("two\n", "2\n2b\n", (2, 1, 2)),
        ("two\n", "2", (2, 2, 1)),  # the next line is joined to it
        ("one\ntwo", "12", (1, 2, 1)),
        ("wo", "w\no", (2, 1, 2)),
        ("e\ntw", "", (1, 2, 1)),
    ],
)
def test_the_lines_that_an_edit_touches_are_counted(old: str, new: str, counts: tuple[int, int, int]) -> None:
    plan = applied("one\ntwo\nthree\n", old, new)
    assert (plan.first_line, plan.n_lines_replaced, plan.n_lines_new) == counts


def test_a_crlf_file_stays_crlf() -> None:
    assert applied(b"a\r\nb\r\nc\r\n", "b\nc", "B\nnew\nC").raw == b"a\r\nB\r\nnew\r\nC\r\n"


def test_byte_order_marks_and_encodings_stay() -> None:
    utf16 = codecs.BOM_UTF16_LE + "één\ntwo\n".encode("utf-16-le")
    assert applied(utf16, "two", "zwei ü").raw == codecs.BOM_UTF16_LE + "één\nzwei ü\n".encode("utf-16-le")
    assert applied(codecs.BOM_UTF8 + b"one", "one", "two").raw == codecs.BOM_UTF8 + b"two"
    assert applied(b"caf\xe9 one", "one", "tw\u00f6").raw == b"caf\xe9 tw\xf6"


def test_a_character_that_the_encoding_lacks_is_refused() -> None:
    plan = plan_edit(EditRequest("a.txt", "one", "1 €"), source(b"caf\xe9 one"), None)
    assert isinstance(plan, Refused)
    assert plan.cause is Cause.ENCODING
    assert "'€'" in plan.message
    assert "latin-1" in plan.message


def test_an_edit_of_a_changed_file_applies_where_its_text_is_still_unique() -> None:
    plan = plan_edit(EditRequest("a.py", "a - b", "b - a"), source("# new\n" + TEXT), seen(TEXT, (6, 7)))
    assert isinstance(plan, Applies)


def test_a_new_file_is_created_from_its_whole_text() -> None:
    plan = plan_edit(EditRequest("new.py", "", "x = 1\ny = 2\n", create=True), None, None)
    assert plan == Applies("x = 1\ny = 2\n", b"x = 1\ny = 2\n", (LineChange(first_line=1, n_replaced=0, n_new=2),))


@pytest.mark.parametrize(
    ("text", "old", "new", "options", "cause", "said"),
    [
        (TEXT, "", "x", {"create": True}, Cause.CREATE_CONFLICT, "already exists"),
        (None, "a", "x", {"create": True}, Cause.CREATE_CONFLICT, "leave old empty"),
        (TEXT, "", "x", {}, Cause.EMPTY_OLD, "create=True"),
        (TEXT, "a", "a", {}, Cause.IDENTICAL, "nothing to do"),
        ("x\n", "x\r\n", "x\n", {}, Cause.IDENTICAL, "nothing to do"),
        (None, "a", "b", {}, Cause.MISSING_FILE, "create=True"),
        (TEXT, "a - b", "x", {"expect_hash": "0" * 64}, Cause.STALE_HASH, "expected '000000000000'"),
        (TEXT, "a - b", "\0", {}, Cause.BINARY, "NUL"),
        (None, "", "\0", {"create": True}, Cause.BINARY, "NUL"),
    ],
)
def test_requests_that_cannot_be_tried_say_why(
    text: str | None, old: str, new: str, options: dict[str, object], cause: Cause, said: str
) -> None:
    plan = refused(text, old, new, **options)
    assert plan.cause is cause
    assert said in plan.message
    assert "'a.py'" in plan.message
    assert not plan.cause.is_recorded


def test_the_expected_hash_lets_an_edit_through() -> None:
    request = EditRequest("a.py", "a - b", "b - a", expect_hash=source(TEXT).content_hash)
    assert isinstance(plan_edit(request, source(TEXT), None), Applies)


@pytest.mark.parametrize(("old", "new"), [("x = 1\n[..a1b2..]\n", "y"), ("a - b", "x\n[..a1b2..]\n")])
def test_a_marker_of_a_view_is_never_looked_for_nor_written(old: str, new: str) -> None:
    def find_markers(text: str) -> list[str]:
        return ["[..a1b2..]"] if "[..a1b2..]" in text else []

    plan = plan_edit(EditRequest("a.py", old, new), source(TEXT), None, find_markers=find_markers)

    assert isinstance(plan, Refused)
    assert plan.cause is Cause.MARKER
    assert "'[..a1b2..]'" in plan.message
    assert "expand" in plan.message


def test_a_claimed_and_a_binary_file_are_refused_before_planning() -> None:
    assert claimed("a.py", "ada#1").cause is Cause.CLAIMED
    assert "ada#1 holds it" in claimed("a.py", "ada#1 holds it").message
    assert binary("a.png").cause is Cause.BINARY


def test_a_text_that_stands_twice_is_ambiguous_and_its_lines_are_named() -> None:
    plan = refused(TEXT, "return a ", "return b ", seen(TEXT, (1, 7)))
    assert (plan.cause, plan.places) == (Cause.AMBIGUOUS, (4, 7))
    assert "2 times in 'a.py', at lines 4, 7" in plan.message


def test_at_most_twenty_places_are_named() -> None:
    plan = refused("x\n" * 150, "x", "y")
    assert plan.places == tuple(range(1, 21))
    assert "100 times or more" in plan.message
    assert "and 80 more" in plan.message


def test_a_retry_of_an_edit_that_went_through_is_a_success() -> None:
    after = TEXT.replace("return a - b", "return sum((a, -b))")
    plan = refused(after, "return a - b", "return sum((a, -b))", seen(after, (1, 7)))
    assert (plan.cause, plan.places, plan.cause.is_success) == (Cause.ALREADY_APPLIED, (7,), True)


def test_the_same_edit_made_by_somebody_else_is_a_success() -> None:
    after = "# header\n" + TEXT.replace("    return a - b\n", "    return a + -b\n")
    assert refused(after, "return a - b", "return a + -b", seen(TEXT, (1, 7))).cause is Cause.ALREADY_APPLIED


def test_a_deletion_that_somebody_else_made_is_a_success() -> None:
    after = TEXT.replace("    return a + b\n", "")
    plan = refused(after, "    return a + b\n", "", seen(TEXT, (1, 7)))
    assert (plan.cause, plan.places) == (Cause.ALREADY_APPLIED, (4,))


def test_in_a_crlf_file_an_applied_deletion_is_recognised_too() -> None:
    before, after = (text.replace("\n", "\r\n") for text in (TEXT, TEXT.replace("    return a + b\n", "")))
    plan = refused(after, "    return a + b\n", "", seen(before, (1, 7)))
    assert (plan.cause, plan.places) == (Cause.ALREADY_APPLIED, (4,))


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        # the new text is a part of the old one and stands there for another reason
        ("x = f(a).baz()\n", "f(a).bar()", "f(a)"),
        # it is a part of a longer word
        ("column = 1\n", "total", "col"),
        # the old text is nearly there, so nobody has replaced it
        ("def f():\n    return  g(1, 2)\n\npass\n", "    return g(1, 2)", "pass"),
    ],
)
def test_a_new_text_that_happens_to_be_in_the_file_is_no_earlier_application(text: str, old: str, new: str) -> None:
    assert refused(text, old, new, seen(text, (1, 9))).cause is Cause.NEVER_THERE


def test_a_new_text_that_was_there_before_proves_nothing() -> None:
    before, after = "a = 1\nb = 2\nc = 3\n", "a = 1\nb = 9\nc = 4\n"
    assert refused(after, "b = 2", "a = 1", seen(before, (1, 3))).cause is Cause.CHANGED


def test_a_text_of_the_version_that_was_read_has_changed() -> None:
    after = TEXT.replace("return a - b", "return a - b - 1")
    plan = refused(after, "return a - b\n", "return b\n", seen(TEXT, (1, 7)))
    assert plan.cause is Cause.CHANGED
    assert plan.near is not None
    assert plan.near.first_line == 7


def test_a_text_that_is_nearly_of_the_version_that_was_read_has_changed() -> None:
    after = TEXT.replace("a - b", "minus(a, b)")
    assert refused(after, "    return  a - b\n", "    return 0\n", seen(TEXT, (1, 7))).cause is Cause.CHANGED


def test_a_text_that_became_ambiguous_has_changed_and_its_places_are_named() -> None:
    after = TEXT + "\ndef sub2(a, b):\n    return a - b\n"
    plan = refused(after, "return a - b", "return b", seen(TEXT, (1, 7)))
    assert (plan.cause, plan.places) == (Cause.CHANGED, (7, 10))


def test_a_text_that_was_ambiguous_before_stays_ambiguous() -> None:
    assert refused(TEXT + "# end\n", "return a ", "x", seen(TEXT, (1, 7))).cause is Cause.AMBIGUOUS


def test_without_the_version_that_was_read_a_vanished_text_counts_as_changed() -> None:
    by = seen(TEXT, (1, 7), is_kept=False)
    assert refused(TEXT.replace("a - b", "b"), "return a - b", "return 0", by).cause is Cause.CHANGED


def test_a_text_that_no_version_held_was_never_there_although_the_file_changed() -> None:
    by = seen(TEXT, (1, 7))
    assert refused(TEXT + "# end\n", "while waiting: knit(socks)", "x", by).cause is Cause.NEVER_THERE


def test_a_quotation_of_lines_that_the_view_left_out_was_not_shown() -> None:
    plan = refused(TEXT, "def sub(a, b):\n    return b - a\n", "x", seen(TEXT, (1, 3), (6, 6)))
    assert plan.cause is Cause.NOT_SHOWN
    assert plan.cause.is_recorded
    assert "lines:6-7" in plan.message


def test_a_wrong_quotation_of_shown_lines_was_never_there() -> None:
    plan = refused(TEXT, "def sub(a, b):\n    return b - a\n", "x", seen(TEXT, (6, 6), (7, 7)))
    assert plan.cause is Cause.NEVER_THERE
    assert plan.cause.is_recorded


def test_white_space_is_named_where_only_that_differs() -> None:
    plan = refused(TEXT, "def sub(a,b):\n  return a-b\n", "x", seen(TEXT, (1, 7)))
    assert "lines 6-7 (only white space differs: spaces within a line, indentation)" in plan.message


def test_a_file_that_was_never_read_is_said_to_be_so() -> None:
    plan = refused(TEXT, "return a * b", "x")
    assert plan.cause is Cause.UNREAD
    assert "have not read" in plan.message
