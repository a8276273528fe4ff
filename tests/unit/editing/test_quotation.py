"""How a quotation differs from what it was meant to be."""

from __future__ import annotations

import pytest

from coordinator.editing.near_miss import closest_stretch
from coordinator.editing.plan import plan_edit
from coordinator.editing.quotation import first_difference, look_alikes, plain, white_space
from coordinator.editing.refusal import Cause, Refused
from coordinator.editing.request import EditRequest, Seen
from coordinator.reading.source import decode


@pytest.mark.parametrize(
    ("old", "stretch", "kinds"),
    [
        ("if x:\n    y()\n", "if x:\n  y()\n", "indentation"),
        ("if x:\n    y()\n", "if x:\n\ty()\n", "tabs and spaces"),
        ("x = 1\n", "x = 1  \n", "white space at the end of a line"),
        ("x = 1  \ny\n", "x = 1\ny\n", "white space at the end of a line"),
        ("x=1\n", "x = 1\n", "spaces within a line"),
        ("f(a, b)\n", "f(a,\n  b)\n", "line breaks"),
        ("a\n\nb\n", "a\nb\n", "blank lines"),
        ("x\u00a0= 1\n", "x = 1\n", "special spaces (U+00A0)"),
        ("x = 1\n", "x\u3000= 1\n", "special spaces (U+3000)"),
        ("a=1\n  b\n", "a = 1\n\tb\n", "spaces within a line, tabs and spaces"),
        ("a\r\nb\r\n", "a\nb\n", ""),
        ("f(a,b)", "x = f(a, b)  # why\n", "spaces within a line"),
        ("same\n", "same\n", ""),
    ],
)
def test_the_kinds_of_white_space_that_differ_are_named(old: str, stretch: str, kinds: str) -> None:
    assert white_space(old, stretch) == kinds


def test_look_alike_characters_are_named_with_the_side_that_has_them() -> None:
    assert look_alikes("say(\u201chi\u201d)", 'say("hi")') == "look-alike characters: you wrote U+201C U+201D"
    assert look_alikes("a - b", "a \u2212 b") == "look-alike characters: the file has U+2212"
    assert plain("\u201ca\u2019 \u2013 \ufb01\uff08\u200b") == "\"a' - fi("


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ('say("hi")\n', "say(\u201chi\u201d)"),
        ("x = a \u2013 b  # dash\n", "x = a - b"),
        ("na\u200bme = 1\n", "name = 1"),
        ("\uff08full width\uff09\n", "(full width)"),
    ],
)
def test_a_text_that_only_looks_the_same_is_found_and_never_written(text: str, old: str) -> None:
    source = decode(("x = 1\n" * 30 + text).encode())
    near = closest_stretch(source.text, old)
    assert near is not None
    assert (near.first_line, near.ratio, near.is_whitespace_only) == (31, 1.0, False)
    plan = plan_edit(EditRequest("a.py", old, "new"), source, Seen(source.content_hash, [(1, 99)], "full", source))
    assert isinstance(plan, Refused)
    assert plan.cause is Cause.NEVER_THERE
    assert "line 31 (it only looks the same: look-alike characters" in plan.message


def test_a_no_break_space_is_white_space() -> None:
    near = closest_stretch("def f(a,\u00a0b):\n", "def f(a, b):")
    assert near is not None
    assert (near.is_whitespace_only, near.difference) == (True, "special spaces (U+00A0)")


def test_the_unit_around_the_closest_stretch_is_named() -> None:
    source = decode(b"class A:\n    def f(self):\n        return 1\n")
    plan = plan_edit(
        EditRequest("a.py", "return  1", "x"), source, None, name_unit=lambda _, first, last: f"A.f {first}-{last}"
    )
    assert isinstance(plan, Refused)
    assert "line 3 in A.f 3-3 (only white space differs: spaces within a line)" in plan.message


def test_the_first_line_that_differs_is_shown_of_both() -> None:
    assert first_difference("a\nb\nc\n", "a\nB\nc\n") == ("b", "B")
    assert first_difference("a\n", "a\n") is None
    assert first_difference("f()\n  x\n", "    f()\n      x\n") == ("  x", "      x")
    assert first_difference("a\nb\n", "a\n") is None
    assert first_difference("x\n" * 201, "y\n") is None
    yours, theirs = first_difference("a" * 500 + "b" + "c" * 500, "a" * 500 + "d" + "c" * 500) or ("", "")
    assert (len(yours), len(theirs), yours.index("b"), theirs.index("d")) == (160, 160, 80, 80)
