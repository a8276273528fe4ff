"""Where lines that commits changed stand now."""

from coordinator.reading.line_history import MAX_MESSAGE_CHARACTERS, Patch, line_history


def shown(patches: list[Patch], n_lines: int) -> list[tuple[str, tuple[tuple[int, int], ...]]]:
    return [(change.message, change.lines.ranges) for change in line_history(patches, n_lines).changes]


def test_a_patch_is_read_from_what_git_prints() -> None:
    text = "--- a/x\n+++ b/x\n@@ -3 +3,2 @@ def f():\n-a\n+b\n+@@ -9 +9 @@\n@@ -8,2 +9,0 @@\n-c\n-d\n"
    assert Patch.parse("  why\n", text) == Patch("why", ((3, 1, 3, 2), (8, 2, 9, 0)))


def test_older_lines_are_carried_through_what_newer_commits_did() -> None:
    newer = Patch("insert two at the top", ((0, 0, 1, 2),))
    older = Patch("change line 5", ((5, 1, 5, 1),))
    assert shown([newer, older], 10) == [("insert two at the top", ((1, 2),)), ("change line 5", ((7, 7),))]


def test_lines_that_were_replaced_since_stand_nowhere() -> None:
    newer = Patch("rewrite 4-6", ((4, 3, 4, 1),))
    older = Patch("change 5 and 9", ((5, 1, 5, 1), (9, 1, 9, 1)))
    assert shown([newer, older], 10) == [("rewrite 4-6", ((4, 4),)), ("change 5 and 9", ((7, 7),))]


def test_a_deletion_lies_between_two_lines() -> None:
    assert shown([Patch("drop three", ((4, 3, 3, 0),))], 10) == [("drop three", ((3, 4),))]
    assert shown([Patch("drop the first", ((1, 1, 0, 0),))], 10) == [("drop the first", ((1, 1),))]
    assert shown([Patch("drop the last", ((11, 1, 10, 0),))], 10) == [("drop the last", ((10, 10),))]


def test_the_commit_that_made_the_file_and_all_before_it_say_nothing() -> None:
    made = Patch("make it", ((0, 0, 1, 10),))
    assert shown([made, Patch("an earlier file of that name", ((1, 1, 1, 1),))], 10) == []


def test_a_message_is_cut() -> None:
    assert len(Patch.parse("x" * 10_000, "").message) == MAX_MESSAGE_CHARACTERS
