"""Every cause of an edit that was not made, from an agent's side: what it is told, and what it is shown."""

from __future__ import annotations

import pytest

from actors.quality_store.cause import FAILURE, SUCCESS, check_cause
from coordinator.editing.refusal import Cause
from coordinator.reading.source import content_hash

UNSHOWN = "    value_77 = value_77 * 9 - total\n"


def failed(edited, cause: str):
    assert (bool(edited), edited.applied, str(edited.cause)) == (cause == "already_applied", False, cause)
    assert repr(edited.path) in edited.message
    return edited


def test_claimed_says_who_since_when_and_what_for(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    bob.claim("a.py", intent="rename f")
    transport.pass_time(7)
    told = failed(ann.edit("a.py", "return 1", "return 2"), "claimed")
    assert "bob#2 holds a.py since 7 s to rename f" in told.message
    assert told.generation == 1


def test_already_applied_names_the_line(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.read("a.py")
    bob.edit("a.py", "    return 1\n", "    return 100\n")
    told = failed(ann.edit("a.py", "    return 1\n", "    return 100\n"), "already_applied")
    assert "at line 2" in told.message


def test_changed_says_who_when_under_which_claim_and_shows_the_diff(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.read("long.py")
    ann.expand("long.py", "f77")
    bob.edit("long.py", "    return value_77\n", "    return -value_77\n")
    told = failed(ann.edit("long.py", "    return value_77\n", "    return 0\n"), "changed")
    assert "the closest is line 1168 in f77 (92% alike)" in told.message
    assert told.evidence.startswith("changed by bob#2 (generation 1) at 20")
    assert "-    return value_77\n+    return -value_77\n" in told.evidence
    assert ann.edit("long.py", "    return -value_77\n", "    return 0\n")


def test_ambiguous_names_the_lines_and_shows_them(agent):
    ann = agent("ann")
    ann.read("long.py", "full")
    told = failed(ann.edit("long.py", "    return value_1", "    return 1"), "ambiguous")
    assert "31 times" in told.message
    assert "lines 28, 163," in told.message
    assert "    return value_10\n" in told.evidence


def test_not_shown_names_the_unit_and_shows_it_so_that_the_next_try_succeeds(agent):
    ann = agent("ann")
    ann.read("long.py")
    told = failed(ann.edit("long.py", UNSHOWN, ""), "not_shown")
    assert " in f77 (96% alike), and you were not shown all of it" in told.message
    assert f"you quote {UNSHOWN.rstrip()!r}\n  there is  {UNSHOWN.rstrip().replace('-', '+')!r}\n" in told.evidence
    assert ann.edit("long.py", UNSHOWN.replace("-", "+"), "")


def test_never_there_shows_where_the_two_texts_part(agent):
    ann = agent("ann")
    ann.read("a.py")
    told = failed(ann.edit("a.py", "return 11", "return 2"), "never_there")
    assert "line 2 in f" in told.message
    assert "the first difference, from line 2 on:\n  you quote 'return 11'\n  there is  'return 1'\n" in told.evidence


@pytest.mark.parametrize(
    ("text", "old", "how"),
    [
        ("def f():\n    if x:\n        y()\n", "if x:\n    y()\n", "only white space differs: indentation"),
        ("def f():\n\tx = 1\n\ty = 2\n", "    x = 1\n    y = 2\n", "only white space differs: tabs and spaces"),
        ("x = 1  \ny = 2\n", "x = 1\ny = 2\n", "only white space differs: white space at the end of a line"),
        ("f(a,\n  b)\n", "f(a, b)", "only white space differs: line breaks"),
        ("x =\u00a01\n", "x = 1", "only white space differs: special spaces (U+00A0)"),
        ("x = \u2018a\u2019\n", "x = 'a'", "it only looks the same: look-alike characters: the file has U+2018 U+2019"),
    ],
)
def test_what_is_nearly_there_is_explained_and_never_written(agent, tree, text, old, how):
    ann = agent("ann")
    (tree / "b.py").write_text(text)
    ann.read("b.py")
    told = failed(ann.edit("b.py", old, "new"), "never_there")
    assert how in told.message
    assert (tree / "b.py").read_text() == text


def test_line_endings_are_no_cause(agent, tree):
    ann = agent("ann")
    (tree / "b.py").write_bytes(b"x = 1\r\ny = 2\r\n")
    assert ann.edit("b.py", "x = 1\ny = 2\n", "z = 3\n")
    assert (tree / "b.py").read_bytes() == b"z = 3\r\n"


def test_unread_shows_the_file(agent):
    told = failed(agent("ann").edit("a.py", "return 7", "return 2"), "unread")
    assert "    return 1\n" in told.evidence


def test_a_stale_hash_comes_with_what_changed_since_that_version(agent, tree):
    ann, bob = agent("ann"), agent("bob")
    expected = ann.read("a.py").view.content_hash
    bob.edit("a.py", "return 1", "return 10")
    told = failed(ann.edit("a.py", "return 1", "return 2", expect_hash=expected), "stale_hash")
    assert "changed by bob#2" in told.evidence
    assert "since the version that you expect:\n" in told.evidence
    assert "+    return 10\n" in told.evidence
    never = failed(ann.edit("a.py", "return 1", "x", expect_hash=content_hash(b"never")), "stale_hash")
    assert never.evidence.startswith("'a.py' now")


def test_a_missing_file_comes_with_who_took_it_away(agent):
    ann, bob = agent("ann"), agent("bob")
    bob.move("a.py", "b.py")
    assert "'a.py' was moved to 'b.py' by bob#2" in failed(ann.edit("a.py", "f", "g"), "missing_file").evidence
    bob.delete("b.py")
    assert "'b.py' was deleted by bob#2" in failed(ann.edit("b.py", "f", "g"), "missing_file").evidence
    assert failed(ann.edit("never.py", "f", "g"), "missing_file").evidence == ""


def test_requests_that_cannot_be_tried_say_why(agent, tree):
    ann = agent("ann")
    (tree / "old.txt").write_bytes("caf\u00e9 one".encode("latin-1"))
    (tree / "blob.bin").write_bytes(b"\0\1")
    marker = next(line for line in ann.read("long.py").view.body.splitlines() if line.startswith("\u2026"))
    for edited, cause, said in (
        (ann.edit("a.py", new="x", create=True), "create_conflict", "already exists"),
        (ann.edit("a.py", "", "x"), "empty_old", "quote the lines"),
        (ann.edit("a.py", "f", "f"), "identical", "nothing to do"),
        (ann.edit("a.py", "return 1", marker), "marker", "expand"),
        (ann.edit("blob.bin", "a", "b"), "binary", "NUL"),
        (ann.edit("a.py", "return 1", "\0"), "binary", "NUL"),
        (ann.edit("old.txt", "one", "1 \u20ac"), "encoding", "latin-1"),
        (ann.edit("a.py", edits=[("return 1", "a"), ("1", "b")]), "overlap", "edits[0], edits[1] overlap"),
    ):
        assert said in failed(edited, cause).message


def test_every_cause_of_a_failure_is_accepted_by_the_quality_store():
    for cause in Cause:
        check_cause(SUCCESS if cause.is_success else FAILURE, str(cause))
