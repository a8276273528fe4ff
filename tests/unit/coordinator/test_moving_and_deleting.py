"""Files as a whole: deleted, moved, and brought back."""

from __future__ import annotations

import asyncio
import stat
from pathlib import Path

import pytest

from coordinator import BadTarget, Misuse, Unavailable
from coordinator.aio import AsyncCoordinator
from coordinator.editing import mover as mover_module
from coordinator.reading.source import content_hash

OLD = "def f():\n    return 1\n"


def outcomes(agent) -> dict[str, int]:
    return {row.cause: row.n for row in agent.statistics()[1].outcomes}


def test_a_deleted_file_is_gone_and_undo_brings_its_bytes_and_permissions_back(agent, tree):
    ann = agent("ann")
    (tree / "a.py").write_bytes(b"\xff binary \0\r\n")
    (tree / "a.py").chmod(0o750)
    done = ann.delete("a.py")
    assert (done.applied, str(done.cause), done.path) == (True, "deleted", "a.py")
    assert not (tree / "a.py").exists()
    back = ann.undo("a.py")
    assert back
    assert "there again, as it was before ann#1 deleted it" in back.message
    assert (tree / "a.py").read_bytes() == b"\xff binary \0\r\n"
    assert stat.S_IMODE((tree / "a.py").stat().st_mode) == 0o750
    assert ann.undo("a.py")
    assert not (tree / "a.py").exists()


def test_a_deletion_is_brought_back_into_a_folder_that_is_gone(agent, tree):
    ann = agent("ann")
    ann.edit("deep/er/x.py", new="x = 1\n", create=True)
    ann.delete("deep/er/x.py")
    (tree / "deep" / "er").rmdir()
    (tree / "deep").rmdir()
    assert ann.undo("deep/er/x.py")
    assert (tree / "deep/er/x.py").read_text() == "x = 1\n"


def test_a_name_that_was_taken_since_the_deletion_is_not_overwritten(agent, tree):
    ann = agent("ann")
    ann.delete("a.py")
    (tree / "a.py").write_text("mine\n")
    refused = ann.undo("a.py")
    assert (refused.applied, refused.cause) == (False, "cannot_undo")
    assert (tree / "a.py").read_text() == "mine\n"


def test_a_moved_file_is_the_same_file_under_another_name_and_undo_moves_it_back(agent, tree):
    ann = agent("ann")
    (tree / "a.py").chmod(0o711)
    done = ann.move("a.py", "sub/b.py")
    assert (done.applied, str(done.cause), done.path) == (True, "moved", "sub/b.py")
    assert (tree / "sub/b.py").read_text() == OLD
    assert stat.S_IMODE((tree / "sub/b.py").stat().st_mode) == 0o711
    assert not (tree / "a.py").exists()
    back = ann.undo("sub/b.py")
    assert (bool(back), back.path) == (True, "a.py")
    assert (tree / "a.py").read_text() == OLD
    assert not (tree / "sub/b.py").exists()


@pytest.mark.parametrize("named", ["a.py", "b.py"])
def test_a_move_is_undone_and_done_again_by_either_name(agent, tree, named):
    ann = agent("ann")
    ann.move("a.py", "b.py")
    assert ann.undo(named)
    assert (tree / "a.py").exists()
    again = ann.undo(named)
    assert "the undo of ann#1 was undone" in again.message
    assert (tree / "b.py").read_text() == OLD


def test_a_move_is_not_undone_over_a_new_file_nor_after_an_edit(agent, tree):
    ann = agent("ann")
    ann.move("a.py", "b.py")
    (tree / "a.py").write_text("taken\n")
    for named in ("a.py", "b.py"):
        assert ann.undo(named).cause == "cannot_undo"
    assert ((tree / "a.py").read_text(), (tree / "b.py").read_text()) == ("taken\n", OLD)
    (tree / "a.py").unlink()
    ann.edit("b.py", "return 1", "return 2")
    refused = ann.undo("a.py")
    assert refused.cause == "cannot_undo"
    assert "moved to 'b.py' and edited there" in refused.message
    assert ann.undo("b.py")
    (tree / "b.py").write_text("changed outside\n")
    assert ann.undo("b.py").cause == "cannot_undo"


def test_a_move_overwrites_nothing(agent, tree):
    ann = agent("ann")
    refused = ann.move("a.py", "long.py")
    assert (str(refused.cause), bool(refused)) == ("create_conflict", False)
    assert "'long.py' already exists" in refused.message
    assert (tree / "a.py").read_text() == OLD


def test_a_name_that_is_taken_at_the_last_moment_is_not_overwritten(agent, tree, monkeypatch):
    ann = agent("ann")
    move_file = mover_module.move_file

    def taken(path: Path, new_path: Path, **named: object) -> None:
        new_path.write_text("first\n")
        move_file(path, new_path, **named)

    monkeypatch.setattr(mover_module, "move_file", taken)
    assert str(ann.move("a.py", "b.py").cause) == "create_conflict"
    assert (tree / "b.py").read_text() == "first\n"
    assert (tree / "a.py").read_text() == OLD


@pytest.mark.parametrize("held", ["a.py", "b.py", "*.py"])
def test_a_move_needs_both_names_and_leaves_neither_claimed(agent, tree, held):
    ann, bob = agent("ann"), agent("bob")
    bob.claim(held)
    refused = ann.move("a.py", "b.py")
    assert str(refused.cause) == "claimed"
    assert "bob#2" in refused.message
    assert (tree / "a.py").exists()
    bob.release(held)
    assert ann.move("a.py", "b.py")
    assert bob.claim(["a.py", "b.py"])


def test_a_file_that_somebody_holds_is_not_deleted(agent, tree):
    ann, bob = agent("ann"), agent("bob")
    bob.claim("a.py")
    assert str(ann.delete("a.py").cause) == "claimed"
    assert (tree / "a.py").exists()


def test_own_claims_stay_as_they_are(agent):
    ann, bob = agent("ann"), agent("bob")
    claimed = ann.claim("a.py")
    ann.move("a.py", "b.py")
    assert claimed.valid
    assert not bob.claim("a.py")
    assert bob.claim("b.py")


def test_another_version_than_the_expected_is_neither_moved_nor_deleted(agent, tree):
    ann = agent("ann")
    wrong, right = content_hash(b"other"), content_hash(OLD.encode())
    assert str(ann.delete("a.py", expect_hash=wrong).cause) == "stale_hash"
    assert str(ann.move("a.py", "b.py", expect_hash=wrong).cause) == "stale_hash"
    assert (tree / "a.py").exists()
    assert ann.move("a.py", "b.py", expect_hash=right)
    assert ann.delete("b.py", expect_hash=right)


def test_what_is_not_there_is_said_and_a_repeated_call_is_a_success(agent):
    ann, bob = agent("ann"), agent("bob")
    assert str(ann.delete("gone.py").cause) == "missing_file"
    assert str(ann.move("gone.py", "b.py").cause) == "missing_file"
    ann.move("a.py", "b.py")
    again = ann.move("a.py", "b.py")
    assert (str(again.cause), bool(again)) == ("already_applied", True)
    assert str(ann.move("a.py", "c.py").cause) == "missing_file"
    assert str(ann.delete("a.py").cause) == "missing_file"
    assert bob.delete("b.py")
    assert str(ann.delete("b.py").cause) == "already_applied"


def test_folders_globs_and_what_is_outside_are_refused(agent, tree, tmp_path):
    ann = agent("ann")
    (tree / "src").mkdir()
    (tmp_path / "out.py").write_text("out\n")
    (tree / "way").symlink_to(tmp_path)
    for named in ("src", "src/", "*.py", "task:x", "../out.py", "way/out.py", str(tmp_path / "out.py")):
        with pytest.raises(BadTarget):
            ann.delete(named)
        with pytest.raises(BadTarget):
            ann.move(named, "b.py")
        with pytest.raises(BadTarget):
            ann.move("a.py", named)
    assert (tmp_path / "out.py").exists()
    assert (tree / "a.py").exists()
    with pytest.raises(Misuse, match="moved to itself"):
        ann.move("a.py", "./a.py")


def test_a_symlink_is_refused_and_what_it_leads_to_stays(agent, tree):
    ann = agent("ann")
    (tree / "link.py").symlink_to("a.py")
    (tree / "broken.py").symlink_to("nowhere.py")
    for named in ("link.py", tree / "link.py", "broken.py"):
        with pytest.raises(BadTarget, match="is a symlink"):
            ann.delete(named)
    with pytest.raises(BadTarget, match="is a symlink"):
        ann.move("link.py", "b.py")
    with pytest.raises(BadTarget, match="is a symlink"):
        ann.move("a.py", "broken.py")
    assert (tree / "a.py").exists()
    assert not (tree / "nowhere.py").exists()


def test_what_was_seen_and_what_is_pending_go_along_with_a_move(agent):
    ann = agent("ann")
    ann.read("long.py")
    ann.edit("long.py", "    value_77 = value_77 * 9 - total\n", "    value_77 = 0\n")
    ann.move("long.py", "far.py")
    missed = ann.edit("far.py", "    value_99 = value_99 * 5 - total\n", "    value_99 = 0\n")
    assert str(missed.cause) == "not_shown"
    assert ann.read("far.py").view.source == "edit_fail_escalation"


def test_an_escalation_of_a_deleted_file_is_void(agent, tree):
    ann = agent("ann")
    ann.read("long.py")
    ann.edit("long.py", "    value_77 = value_77 * 9 - total\n", "    value_77 = 0\n")
    text = (tree / "long.py").read_text()
    ann.delete("long.py")
    assert ann._core.desk.book.of("long.py") is None
    ann.edit("long.py", new=text, create=True)
    assert ann.read("long.py").view.source == "map_over_400_lines"


def test_moves_and_deletions_are_counted_and_no_signal(agent):
    ann = agent("ann")
    ann.read("a.py", "signatures")
    ann.move("a.py", "b.py")
    ann.delete("b.py")
    ann.delete("b.py")
    assert outcomes(ann) == {"moved": 1, "deleted": 1, "already_applied": 1}
    assert ann.edit_quality().pairs == ()


def test_without_a_coordinator_nothing_is_moved_or_deleted(agent, transport, tree):
    ann, bob = agent("ann"), agent("bob", when_unavailable="warn")
    transport.is_down = True
    with pytest.raises(Unavailable):
        ann.delete("a.py")
    with pytest.raises(Unavailable):
        ann.move("a.py", "b.py")
    assert (tree / "a.py").exists()
    assert "without a coordinator" in bob.delete("a.py").warnings[0]


def test_a_version_that_is_too_large_to_be_kept_is_deleted_with_a_warning(agent, monkeypatch):
    ann = agent("ann")
    monkeypatch.setattr(ann._core.desk.blobs, "max_blob_bytes", 3)
    done = ann.delete("a.py")
    assert any("no undo" in warning for warning in done.warnings)
    refused = ann.undo("a.py")
    assert (refused.applied, "no longer kept" in refused.message) == (False, True)


def test_a_created_file_that_was_undone_comes_back_with_a_second_undo(agent, tree):
    ann = agent("ann")
    ann.edit("new.py", new="x = 1\n", create=True)
    assert ann.undo("new.py")
    assert not (tree / "new.py").exists()
    assert ann.undo("new.py")
    assert (tree / "new.py").read_text() == "x = 1\n"


def test_the_async_client_has_the_same(agent, tree):
    ann = AsyncCoordinator(agent("ann")._core)
    assert asyncio.run(ann.move("a.py", "b.py"))
    assert asyncio.run(ann.delete("b.py"))
    assert list(tree.glob("?.py")) == []


def test_what_is_taken_back_is_reported_and_no_signal(agent):
    ann = agent("ann")
    ann.read("a.py", "signatures")
    ann.edit("a.py", "return 1", "return 2")
    ann.undo("a.py")
    ann.undo("a.py")
    pairs = ann.edit_quality().pairs
    ann.edit("new.py", new="x = 1\n", create=True)
    ann.undo("new.py")
    assert ann.undo("never.py").cause == "cannot_undo"
    assert outcomes(ann) == {"applied": 1, "undone": 3, "create": 1}
    assert ann.edit_quality().pairs == pairs


@pytest.mark.parametrize("takes_back", [True, False])
def test_a_read_after_an_undo_says_nothing_of_the_view_before_it(agent, tree, takes_back):
    ann, bob = agent("ann"), agent("bob")
    text = (tree / "long.py").read_text()
    line = next(line for line in text.splitlines(keepends=True) if text.count(line) == 1)
    assert ann.edit("long.py", line, f"# {line}")
    assert bob.read("long.py", "map").view.mode == "map"
    if takes_back:
        assert bob.undo("long.py")
    bob.read("long.py", "full")
    assert sum(row.n_bounces for row in ann.statistics()[1].ledger) == (not takes_back)


def test_an_undone_move_takes_the_escalation_back(agent):
    ann = agent("ann")
    ann.read("long.py")
    ann.edit("long.py", "    value_77 = value_77 * 9 - total\n", "    value_77 = 0\n")
    ann.move("long.py", "longer.py")
    ann.undo("long.py")
    assert ann.read("long.py").view.source == "edit_fail_escalation"


def test_an_undone_creation_leaves_no_escalation(agent, tree):
    ann = agent("ann")
    text = (tree / "long.py").read_text()
    ann.edit("new.py", new=text, create=True)
    ann.read("new.py", "map")
    ann.edit("new.py", "    value_77 = value_77 * 9 - total\n", "    value_77 = 0\n")
    ann.undo("new.py")
    ann.edit("new.py", new=text, create=True)
    assert ann.read("new.py").view.source == "map_over_400_lines"


def test_an_undo_that_somebody_s_claim_forbids_is_reported_as_such(agent):
    ann, bob = agent("ann"), agent("bob")
    ann.edit("a.py", "return 1", "return 2")
    ann.claim("a.py")
    assert bob.undo("a.py").cause == "claimed"
    assert outcomes(bob) == {"applied": 1, "claimed": 1}
