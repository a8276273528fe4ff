"""What `auto` shows of files that other agents have changed, or are at work on."""

from __future__ import annotations

import pytest

from coordinator import Unavailable
from coordinator.reading.contention import HOT_FROM, fresh_mode
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import decode
from coordinator.reading.view_book import SeenFile


def kinds(reading) -> tuple[str, str]:
    return reading.view.mode, reading.view.source


def test_a_file_that_another_agent_changed_comes_as_a_diff_and_beside_it_who(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.read("long.py")
    bob.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    fresh = ann.read("long.py")
    assert kinds(fresh) == ("diff", "changed_by_other")
    assert "diff (changed_by_other)" in fresh.view.header
    assert "+    value_77 = 78\n" in fresh.view.body
    assert fresh.hints == ("[scent: changed by bob#2]",)
    assert "bob" not in fresh.text
    assert ann.edit("long.py", "    value_77 = 78\n", "    value_77 = 79\n")


def test_the_next_read_goes_by_the_usual_rules_again(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.read("long.py")
    bob.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    ann.read("long.py")
    assert kinds(ann.read("long.py")) == ("map", "map_over_400_lines")


def test_a_small_file_that_changed_comes_whole_where_a_diff_does_not_pay(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.read("a.py")
    bob.edit("a.py", "return 1", "return 2")
    fresh = ann.read("a.py")
    assert kinds(fresh) == ("full", "changed_by_other")
    assert fresh.view.body == "def f():\n    return 2\n"


def test_without_the_version_that_was_read_the_file_comes_whole(agent, monkeypatch):
    ann, bob = agent("ann"), agent("bob")
    ann.read("long.py")
    bob.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    monkeypatch.setattr(ann._core.desk.blobs, "get", lambda _: None)
    assert kinds(ann.read("long.py")) == ("full", "changed_by_other")


def test_an_agent_that_saw_only_some_lines_gets_the_file_whole(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.read("long.py", "lines:1-10")
    bob.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    assert kinds(ann.read("long.py")) == ("full", "changed_by_other")


def test_own_edits_and_changes_from_outside_are_no_changes_by_others(agent, tree):
    ann = agent("ann")
    ann.read("long.py")
    ann.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    assert kinds(ann.read("long.py")) == ("map", "map_over_400_lines")
    (tree / "long.py").write_text((tree / "long.py").read_text() + "# by hand\n")
    assert kinds(ann.read("long.py")) == ("map", "map_over_400_lines")


def test_a_formatter_that_goes_over_an_agents_edit_does_not_hide_it(agent, tree):
    ann, bob = agent("ann"), agent("bob")
    ann.read("long.py")
    bob.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    (tree / "long.py").write_text((tree / "long.py").read_text() + "# formatted\n")
    fresh = ann.read("long.py")
    assert kinds(fresh) == ("diff", "changed_by_other")
    assert "+# formatted\n" in fresh.view.body


def test_an_own_edit_over_anothers_does_not_hide_that_one(agent):
    ann, bob, cat = agent("ann"), agent("bob"), agent("cat")
    ann.read("long.py")
    bob.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    cat.edit("long.py", "    value_88 = 88\n", "    value_88 = 89\n")
    over = ann.edit("long.py", "    value_99 = 99\n", "    value_99 = 100\n")
    assert "changed since you read it" in over.warnings[0]
    fresh = ann.read("long.py")
    assert kinds(fresh) == ("diff", "changed_by_other")
    assert fresh.hints == ("[scent: changed by cat#3, bob#2]",)
    for line in ("+    value_77 = 78\n", "+    value_88 = 89\n", "+    value_99 = 100\n"):
        assert line in fresh.view.body
    assert kinds(ann.read("long.py")) == ("map", "map_over_400_lines")


def test_a_file_that_others_have_made_hot_is_not_compressed(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    bob.deposit("long.py", "HOT")
    hot = ann.read("long.py")
    assert kinds(hot) == ("full", "hot")
    assert hot.hints == ("[scent: hot by bob#2]",)
    assert kinds(bob.read("long.py")) == ("map", "map_over_400_lines")
    transport.pass_time(29)
    ann.heartbeat()
    bob.heartbeat()
    assert kinds(ann.read("long.py")) == ("full", "hot")


def test_a_file_that_one_agent_reads_again_and_again_is_hot_and_one_that_many_have_read_is_not(agent):
    ann, bob, cat, dan = (agent(name) for name in ("ann", "bob", "cat", "dan"))
    for other in (bob, cat, dan):
        other.read("long.py", "map")
    assert kinds(ann.read("long.py")) == ("map", "map_over_400_lines")
    for _ in range(2):
        bob.read("long.py", "map")
    hot = ann.read("long.py")
    assert (*kinds(hot), hot.hints) == ("full", "hot", ("[scent: hot by bob#2]",))


def test_modes_that_are_named_stay_as_they_are(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.read("long.py", "map")
    bob.deposit("long.py", "HOT")
    bob.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    named = ann.read("long.py", "map")
    assert (*kinds(named), named.hints) == ("map", "explicit", ())


def test_what_failed_before_comes_first_and_is_never_made_less(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.read("long.py")
    ann.edit("long.py", "    value_77 = value_77 * 9 - total\n", "    value_77 = 0\n")
    bob.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    assert kinds(ann.read("long.py")) == ("full", "edit_fail_escalation")


def test_a_field_that_cannot_be_asked_changes_nothing(agent, transport, monkeypatch):
    ann, bob = agent("ann"), agent("bob")
    bob.deposit("long.py", "HOT")
    call = transport.call

    def all_but_the_field(domain, raw, timeout_s):
        if domain == "scent_field":
            raise Unavailable("gone")
        return call(domain, raw, timeout_s)

    monkeypatch.setattr(transport, "call", all_but_the_field)
    assert kinds(ann.read("long.py")) == ("map", "map_over_400_lines")


def test_they_are_recorded_under_their_names_and_are_no_bounces(agent, transport):
    ann, bob = agent("ann"), agent("bob")
    ann.read("long.py", "map")
    bob.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    ann.read("long.py")
    ann.read("a.py", "signatures")
    bob.edit("a.py", "return 1", "return 2")
    ann.read("a.py")
    statistics = ann.statistics()[1]
    assert [(row.source, row.n) for row in statistics.sources] == [("changed_by_other", 2)]
    assert sum(row.n_bounces for row in statistics.ledger) == 0
    transport.pass_time(1)
    assert [row for row in ann.sync().rows if row.kind == "STUCK"] == []


def test_a_full_read_that_a_changed_file_forced_is_no_bounce(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.read("long.py", "map")
    bob.edit("long.py", "    value_77 = 77\n", "    value_77 = 78\n")
    missed = ann.edit("long.py", "    value_77 = 77\n", "    value_77 = 79\n")
    assert str(missed.cause) == "changed"
    ann.read("long.py", "full")
    assert sum(row.n_bounces for row in ann.statistics()[1].ledger) == 0


@pytest.mark.parametrize(
    ("shown", "last_mode", "candidate", "mode"),
    [
        ([(1, 3)], "full", "full", "diff"),
        ([(1, 2)], "map", "full", "full"),
        ([(1, 2)], "map", "map", "diff"),
        ([(1, 3)], "", "map", "full"),
        ([(1, 3)], "", "full", "diff"),
    ],
)
def test_a_diff_is_for_whoever_had_the_picture_that_the_candidate_would_give(shown, last_mode, candidate, mode):
    before, now = decode(b"a\nb\nc\n"), decode(b"a\nB\nc\n")
    seen = SeenFile(before.content_hash, last_mode, ShownLines.of(shown))
    assert fresh_mode(seen, now, before, candidate).name == mode
    assert fresh_mode(seen, now, None, candidate).name == "full"
    assert fresh_mode(None, now, None, candidate).name == "full"
    assert fresh_mode(seen, before, before, candidate).name == "full"


def test_one_fresh_deposit_is_hot():
    assert 0.3 * 2 < HOT_FROM < 1.0
