from __future__ import annotations

from coordinator.editing.evidence import Evidence, evidence_for
from coordinator.editing.file_diff import short_diff
from coordinator.editing.near_miss import NearMiss
from coordinator.editing.refusal import (
    Refused,
    already_applied,
    ambiguous,
    changed,
    missing_file,
    never_there,
    not_shown,
    stale_hash,
)
from coordinator.editing.request import Seen
from coordinator.editing.undo import EditEntry
from coordinator.reading.source import SourceText, decode

SMALL = "a = 1\nb = 2\nc = 3"
LARGE = "".join(f"line {number}\n" for number in range(1, 101))


def words(text: str) -> int:
    return len(text.split())


def evidence(refused: Refused, text: str, *, max_tokens: int = 50, seen: Seen | None = None) -> Evidence:
    def list_units(_: SourceText) -> list[tuple[str, int, int]]:
        return [("Outer", 1, 90), ("Outer.inner", 40, 44), ("Outer.other", 60, 70)]

    return evidence_for(
        refused, "a.py", decode(text.encode()), seen, count_tokens=words, list_units=list_units, max_tokens=max_tokens
    )


def test_a_small_file_is_shown_whole_and_counts_as_shown() -> None:
    shown = evidence(never_there("a.py", None), SMALL)
    assert shown == Evidence("'a.py' now, lines 1-3 of 3:\na = 1\nb = 2\nc = 3\n", ((1, 3),))


def test_the_budget_is_that_of_the_callers_tokens() -> None:
    assert evidence(never_there("a.py", None), SMALL, max_tokens=9).shown == ((1, 3),)
    assert evidence(never_there("a.py", None), SMALL, max_tokens=8).shown == ()


def test_of_a_large_file_the_smallest_unit_around_the_closest_stretch_is_shown() -> None:
    shown = evidence(not_shown("a.py", NearMiss(41, 42, 0.9)), LARGE)
    assert shown.shown == ((40, 44),)
    assert shown.text.startswith("'a.py' now, lines 40-44 of 100:\nline 40\n")
    assert shown.text.endswith("line 44\nthe rest of 'a.py': read it with lines:N-M, signatures or full\n")


def test_where_the_unit_is_too_large_the_lines_around_the_stretch_are_shown() -> None:
    # 50 words are 25 lines; ten lines on each side of one are 21
    assert evidence(not_shown("a.py", NearMiss(50, 50, 0.9)), LARGE).shown == ((40, 60),)


def test_nothing_is_shown_of_lines_that_do_not_fit_at_all() -> None:
    shown = evidence(not_shown("a.py", NearMiss(1, 100, 0.9)), LARGE)
    assert shown.shown == ()
    assert "100 lines, too many to show here" in shown.text


def test_an_enormous_text_is_not_even_counted() -> None:
    def count_tokens(text: str) -> int:
        raise AssertionError(f"{len(text)} characters were counted")

    refused = never_there("a.py", None)
    big = decode(b"x" * (10 * 128 + 1))
    assert evidence_for(refused, "a.py", big, None, count_tokens=count_tokens, max_tokens=10).shown == ()


def test_the_places_of_an_ambiguous_text_are_shown_as_far_as_they_fit() -> None:
    refused = ambiguous("a.py", [10, 30, 50, 70, 90, 91], is_complete=True)
    assert evidence(refused, LARGE).shown == ((8, 12), (28, 32), (48, 52), (68, 72), (88, 92))
    assert evidence(refused, LARGE, max_tokens=20).shown == ((8, 12), (28, 32))
    assert evidence(refused, LARGE, max_tokens=9).shown == ()


def test_a_changed_text_comes_with_its_diff_and_its_author() -> None:
    before = decode(SMALL.encode())
    seen = Seen(before.content_hash, [(1, 3)], "full", before)
    author = EditEntry("a.py", "0" * 64, "1" * 64, "ada#2", 7, 0.0)
    after = decode(SMALL.replace("b = 2", "b = 4").encode())

    shown = evidence_for(changed("a.py", (), None), "a.py", after, seen, count_tokens=words, author=author)

    assert shown.text == (
        "changed by ada#2 (generation 7) at 1970-01-01 00:00:00 UTC; since you read it:\n"
        "@@ -1,3 +1,3 @@\n a = 1\n-b = 2\n+b = 4\n c = 3\n"
        "'a.py' now, lines 1-3 of 3:\na = 1\nb = 4\nc = 3\n"
    )


def test_a_change_by_nobody_of_ours_came_from_outside() -> None:
    seen = Seen("0" * 64, [(1, 3)], "full", None)
    text = evidence(changed("a.py", (), None), SMALL, seen=seen).text
    assert text.startswith("changed outside Scentfield; the version that you read is no longer kept")


def test_a_success_and_a_missing_file_have_no_evidence() -> None:
    assert evidence(already_applied("a.py", 1), SMALL) == Evidence()
    assert evidence_for(never_there("a.py", None), "a.py", None, None, count_tokens=words) == Evidence()


def test_an_empty_file_is_said_to_be_empty() -> None:
    assert evidence(stale_hash("a.py", "0" * 64, "1" * 64), "").text == "'a.py' is empty now\n"


def test_a_diff_is_numbered_as_in_the_whole_file() -> None:
    after = LARGE.replace("line 50\n", "line fifty\n")
    assert short_diff(LARGE, after) == (
        "@@ -48,5 +48,5 @@\n line 48\n line 49\n-line 50\n+line fifty\n line 51\n line 52\n"
    )


def test_a_diff_of_equal_texts_is_empty() -> None:
    assert short_diff(LARGE, LARGE) == ""


def test_a_long_diff_is_cut_and_says_so() -> None:
    diff = short_diff("a\n" * 100, "b\n" * 100, max_lines=10)
    # a header and 200 changed lines, ten of them shown
    assert diff.splitlines()[-1] == "(191 more lines of this diff)"
    assert len(diff.splitlines()) == 11


def test_very_long_lines_of_a_diff_are_cut() -> None:
    assert len(short_diff("a" * 10_000, "b" * 10_000)) < 1000


def test_a_file_that_changed_all_over_gets_the_place_instead_of_a_diff() -> None:
    before, after = "same\n" + "a\n" * 1500, "same\n" + "b\n" * 1001
    assert short_diff(before, after) == "lines 2-1501 became lines 2-1002: too much for a diff\n"


def test_a_near_miss_shows_where_the_two_texts_part() -> None:
    near = NearMiss(2, 2, 0.9, yours="b = 3", theirs="b = 2")
    assert evidence(never_there("a.py", near), SMALL).text.startswith(
        "the first difference, from line 2 on:\n  you quote 'b = 3'\n  there is  'b = 2'\n'a.py' now,"
    )


def test_an_expected_version_that_is_kept_comes_with_what_changed_since() -> None:
    before = decode(SMALL.replace("b = 2", "b = 4").encode())
    expected = Seen(before.content_hash, source=before)
    text = evidence(stale_hash("a.py", before.content_hash, "1" * 64), SMALL, seen=expected).text
    assert text.startswith("changed outside Scentfield; since the version that you expect:\n@@ -1,3 +1,3 @@\n")
    assert "-b = 4\n+b = 2\n" in text


def test_a_file_that_is_not_there_comes_with_who_took_it_away_and_where_to() -> None:
    refused = missing_file("a.py")
    deleted = EditEntry("a.py", "0" * 64, None, "ada#2", 7, 0.0)
    moved = EditEntry("b.py", None, "0" * 64, "ada#2", None, 0.0, from_path="a.py")

    def told(author: EditEntry | None) -> str:
        return evidence_for(refused, "a.py", None, None, count_tokens=words, author=author).text

    assert told(deleted) == "'a.py' was deleted by ada#2 (generation 7) at 1970-01-01 00:00:00 UTC\n"
    assert told(moved) == "'a.py' was moved to 'b.py' by ada#2 at 1970-01-01 00:00:00 UTC\n"
    assert told(None) == ""
