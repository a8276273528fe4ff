"""Reads and edits of files that are odd: their bytes, their place, their name."""

from __future__ import annotations

import json
import os
import sys

import pytest

from coordinator import BadTarget, ScentfieldError
from coordinator.reading.marker import is_printed

MODES = ["full", "map", "signatures", "units", "entropy", "diff", "auto"]


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\nc\rd", "b\nc", "b\nx\nc", b"a\r\nb\nx\nc\rd"),
        (b"a\r\nb\r\nc", "c", "c\nd", b"a\r\nb\r\nc\r\nd"),
        (b"a\r\nb\r\nc", "a\nb\n", "", b"c"),
        (b"only", "only", "", b""),
        (b"caf\xe9 = 1\n", "caf\u00e9 = 1", "caf\u00e9 = 2", b"caf\xe9 = 2\n"),
    ],
)
def test_an_edit_keeps_whatever_it_does_not_name(agent, tree, bom, before, old, new, after):
    (tree / "odd.txt").write_bytes(bom + before)
    ann = agent("ann")
    if b"\xe9" in before and bom:
        return
    ann.read("odd.txt")
    done = ann.edit("odd.txt", old, new)
    assert done, done.message
    assert (tree / "odd.txt").read_bytes() == bom + after
    assert ann.undo("odd.txt")
    assert (tree / "odd.txt").read_bytes() == bom + before


def test_edits_that_touch_but_do_not_overlap_are_made_together(agent, tree):
    (tree / "t.py").write_bytes(b"\xef\xbb\xbfa = 1\r\nb = 2\r\nc = 3")
    ann = agent("ann")
    done = ann.edit("t.py", edits=[("b = 2\n", "b = 20\n"), ("a = 1\n", ""), ("c = 3", "c = 30\n")])
    assert done, done.message
    assert (tree / "t.py").read_bytes() == b"\xef\xbb\xbfb = 20\r\nc = 30\r\n"


def test_text_that_only_looks_the_same_is_never_written_over(agent, tree):
    (tree / "u.py").write_text("p\u0430th = 1\nname = \u201cx\u201d\nna\u00efve = 2\n", encoding="utf-8")
    ann = agent("ann")
    raw = (tree / "u.py").read_bytes()
    ann.read("u.py")
    for old in ("path = 1", 'name = "x"', "nai\u0308ve = 2"):
        refused = ann.edit("u.py", old, "gone")
        assert (refused.applied, refused.evidence != "") == (False, True)
    assert (tree / "u.py").read_bytes() == raw


@pytest.mark.parametrize("mode", MODES)
def test_a_folder_a_pipe_a_binary_and_a_dangling_link_are_refused_and_not_waited_for(agent, tree, mode):
    (tree / "folder.py").mkdir()
    os.mkfifo(tree / "pipe.py")
    (tree / "binary.py").write_bytes(b"x = 1\0")
    (tree / "dangling.py").symlink_to("nowhere.py")
    (tree / "loop.py").symlink_to("loop.py")
    ann = agent("ann")
    for name in ("folder.py", "pipe.py", "binary.py", "dangling.py", "loop.py"):
        with pytest.raises(ScentfieldError) as caught:
            ann.read(name, mode)
        told = "nowhere.py" if name == "dangling.py" else name  # a link is followed, and what it leads to is told
        assert told in caught.value.message


def test_what_cannot_be_edited_stays_and_its_edit_says_why(agent, tree):
    (tree / "folder.py").mkdir()
    os.mkfifo(tree / "pipe.py")
    (tree / "binary.py").write_bytes(b"x = 1\0")
    ann = agent("ann")
    assert ann.edit("binary.py", "x = 1", "x = 2").cause == "binary"
    for name in ("folder.py", "pipe.py"):
        for call in ({"old": "a", "new": "b"}, {"new": "a", "create": True}):
            with pytest.raises(ScentfieldError, match=name):
                ann.edit(name, **call)
    assert (tree / "binary.py").read_bytes() == b"x = 1\0"


def test_a_lone_surrogate_cannot_be_written(agent, tree):
    ann = agent("ann")
    refused = ann.edit("a.py", "return 1", "return '\ud800'")
    assert (refused.applied, refused.cause) == (False, "encoding")
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"


def test_moves_over_each_other_are_undone_in_the_order_that_keeps_all_files(agent, tree):
    ann, bob = agent("ann"), agent("bob")
    (tree / "b.py").write_text("B\n")
    assert ann.move("a.py", "c.py")
    assert bob.move("b.py", "a.py")
    assert ann.move("c.py", "b.py")
    taken = bob.undo("c.py")
    assert (taken.applied, taken.cause) in ((True, "undone"), (False, "cannot_undo"))
    texts = sorted(path.read_text() for path in tree.glob("?.py"))
    assert texts == ["B\n", "def f():\n    return 1\n"]


NOTEBOOKS = {
    "no_cells": {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5},
    "source_is_text": {"cells": [{"cell_type": "code", "source": "x = 1\ny = 2\n"}], "nbformat": 4},
    "no_source": {"cells": [{"cell_type": "code"}, {"cell_type": "raw", "source": None}], "nbformat": 4},
    "old": {"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1\n"]}]}], "nbformat": 3},
    "a_list": [1, {"cells": "text"}],
    "cells_no_list": {"cells": {"a": 1}},
    "deep": {"cells": [{"source": ["\ud800\u2028", 5, None]}] * 40},
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", NOTEBOOKS)
@pytest.mark.parametrize("indent", [None, 1])
def test_a_view_of_an_odd_notebook_holds_lines_of_the_file_only(agent, tree, mode, kind, indent):
    text = json.dumps(NOTEBOOKS[kind], indent=indent)
    (tree / "n.ipynb").write_text(text + "\n")
    view = agent("ann").read("n.ipynb", mode, query="x y" if mode == "units" else "").view
    _check_lines(view, text)


def _check_lines(view, text):
    lines = iter(text.splitlines())
    for line in view.body.splitlines():
        assert is_printed(line, view.tag) or any(line == one for one in lines), line


@pytest.mark.parametrize("mode", MODES[:5])
def test_a_file_that_is_replaced_while_it_is_read_is_one_version_or_the_other(agent, tree, mode):
    import threading

    path, versions = tree / "flip.py", [f"def v{n}():\n" + f"    return {n}\n" * 500 for n in (1, 2)]
    path.write_text(versions[0])
    ann, stop = agent("ann"), threading.Event()

    def flip():
        turn = 0
        while not stop.is_set():
            turn += 1
            (tree / "next.py").write_text(versions[turn % 2])
            (tree / "next.py").replace(path)

    flipper = threading.Thread(target=flip)
    flipper.start()
    try:
        for _ in range(10):
            view = ann.read("flip.py", mode, query="return").view
            _check_lines(view, versions["v2" in view.body])
    finally:
        stop.set()
        flipper.join()


@pytest.mark.parametrize(
    "name",
    ["a b.py", "\u202etxt.py", "n\u00e4me.py", "x" * 200 + ".py", "-rf.py", "a;b$(c).py", "..py"],
)
def test_odd_names_are_read_edited_moved_and_undone(agent, tree, name):
    (tree / name).write_text("x = 1\n")
    ann = agent("ann")
    assert ann.read(name).view.body == "x = 1\n"
    assert ann.edit(name, "x = 1", "x = 2")
    assert ann.move(name, "plain.py")
    assert ann.undo("plain.py")
    assert (tree / name).read_text() == "x = 2\n"
    assert ann.undo(name)  # the move is made again: the newest change is what is taken back
    assert (tree / "plain.py").read_text() == "x = 2\n"


@pytest.mark.skipif(sys.platform != "linux", reason="names of any bytes")
def test_a_name_that_is_no_utf_8_or_holds_a_line_break_is_refused_with_what_to_do(agent, tree):
    (tree / "new\nline.py").write_text("x = 1\n")
    with pytest.raises(BadTarget, match="leave out control characters"):
        agent("ann").read("new\nline.py")
    (tree / os.fsdecode(b"\xff.py")).write_bytes(b"x = 1\n")
    with pytest.raises(BadTarget, match="broken Unicode"):
        agent("bob").read(os.fsdecode(b"\xff.py"))
