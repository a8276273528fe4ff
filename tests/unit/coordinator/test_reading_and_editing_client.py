from __future__ import annotations

import pytest

from coordinator import Misuse, Unavailable, UnknownAgent


def test_auto_shows_a_small_file_whole_and_a_long_one_as_a_map(agent):
    ann = agent("ann")
    small, long = ann.read("a.py"), ann.read("long.py")
    assert (small.view.mode, small.view.source) == ("full", "small_file")
    assert (long.view.mode, long.view.source) == ("map", "map_over_400_lines")
    assert long.view.tokens < long.view.total_tokens / 2


def test_an_edit_from_lines_that_were_not_shown_arms_one_full_read(agent, tree):
    ann = agent("ann")
    ann.read("long.py")
    missed = ann.edit("long.py", "    value_77 = value_77 * 9 - total\n", "    value_77 = 0\n")
    assert (missed.applied, str(missed.cause)) == (False, "not_shown")
    assert "    value_77 = value_77 * 9 + total\n" in missed.evidence
    again = ann.read("long.py")
    assert (again.view.mode, again.view.source) == ("full", "edit_fail_escalation")
    third = ann.read("long.py")
    assert third.view.source in ("map_over_400_lines", "edit_quality_penalty")


def test_two_failures_make_the_pair_risky_and_success_from_full_is_the_baseline(agent):
    ann = agent("ann")
    for _ in range(2):
        ann.read("long.py", "map")
        ann.edit("long.py", "    value_99 = value_99 * 5 - total\n", "    value_99 = 0\n")
    ann.read("long.py")  # consumes the escalation
    assert ann.read("long.py").view.source == "edit_quality_penalty"
    (pair,) = [row for row in ann.edit_quality().pairs if row.mode == "map"]
    assert (pair.extension, pair.n_fails, pair.risky) == ("py", 2, True)


def test_an_edit_applies_under_a_claim_of_its_own_and_releases_it(agent, tree):
    ann, bob = agent("ann"), agent("bob")
    ann.read("a.py")
    done = ann.edit("a.py", "return 1", "return 2")
    assert done
    assert done.generation == 1
    assert (tree / "a.py").read_text() == "def f():\n    return 2\n"
    assert bob.claim("a.py")


def test_an_edit_of_a_file_that_somebody_holds_is_refused_and_tries_nothing(agent, tree):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("*.py")
    refused = bob.edit("a.py", "return 1", "return 2")
    assert str(refused.cause) == "claimed"
    assert "ann#1" in refused.message
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"


def test_the_space_decides_how_strict_a_foreign_claim_is(agent, tree):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py")
    bob.set_strictness("warn")
    warned = bob.edit("a.py", "return 1", "return 2")
    assert warned.applied
    assert "ann#1 holds a.py" in warned.warnings[0]
    bob.set_strictness("observe")
    observed = bob.edit("a.py", "return 2", "return 3")
    assert observed.warnings == ()
    assert "ann#1 holds a.py" in observed.hints[0]


def test_who_changed_the_file_since_it_was_read_is_named_with_the_diff(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.read("a.py")
    bob.read("a.py")
    bob.edit("a.py", "    return 1\n", "    return 10\n")
    missed = ann.edit("a.py", "    return 1\n", "    return 2\n")
    assert str(missed.cause) == "changed"
    assert "bob#2" in missed.evidence
    assert "+    return 10" in missed.evidence


def test_a_change_from_outside_is_called_that(agent, tree):
    ann = agent("ann")
    ann.read("a.py")
    (tree / "a.py").write_text("def f():\n    return 10\n")
    missed = ann.edit("a.py", "    return 1\n", "    return 2\n")
    assert str(missed.cause) == "changed"
    assert "outside Scentfield" in missed.evidence


def test_a_change_from_outside_drops_the_escalation(agent, tree):
    ann = agent("ann")
    ann.read("long.py")
    ann.edit("long.py", "    value_77 = value_77 * 9 - total\n", "")
    (tree / "long.py").write_text((tree / "long.py").read_text() + "# by hand\n")
    assert ann.read("long.py").view.source == "map_over_400_lines"


def test_own_edits_one_after_the_other_are_no_changes_by_others(agent):
    ann = agent("ann")
    ann.read("a.py")
    assert ann.edit("a.py", "return 1", "return 2")
    missed = ann.edit("a.py", "return 5", "return 6")
    assert str(missed.cause) in ("never_there", "not_shown")


def test_a_marker_never_reaches_the_disk(agent, tree):
    ann = agent("ann")
    marker = next(line for line in ann.read("long.py").view.body.splitlines() if line.startswith("…"))
    before = (tree / "long.py").read_text()
    refused = ann.edit("long.py", "def f1(x):\n", f"def f1(x):\n{marker}\n")
    assert str(refused.cause) == "marker"
    assert (tree / "long.py").read_text() == before


def test_undo_puts_the_file_back_unless_it_was_changed_since(agent, tree):
    ann = agent("ann")
    ann.edit("a.py", "return 1", "return 2")
    assert ann.undo("a.py")
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"
    ann.edit("a.py", "return 1", "return 3")
    (tree / "a.py").write_text("x = 1\n")
    refused = ann.undo("a.py")
    assert not refused
    assert (tree / "a.py").read_text() == "x = 1\n"


def test_a_created_file_is_new_and_undo_removes_it(agent, tree):
    ann = agent("ann")
    assert ann.edit("new/b.py", new="x = 1\n", create=True)
    assert str(ann.edit("new/b.py", new="x = 2\n", create=True).cause) == "create_conflict"
    assert ann.undo("new/b.py")
    assert not (tree / "new" / "b.py").exists()


def test_an_agent_past_its_deadline_writes_nothing(agent, transport, tree):
    ann, bob = agent("ann"), agent("bob")
    ann.claim("a.py")
    transport.pass_time(20)
    bob.heartbeat()
    transport.pass_time(13)
    assert bob.claim("a.py")
    with pytest.raises(UnknownAgent, match="now held by bob#2"):
        ann.edit("a.py", "return 1", "return 2")
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"


def test_without_a_coordinator_reading_works_and_says_so_and_editing_is_refused(agent, transport, tree):
    ann = agent("ann")
    transport.is_down = True
    reading = ann.read("a.py")
    assert "the quality store is unavailable: base policy, nothing is learned" in reading.view.header
    assert reading.view.source == "base_policy"
    with pytest.raises(Unavailable, match="when_unavailable"):
        ann.edit("a.py", "return 1", "return 2")
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"


def test_when_unavailable_warn_edits_with_a_warning(agent, transport, tree):
    ann = agent("ann", when_unavailable="warn")
    transport.is_down = True
    done = ann.edit("a.py", "return 1", "return 2")
    assert done.applied
    assert "without a coordinator" in done.warnings[0]


def test_a_hint_names_who_holds_the_file_beside_the_view_and_never_in_it(agent):
    ann, bob = agent("ann"), agent("bob")
    plain = bob.read("a.py")
    ann.claim("a.py", intent="rename f")
    hinted = bob.read("a.py")
    assert hinted.hints == ("[scent: claimed by ann#1 to rename f]",)
    assert hinted.view.text == plain.view.text
    assert ann.read("a.py").hints == ()


@pytest.mark.parametrize("mode", ["", "fast", "lines", "lines:5-2", "FULL"])
def test_an_unknown_mode_is_an_error_that_names_the_known_ones(agent, mode):
    with pytest.raises(Misuse, match="lines:"):
        agent("ann").read("a.py", mode)


def test_binary_and_missing_files_are_refused_clearly(agent, tree):
    ann = agent("ann")
    (tree / "blob.bin").write_bytes(b"\0\1\2")
    with pytest.raises(Misuse, match="binary"):
        ann.read("blob.bin")
    with pytest.raises(Misuse, match=r"gone\.py"):
        ann.read("gone.py")
    assert str(ann.edit("blob.bin", "a", "b").cause) == "binary"
    assert str(ann.edit("gone.py", "a", "b").cause) == "missing_file"


def test_reads_and_edits_are_counted(agent):
    ann = agent("ann")
    ann.read("a.py")
    ann.edit("a.py", "return 1", "return 2")
    _, quality = ann.statistics()
    (read,) = [row for row in quality.reads if row.mode == "full"]
    assert read.n_reads == 1
    assert [(row.cause, row.n) for row in quality.outcomes] == [("applied", 1)]


def test_a_second_undo_brings_the_edit_back_and_says_so(agent, tree):
    ann = agent("ann")
    ann.edit("a.py", "return 1", "return 2")
    assert "put back as it was before" in ann.undo("a.py").message
    assert "was undone" in ann.undo("a.py").message
    assert (tree / "a.py").read_text() == "def f():\n    return 2\n"


def test_a_reading_prints_as_its_text(agent):
    reading = agent("ann").read("a.py")
    assert str(reading) == reading.text


def test_several_edits_of_a_file_are_one_edit(agent, tree):
    ann = agent("ann")
    ann.read("a.py")
    done = ann.edit("a.py", edits=[("def f", "def g"), ("return 1", "return 2")])
    assert (done.applied, done.failed_edit) == (True, None)
    assert "2 edits, 2 lines changed from line 1 on" in done.message
    assert (tree / "a.py").read_text() == "def g():\n    return 2\n"
    assert ann.undo("a.py")
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"
    assert [(row.cause, row.n) for row in ann.statistics()[1].outcomes] == [("applied", 1), ("undone", 1)]


def test_one_of_several_edits_that_misses_stops_all_with_its_place_and_the_evidence(agent, tree):
    ann = agent("ann")
    ann.read("a.py")
    missed = ann.edit("a.py", edits=[("def f", "def g"), ("return 7", "return 2")])
    assert (str(missed.cause), missed.failed_edit) == ("never_there", 1)
    assert missed.message.startswith("edits[1]: the old text is not in 'a.py'")
    assert "    return 1\n" in missed.evidence
    assert missed.to_dict()["failed_edit"] == 1
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"


def test_lines_beside_several_edits_stay_shown(agent):
    ann = agent("ann")
    ann.read("long.py", "lines:1-30")
    assert ann.edit("long.py", edits=[("    value_0 = 0\n", ""), ("    return value_1\n", "    return 1\n")])
    assert ann._core.desk.book.of("long.py").shown.ranges == ((1, 29),)
