"""What one agent was shown is remembered within bounds."""

import json

from coordinator.reading.mode import Mode
from coordinator.reading.render import expand, render
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import SourceText, decode
from coordinator.reading.view import View
from coordinator.reading.view_book import MAX_ARMS, MAX_PATHS, MAX_TAGS, MAX_TAGS_PER_PATH, SeenFile, ViewBook

FUNCTION = "def f{}():\n" + "    some_statement(that, costs, more, than, the, marker)\n" * 6
OLD = decode("".join(FUNCTION.format(n) for n in range(6)).encode())  # six functions of seven lines
NEW = decode(OLD.text.replace("def f5", "def g5").encode())


def read(source: SourceText, mode: str, previous: SourceText | None = None) -> View:
    return render(source, Mode.parse(mode), path="a.py", why="explicit", previous=previous)


def plain_view(tag: str, content_hash: str = "h") -> View:
    return View("", "", "full", "explicit", 0, 0, content_hash, ShownLines(), tag)


def seen(book: ViewBook, path: str = "a.py") -> SeenFile:
    found = book.of(path)
    assert found is not None
    return found


def test_an_unread_file_is_unknown() -> None:
    assert ViewBook().of("a.py") is None
    assert ViewBook().issued_tags("a.py") == ()


def test_a_view_of_signatures_is_the_last_whole_file_mode_and_shows_its_lines() -> None:
    book = ViewBook()
    book.record("a.py", read(OLD, "signatures"))
    assert seen(book).last_mode == "signatures"
    assert seen(book).content_hash == OLD.content_hash
    assert seen(book).shown.ranges == ((1, 1), (8, 8), (15, 15), (22, 22), (29, 29), (36, 36))


def test_lines_and_expand_add_to_what_was_shown_and_keep_the_mode() -> None:
    book = ViewBook()
    book.record("a.py", read(OLD, "map"))
    book.record("a.py", read(OLD, "lines:2-4"))
    book.record("a.py", expand(OLD, "f1", path="a.py", why="explicit"))
    assert seen(book).last_mode == "map"
    assert seen(book).shown.ranges == ((2, 4), (7, 15))


def test_lines_alone_are_no_whole_file_view() -> None:
    book = ViewBook()
    book.record("a.py", read(OLD, "lines:2-4"))
    assert seen(book).last_mode == ""


def test_other_content_starts_anew() -> None:
    book = ViewBook()
    book.record("a.py", read(OLD, "full"))
    book.record("a.py", read(NEW, "lines:1-2"))
    assert seen(book).content_hash == NEW.content_hash
    assert seen(book).shown.ranges == ((1, 2),)
    assert seen(book).last_mode == "full"


def test_a_diff_carries_what_was_shown_to_the_new_content() -> None:
    book = ViewBook()
    book.record("a.py", read(OLD, "full"))
    book.record("a.py", read(NEW, "diff", previous=OLD))
    assert seen(book).last_mode == "diff"
    assert seen(book).shown.ranges == ((1, 42),)


def test_a_diff_against_something_else_carries_nothing() -> None:
    book = ViewBook()
    book.record("a.py", read(decode(b"other"), "full"))
    book.record("a.py", read(NEW, "diff", previous=OLD))
    assert seen(book).shown.ranges == ((33, 39),)


def test_an_empty_diff_is_no_whole_file_view_and_keeps_what_was_shown() -> None:
    book = ViewBook()
    book.record("a.py", read(OLD, "map"))
    before = seen(book)
    book.record("a.py", read(OLD, "diff", previous=OLD))
    assert seen(book) == before


def test_lines_seen_in_an_answer_count_for_that_content_only() -> None:
    book = ViewBook()
    book.record("a.py", read(OLD, "map"))
    book.mark_shown("a.py", OLD.content_hash, ShownLines.of([(2, 3)]))
    assert seen(book).shown.ranges == ((2, 3),)
    book.mark_shown("a.py", NEW.content_hash, ShownLines.of([(5, 6)]))
    assert seen(book).shown.ranges == ((5, 6),)
    assert seen(book).content_hash == NEW.content_hash
    assert seen(book).last_mode == "map"


def test_lines_seen_of_an_unread_file_are_kept_without_a_mode() -> None:
    book = ViewBook()
    book.mark_shown("b.py", "h", ShownLines.of([(5, 6)]))
    assert seen(book, "b.py") == SeenFile("h", "", ShownLines.of([(5, 6)]), ())


def test_a_forgotten_file_keeps_its_tags_in_the_book() -> None:
    book = ViewBook()
    book.record("a.py", plain_view("beef"))
    book.forget("a.py")
    book.forget("never read")
    assert book.of("a.py") is None
    assert book.all_tags == ("beef",)


def test_the_path_recorded_longest_ago_goes_first() -> None:
    book = ViewBook()
    for number in range(MAX_PATHS):
        book.record(f"{number}.py", plain_view("beef"))
    book.record("0.py", plain_view("beef"))
    book.record("one more.py", plain_view("beef"))
    assert book.of("1.py") is None
    assert book.of("0.py") is not None
    assert len(book.to_plain()["files"]) == MAX_PATHS


def test_a_path_keeps_its_last_tags() -> None:
    book = ViewBook()
    for number in range(MAX_TAGS_PER_PATH + 1):
        book.record("a.py", plain_view(f"{number:04x}"))
    book.record("a.py", plain_view("0005"))
    assert len(book.issued_tags("a.py")) == MAX_TAGS_PER_PATH
    assert book.issued_tags("a.py")[0] == "0001"
    assert book.issued_tags("a.py")[-1] == "0005"


def test_the_book_keeps_its_last_tags() -> None:
    book = ViewBook()
    for number in range(MAX_TAGS + 1):
        book.record("a.py", plain_view(f"{number:04x}"))
    book.record("a.py", plain_view("0001"))
    assert len(book.all_tags) == MAX_TAGS
    assert book.all_tags[0] == "0002"
    assert book.all_tags[-1] == "0001"


def test_a_book_survives_json_in_the_same_order() -> None:
    book = ViewBook()
    book.record("b.py", read(OLD, "map"))
    book.record("a.py", read(NEW, "full"))
    book.forget("nothing")
    plain = json.loads(json.dumps(book.to_plain()))
    assert ViewBook.from_plain(plain).to_plain() == book.to_plain()
    assert [row[0] for row in plain["files"]] == ["b.py", "a.py"]


def test_a_book_from_elsewhere_is_cut_to_the_bounds() -> None:
    row = ["h", "full", [[1, 2]], ["beef"] * 100, ["expected_cost"] * 100, "h"]
    files = [[f"{number}.py", *row] for number in range(MAX_PATHS + 5)]
    book = ViewBook.from_plain({"files": files, "tags": [f"{number:04x}" for number in range(MAX_TAGS + 5)]})
    assert len(book.to_plain()["files"]) == MAX_PATHS
    assert len(book.all_tags) == MAX_TAGS
    assert len(book.issued_tags(f"{MAX_PATHS}.py")) == MAX_TAGS_PER_PATH
    last = book.of(f"{MAX_PATHS}.py")
    assert last is not None
    assert len(last.arms) == MAX_ARMS
