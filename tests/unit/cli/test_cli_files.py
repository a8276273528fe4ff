"""Reading and editing from the shell."""

import json
from pathlib import Path
from typing import Any

BIG = "".join(f"def f{number}():\n" + "    calculate()\n" * 8 + f"    return {number}\n" for number in range(60))


def test_read_prints_the_view_and_hints_beside_it(scentfield: Any) -> None:
    scentfield("claim", "a.py", "--agent", "ann", "--intent", "fix f")
    result = scentfield("read", "a.py", "--agent", "bob")
    assert result.stdout.endswith("def f():\n    return 1\n")
    assert result.stderr == "[scent: claimed by ann#1 to fix f]\n"


def test_a_files_text_comes_out_as_it_is(scentfield: Any, tree: Path) -> None:
    raw = "# [red]no markup[/red] \x1b[31m caf\u00e9\r\n".encode()
    (tree / "a.py").write_bytes(raw)
    assert scentfield("read", "a.py", "--mode", "full", "--agent", "ann").stdout_bytes.endswith(raw)


def test_read_as_a_document(scentfield: Any) -> None:
    document = scentfield.json("read", "a.py", "--mode", "full", "--agent", "ann")
    assert (document["mode"], document["agent"], document["without_coordinator"]) == ("full", "ann#1", "")
    assert document["text"].endswith("def f():\n    return 1\n")


def test_an_unknown_mode_is_an_error(scentfield: Any) -> None:
    assert scentfield.json("read", "a.py", "--mode", "fulll", "--agent", "ann", expect=2)["error"]["code"] == "misuse"


def test_read_then_edit_from_the_shell_knows_what_was_shown(scentfield: Any, tree: Path) -> None:
    (tree / "a.py").write_text(BIG)
    assert scentfield.json("read", "a.py", "--agent", "ann")["mode"] == "map"
    missed = scentfield.json("edit", "a.py", "--old", "return  7", "--new", "return 8", "--agent", "ann", expect=1)
    assert missed["cause"] == "not_shown"
    unread = scentfield.json("edit", "a.py", "--old", "return  7", "--new", "return 8", "--agent", "bob", expect=1)
    assert unread["cause"] == "unread"


def test_a_marker_of_a_view_never_ends_up_in_a_file(scentfield: Any, tree: Path) -> None:
    (tree / "a.py").write_text(BIG)
    text = scentfield.json("read", "a.py", "--mode", "map", "--agent", "ann")["text"]
    marker = next(line for line in text.splitlines()[1:] if "…" in line)
    edited = scentfield.json("edit", "src/b.py", "--old", "return 2", "--new", marker, "--agent", "ann", expect=1)
    assert edited["cause"] == "marker"


def test_expand_shows_one_unit(scentfield: Any, tree: Path) -> None:
    (tree / "a.py").write_text(BIG)
    shown = scentfield("expand", "a.py", "f7", "--agent", "ann").stdout
    assert shown.endswith("    return 6\ndef f7():\n" + "    calculate()\n" * 8 + "    return 7\ndef f8():\n")


def test_edit_and_undo(scentfield: Any, tree: Path) -> None:
    edited = scentfield.json("edit", "a.py", "--old", "return 1", "--new", "return 2", "--agent", "ann")
    assert (edited["applied"], (tree / "a.py").read_text()) == (True, "def f():\n    return 2\n")
    assert scentfield("undo", "a.py", "--agent", "ann").exit_code == 0
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"


def test_an_edit_of_a_claimed_file_is_exit_code_3_and_changes_nothing(scentfield: Any, tree: Path) -> None:
    scentfield("claim", "a.py", "--agent", "ann")
    result = scentfield("edit", "a.py", "--old", "return 1", "--new", "return 2", "--agent", "bob")
    assert result.exit_code == 3
    assert "ann#1 holds a.py" in result.stdout
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"


def test_a_text_that_is_not_there_is_exit_code_1_with_the_file_as_evidence(scentfield: Any) -> None:
    scentfield("read", "a.py", "--agent", "ann")
    result = scentfield("edit", "a.py", "--old", "return 7", "--new", "return 2", "--agent", "ann")
    assert result.exit_code == 1
    assert "return 1" in result.stdout


def test_texts_from_files_and_standard_input(scentfield: Any, tree: Path) -> None:
    (tree / "old.txt").write_bytes(b"return 1\n")
    result = scentfield("edit", "a.py", "--old-file", "old.txt", "--new-file", "-", "--agent", "ann", text="return 3\n")
    assert result.exit_code == 0
    assert (tree / "a.py").read_text() == "def f():\n    return 3\n"


def test_create_writes_a_new_file_and_overwrites_none(scentfield: Any, tree: Path) -> None:
    assert scentfield("edit", "new.py", "--create", "--new", "x = 1\n", "--agent", "ann").exit_code == 0
    assert (tree / "new.py").read_text() == "x = 1\n"
    again = scentfield.json("edit", "new.py", "--create", "--new", "x = 2\n", "--agent", "ann", expect=1)
    assert again["cause"] == "create_conflict"


def test_expect_hash_guards_the_version(scentfield: Any) -> None:
    arguments = ["--old", "return 1", "--new", "return 2", "--expect-hash", "0" * 64, "--agent", "ann"]
    assert scentfield.json("edit", "a.py", *arguments, expect=1)["cause"] == "stale_hash"


def test_texts_have_to_be_given_once(scentfield: Any) -> None:
    for arguments in (
        ["--new", "x"],
        ["--old", "x"],
        ["--old", "x", "--old-file", "y", "--new", "z"],
        ["--old-file", "-", "--new-file", "-"],
        ["--old-file", "not-there.txt", "--new", "z"],
    ):
        assert scentfield("edit", "a.py", *arguments, "--agent", "ann").exit_code == 2


def test_reading_works_without_a_coordinator_and_says_so(alone: Any) -> None:
    result = alone("read", "a.py", "--agent", "ann")
    assert result.exit_code == 0
    assert "no coordinator" in result.stdout.splitlines()[0]
    assert result.stdout.endswith("def f():\n    return 1\n")
    assert result.stderr.startswith("without a coordinator: ")
    assert json.loads(alone("read", "a.py", "--json", "--agent", "ann").stdout)["without_coordinator"]


def test_editing_without_a_coordinator_is_refused_unless_told_otherwise(alone: Any, tree: Path) -> None:
    arguments = ("edit", "a.py", "--old", "return 1", "--new", "return 2", "--agent", "ann")
    assert alone(*arguments).exit_code == 4
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"
    warned = alone(*arguments, SCENTFIELD_WHEN_UNAVAILABLE="warn")
    assert warned.exit_code == 0
    assert "without a coordinator" in warned.stderr
    assert (tree / "a.py").read_text() == "def f():\n    return 2\n"


def test_a_view_that_was_read_alone_still_guards_against_its_markers(alone: Any, tree: Path) -> None:
    (tree / "a.py").write_text(BIG)
    text = alone.json("read", "a.py", "--mode", "map", "--agent", "ann")["text"]
    marker = next(line for line in text.splitlines()[1:] if "…" in line)
    alone.house.up(alone.house.settings, None)
    edited = alone.json("edit", "src/b.py", "--old", "return 2", "--new", marker, "--agent", "ann", expect=1)
    assert edited["cause"] == "marker"


def test_several_edits_come_from_a_json_document(scentfield: Any, tree: Path) -> None:
    pairs = [{"old": "def f", "new": "def g"}, {"old": "return 1", "new": "return 2"}]
    (tree / "edits.json").write_text(json.dumps(pairs))
    edited = scentfield.json("edit", "a.py", "--edits", "edits.json", "--agent", "ann")
    assert (edited["applied"], (tree / "a.py").read_text()) == (True, "def g():\n    return 2\n")
    again = scentfield("edit", "a.py", "--edits", "-", "--json", "--agent", "ann", text=json.dumps(pairs[::-1]))
    assert (again.exit_code, json.loads(again.stdout)["cause"]) == (0, "already_applied")
    pairs[1] = {"old": "return 7", "new": "return 8"}
    missed = scentfield("edit", "a.py", "--edits", "-", "--json", "--agent", "ann", text=json.dumps(pairs[1:]))
    assert (missed.exit_code, json.loads(missed.stdout)["failed_edit"]) == (1, 0)


def test_a_list_of_edits_that_is_none_is_refused(scentfield: Any, tree: Path) -> None:
    for text in ("", "{}", "[1]", '[{"old": "a"}]', '[{"old": "a", "new": "b", "all": true}]', "[" * 100_000):
        refused = scentfield("edit", "a.py", "--edits", "-", "--agent", "ann", text=text)
        assert refused.exit_code == 2, text[:40]
        assert "give" in refused.stderr
    assert scentfield("edit", "a.py", "--edits", "-", "--old", "a", "--agent", "ann", text="[]").exit_code == 2
    assert (tree / "a.py").read_text() == "def f():\n    return 1\n"


def test_move_delete_and_undo_from_the_shell(scentfield: Any, tree: Path) -> None:
    moved = scentfield.json("move", "a.py", "lib/b.py", "--agent", "ann")
    assert (moved["cause"], moved["path"]) == ("moved", "lib/b.py")
    deleted = scentfield("delete", "lib/b.py", "--agent", "ann")
    assert (deleted.exit_code, deleted.stdout) == (0, "'lib/b.py': deleted\n")
    assert scentfield("undo", "lib/b.py", "--agent", "ann").exit_code == 0
    assert (tree / "lib/b.py").read_text() == "def f():\n    return 1\n"
    assert scentfield("delete", "a.py", "--expect-hash", "0" * 64, "--agent", "ann").exit_code == 1
    scentfield("claim", "lib/b.py", "--agent", "bob")
    assert scentfield("move", "lib/b.py", "c.py", "--agent", "ann").exit_code == 3


def test_a_link_is_not_followed_to_what_is_deleted(scentfield: Any, tree: Path) -> None:
    (tree / "link.py").symlink_to("a.py")
    refused = scentfield("delete", "link.py", "--agent", "ann")
    assert (refused.exit_code, "is a symlink" in refused.stderr) == (2, True)
    assert scentfield("move", "a.py", "link.py", "--agent", "ann").exit_code == 2
    assert (tree / "a.py").exists()


def test_what_an_agent_was_shown_in_one_work_tree_is_unknown_in_another(
    scentfield: Any, tree: Path, tmp_path: Path
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.py").write_text("def f():\n    return 1\n")
    scentfield("read", "a.py", "--mode", "full", "--agent", "ann")
    there = scentfield.json(
        "edit", "a.py", "--old", "return  1", "--new", "x", "--root", str(other), "--agent", "ann", expect=1
    )
    assert there["cause"] == "unread"
    here = scentfield.json("edit", "a.py", "--old", "return  1", "--new", "x", "--agent", "ann", expect=1)
    assert here["cause"] == "never_there"


def test_a_task_is_what_later_reads_go_by(scentfield: Any, tree: Path) -> None:
    (tree / "a.py").write_text(BIG)
    assert scentfield("task", "--agent", "ann").stdout.startswith("no task")
    assert scentfield.json("task", "make f7 faster", "--agent", "ann")["reads_by"] == 'query (task) "make f7 faster"'
    asked = ("read", "a.py", "--mode", "units", "--budget", "0.25")
    text = scentfield.json(*asked, "--agent", "ann")["text"]
    assert 'query (task) "make f7 faster"' in text
    assert "return 7" in text
    assert "query" not in scentfield.json(*asked, "--agent", "bob")["text"]
    assert scentfield.json("task", "--done", "--search", "f9", "--agent", "ann")["task"] == ""
    assert 'query (search) "f9"' in scentfield.json(*asked, "--agent", "ann")["text"]


def test_a_task_and_no_task_at_once_are_misuse(scentfield: Any) -> None:
    assert scentfield.json("task", "x", "--done", "--agent", "ann", expect=2)["error"]["code"] == "misuse"


def test_a_budget_is_tokens_or_a_share(scentfield: Any, tree: Path) -> None:
    (tree / "a.py").write_text(BIG)
    for budget, most in (("700", 700), ("0.3", 1_000)):
        read = scentfield.json("read", "a.py", "--mode", "units", "--budget", budget, "--agent", "ann")
        assert 0.8 * min(most, 0.3 * read["total_tokens"]) < read["tokens"] <= most
    wrong = scentfield.json("read", "a.py", "--mode", "units", "--budget", "25%", "--agent", "ann", expect=2)
    assert "0.25" in wrong["error"]["message"]
