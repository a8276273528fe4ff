from __future__ import annotations

import json
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import coordinator
from coordinator.editing.file_error import UnusableFile
from coordinator.editing.undo import CannotUndo, EditEntry, EditLog, Undo

A, B, C, D = ("a" * 64, "b" * 64, "c" * 64, "d" * 64)
ROOT = Path(coordinator.__file__).parents[1]


def test_an_edit_is_found_by_its_path(tmp_path: Path) -> None:
    log = EditLog(tmp_path / "log")
    log.append(EditEntry("x.py", A, B, "ada#1", 7, 10.5))
    log.append(EditEntry("y.py", A, C, "bob#1", None, 11.5))

    assert log.last("x.py") == EditEntry("x.py", A, B, "ada#1", 7, 10.5)
    assert log.last("y.py") == EditEntry("y.py", A, C, "bob#1", None, 11.5)
    assert log.last("z.py") is None
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o700


def test_a_log_that_does_not_exist_is_empty(tmp_path: Path) -> None:
    assert EditLog(tmp_path / "log").last("x.py") is None
    assert not (tmp_path / "log").exists()


def test_paths_of_any_spelling_are_told_apart(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    paths = ['a"b.py', "a\nb.py", "ä.py", "\udcff.py", "b.py"]
    for number, path in enumerate(paths):
        log.append(EditEntry(path, A, B, "ada#1", number, 0.0))
    assert [getattr(log.last(path), "generation", None) for path in paths] == [0, 1, 2, 3, 4]


def test_who_made_a_version_is_known_until_it_is_forgotten(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))
    log.append(EditEntry("x.py", B, C, "bob#1", 2, 2.0))
    log.append(EditEntry("x.py", C, B, "cat#1", 3, 3.0))

    assert getattr(log.who_made("x.py", C), "agent_id", None) == "bob#1"
    assert getattr(log.who_made("x.py", B), "agent_id", None) == "cat#1"
    assert log.who_made("x.py", D) is None


def test_the_last_edit_can_be_undone_and_the_undo_too(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))
    plan = log.plan_undo("x.py", B)
    assert isinstance(plan, Undo)
    assert plan.before_hash == A

    log.append(EditEntry("x.py", B, A, "ada#1", 1, 2.0))
    redo = log.plan_undo("x.py", A)
    assert isinstance(redo, Undo)
    assert redo.before_hash == B


def test_undoing_a_creation_means_removing_the_file(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", None, B, "ada#1", 1, 1.0))
    assert log.plan_undo("x.py", B) == Undo(None, EditEntry("x.py", None, B, "ada#1", 1, 1.0))


def test_a_file_that_changed_outside_since_is_not_undone(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))
    plan = log.plan_undo("x.py", D)
    assert isinstance(plan, CannotUndo)
    assert plan.by is None
    assert "since the edit by ada#1 (generation 1), outside Scentfield" in plan.message


def test_an_edit_that_somebody_built_upon_is_not_undone_and_that_one_is_named(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))
    log.append(EditEntry("x.py", B, C, "bob#1", 2, 2.0))

    plan = log.plan_undo("x.py", C, agent_id="ada#1")

    assert isinstance(plan, CannotUndo)
    assert plan.by is not None
    assert plan.by.agent_id == "bob#1"
    assert "by bob#1 (generation 2)" in plan.message


def test_an_edit_is_undone_once_the_later_one_was_taken_back(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))
    log.append(EditEntry("x.py", B, C, "bob#1", 2, 2.0))
    log.append(EditEntry("x.py", C, B, "bob#1", 2, 3.0))
    assert isinstance(log.plan_undo("x.py", B, agent_id="ada#1"), Undo)


def test_nothing_on_record_is_nothing_to_undo(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))
    for plan in (log.plan_undo("y.py", A), log.plan_undo("x.py", B, agent_id="bob#1")):
        assert isinstance(plan, CannotUndo)
        assert "nothing to undo" in plan.message


def test_a_torn_last_line_does_not_count_and_is_cut_by_the_next_edit(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))
    file = tmp_path / "edits.jsonl"
    whole = file.read_bytes()
    for n_bytes in (1, 20, len(whole) - 1):
        file.write_bytes(whole + whole[:n_bytes])
        assert log.last("x.py") == EditEntry("x.py", A, B, "ada#1", 1, 1.0)
    log.append(EditEntry("y.py", A, C, "bob#1", 2, 2.0))

    assert [json.loads(line)["path"] for line in file.read_bytes().splitlines()] == ["x.py", "y.py"]


def test_a_log_that_is_one_torn_line_begins_anew(tmp_path: Path) -> None:
    (tmp_path / "edits.jsonl").write_bytes(b"{" + b"x" * 10_000)
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))
    assert (tmp_path / "edits.jsonl").read_bytes().count(b"\n") == 1
    assert log.last("x.py") is not None


def test_damaged_lines_are_skipped_and_counted(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))
    with (tmp_path / "edits.jsonl").open("ab") as file:
        file.write(b'{"path": "x.py", "before\n["x.py"]\n{"path": "x.py"}\n')
    log.append(EditEntry("y.py", A, B, "ada#1", 1, 1.0))

    assert log.last("x.py") == EditEntry("x.py", A, B, "ada#1", 1, 1.0)
    assert log.n_unreadable() == 3


def test_the_log_is_cut_to_its_newest_entries_when_it_is_twice_as_long(tmp_path: Path) -> None:
    log = EditLog(tmp_path, max_entries=5)
    for number in range(9):
        log.append(EditEntry(f"{number}.py", A, B, "ada#1", number, 0.0))
    assert log.last("0.py") is not None
    log.append(EditEntry("9.py", A, B, "ada#1", 9, 0.0))

    assert [log.last(f"{number}.py") is not None for number in range(10)] == [False] * 5 + [True] * 5
    assert sorted(path.name for path in tmp_path.iterdir()) == ["edits.jsonl", "edits.lock"]


def test_an_edit_that_cannot_be_written_leaves_no_half_line(tmp_path: Path) -> None:
    code = """
import resource, sys
from pathlib import Path
from coordinator.editing.undo import EditEntry, EditLog
from coordinator.editing.file_error import DiskFull
log = EditLog(Path(sys.argv[1]))
log.append(EditEntry("x.py", "a" * 64, "b" * 64, "ada#1", 1, 1.0))
size = (Path(sys.argv[1]) / "edits.jsonl").stat().st_size
resource.setrlimit(resource.RLIMIT_FSIZE, (size + 50, resource.RLIM_INFINITY))
try:
    log.append(EditEntry("y.py", "a" * 64, "b" * 64, "ada#1", 1, 1.0))
except DiskFull:
    print("full")
"""
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout == "full\n"
    assert len((tmp_path / "edits.jsonl").read_bytes().splitlines()) == 1
    assert (tmp_path / "edits.jsonl").read_bytes().endswith(b"\n")


def test_many_processes_append_without_losing_an_edit(tmp_path: Path) -> None:
    code = """
import sys
from pathlib import Path
from coordinator.editing.undo import EditEntry, EditLog
log = EditLog(Path(sys.argv[1]), max_entries=300)
for number in range(100):
    log.append(EditEntry(f"{sys.argv[2]}-{number}.py", "a" * 64, "b" * 64, "ada#1", number, 0.0))
"""
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(number)], cwd=ROOT) for number in range(4)
    ]
    assert [process.wait(timeout=60) for process in processes] == [0, 0, 0, 0]

    log = EditLog(tmp_path)
    assert log.n_unreadable() == 0
    assert len((tmp_path / "edits.jsonl").read_bytes().splitlines()) == 400  # under twice 300: not cut yet
    assert all(log.last(f"{worker}-{number}.py") for worker in range(4) for number in (0, 50, 99))


def test_a_log_folder_that_is_a_file_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"")
    with pytest.raises(UnusableFile):
        EditLog(tmp_path / "log").append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))


def test_a_move_is_found_by_both_names(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))
    moved = EditEntry("y.py", None, B, "bob#1", 2, 2.0, from_path="x.py")
    log.append(moved)

    assert log.last("x.py") == log.last("y.py") == moved
    assert log.who_made("y.py", B) == moved
    assert getattr(log.who_made("x.py", B), "agent_id", None) == "ada#1"
    assert log.plan_undo("x.py", None) == Undo(B, moved)
    assert log.plan_undo("y.py", B) == Undo(None, moved)
    assert isinstance(log.plan_undo("x.py", B), CannotUndo)
    assert isinstance(log.plan_undo("y.py", None), CannotUndo)


def test_a_deletion_can_be_undone_and_the_undo_too(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    deleted = EditEntry("x.py", A, None, "ada#1", 1, 1.0, file_mode=0o755)
    log.append(deleted)
    assert log.plan_undo("x.py", None) == Undo(A, deleted)
    assert not log.was_undo(deleted)

    restored = EditEntry("x.py", None, A, "ada#1", 1, 2.0)
    log.append(restored)
    assert log.was_undo(restored)
    assert log.plan_undo("x.py", A) == Undo(None, restored)


def test_a_move_back_is_an_undo_and_a_move_on_is_not(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    there = EditEntry("y.py", None, A, "ada#1", 1, 1.0, from_path="x.py")
    on = EditEntry("z.py", None, A, "ada#1", 1, 2.0, from_path="y.py")
    back = EditEntry("y.py", None, A, "ada#1", 1, 3.0, from_path="z.py")
    for entry in (there, on, back):
        log.append(entry)
        assert log.was_undo(entry) == (entry is back)


def test_lines_of_before_files_could_be_moved_are_read(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    log.append(EditEntry("x.py", A, B, "ada#1", 1, 1.0))
    file = tmp_path / "edits.jsonl"
    old = {key: value for key, value in json.loads(file.read_text()).items() if key not in ("file_mode", "from_path")}
    file.write_text(json.dumps(old) + "\n")
    assert log.last("x.py") == EditEntry("x.py", A, B, "ada#1", 1, 1.0)


def test_the_edits_since_a_version_end_with_the_one_that_began_with_it(tmp_path: Path) -> None:
    log = EditLog(tmp_path)
    first, second = EditEntry("x.py", A, B, "ada#1", 1, 1.0), EditEntry("x.py", C, D, "bob#1", 2, 2.0)
    log.append(first)
    log.append(second)
    assert log.since("x.py", D) == []
    assert log.since("x.py", C) == [second]
    assert log.since("x.py", B) == [second]  # something outside made C of B
    assert log.since("x.py", A) == [second, first]
    assert log.since("x.py", "e" * 64) == []
