"""What went wrong with views and edits elsewhere, from an agent's side; each is a promise here."""

from __future__ import annotations

import os

import pytest

from coordinator import Misuse


def test_a_file_built_from_a_compressed_view_never_gets_its_omission_marks(agent, tree):
    ann = agent("ann")
    before = (tree / "long.py").read_bytes()
    body = ann.read("long.py", "map").view.body
    for edited in (
        ann.edit("copy.py", new=body, create=True),
        ann.edit("long.py", "def f1(total):\n", body),
        ann.edit("long.py", edits=[("def f1(total):\n", "def g1(total):\n"), ("def f2(total):\n", body)]),
        ann.edit("long.py", body, ""),
    ):
        assert str(edited.cause) == "marker"
        assert "get those lines with expand, lines:N-M or full" in edited.message
    assert not (tree / "copy.py").exists()
    assert (tree / "long.py").read_bytes() == before


def test_signatures_of_a_language_without_a_grammar_are_said_to_be_none(agent, tree):
    (tree / "a.zig").write_text("".join(f"fn f{n}() void {{\n    return;\n}}\n\n" for n in range(200)))
    reading = agent("ann").read("a.zig", "signatures")
    assert "no grammar for .zig" in reading.view.header
    if reading.view.mode == "full":
        assert "would cost as much" in reading.view.header


def test_a_line_range_is_shown_whole(agent, tree):
    lines = (tree / "long.py").read_text().splitlines(keepends=True)
    view = agent("ann").read("long.py", "lines:101-156").view
    assert view.body == "".join(lines[100:156])


@pytest.mark.parametrize("mode", ["unknown", "MAP", "auto ", "lines", "units:3", 3, None])
def test_an_unknown_mode_is_an_error_and_never_served_as_auto(agent, mode):
    ann = agent("ann")
    with pytest.raises(Misuse):
        ann.read("a.py", mode)
    assert ann.statistics()[1].reads == ()


def test_an_edit_that_misses_stale_text_is_told_who_changed_it_when_and_how(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.read("a.py")
    bob.edit("a.py", "return 1", "return 10")
    missed = ann.edit("a.py", "    return 1\n", "    return 2\n")
    assert str(missed.cause) == "changed"
    assert missed.evidence.startswith("changed by bob#2 (generation 1) at ")
    assert "-    return 1\n+    return 10\n" in missed.evidence


def test_a_full_read_that_an_edit_forced_is_no_bounce(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    ann.read("long.py", "map")
    ann.edit("long.py", "    value_77 = value_77 * 9 - total\n", "")
    assert ann.read("long.py").view.source == "edit_fail_escalation"
    ann.read("a.py", "signatures")
    bob.edit("a.py", "return 1", "return 10")
    ann.edit("a.py", "    return 1\n", "    return 2\n")
    ann.read("a.py", "full")
    transport.pass_time(1)
    assert sum(row.n_bounces for row in ann.statistics()[1].ledger) == 0
    assert ann.read_quality().paths_full == 0


def test_a_view_goes_by_the_content_and_never_by_time_stamps(agent, tree):
    ann = agent("ann")
    status = (tree / "a.py").stat()
    ann.read("a.py")
    (tree / "a.py").write_text("def f():\n    return 7\n")  # as many bytes
    os.utime(tree / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert "    return 7\n" in ann.read("a.py").view.body
    assert ann.edit("a.py", "return 7", "return 8")
