"""How files are cut for retrieval."""

from itertools import pairwise

import pytest

from coordinator.reading.source import decode
from coordinator.retrieval.section import MAX_TEXT_CHARACTERS, Section, is_headed, sections_of

MARKDOWN = """\
# Guide

Intro.

## Install

### On *Linux*

Run make.

### Elsewhere

Ask.
"""
PYTHON = '''\
"""Module."""
import os


class Parser:
    """Parses."""

    def next(self):
        return 1


def free():
    return 2
'''
RST = """\
Why is it slow?
===============

Because.

.. function:: weigh(text, *, n)

   Weighs.
"""
HTML = """\
<html><body>
<h2>What is it&#63;</h2>
<p>An <b>answer</b> &amp; more.</p>
<script>
var hidden = 1;
</script>
</body></html>
"""


def cut(path: str, text: str) -> list[Section]:
    return sections_of(decode(text.encode()), path)


def test_markdown_is_cut_by_heading_and_a_bare_heading_is_only_said_above() -> None:
    found = [(one.title, one.above, one.first_line, one.last_line) for one in cut("a.md", MARKDOWN)]
    assert found == [
        ("Guide", (), 1, 3),
        ("On Linux", ("Guide", "Install"), 7, 9),
        ("Elsewhere", ("Guide", "Install"), 11, 13),
    ]


def test_code_is_cut_by_definition() -> None:
    found = [(one.title, one.first_line, one.last_line) for one in cut("a.py", PYTHON)]
    assert found == [("", 1, 1), ("", 2, 2), ("Parser", 5, 6), ("Parser.next", 8, 9), ("free", 12, 13)]


@pytest.mark.parametrize("name", ["a.rst", "a.txt"])
def test_restructured_text_is_cut_by_title_and_by_what_is_described(name: str) -> None:
    found = [(one.title, one.above) for one in cut(name, RST)]
    assert found == [("Why is it slow?", ()), ("weigh", ("Why is it slow?",))]


def test_plain_text_without_titles_comes_in_blocks() -> None:
    assert [(one.title, one.first_line, one.last_line) for one in cut("a.txt", "one\n\ntwo\n")] == [
        ("", 1, 1),
        ("", 3, 3),
    ]


def test_html_is_found_by_what_it_says_and_not_by_its_tags() -> None:
    found = cut("a.html", HTML)
    heading = next(one for one in found if one.title == "What is it?")
    assert " ".join(heading.text.split()) == "What is it? An answer & more."
    assert not any("hidden" in one.text for one in found)


def test_a_long_section_comes_in_several_under_one_title() -> None:
    lines = "".join(f"line {number}.\n\n" for number in range(100))
    found = cut("a.md", f"# Long\n\n{lines}")
    assert {one.title for one in found} == {"Long"}
    assert len(found) > 2
    assert all(one.last_line - one.first_line < 60 for one in found)


def test_sections_do_not_overlap_and_are_in_order() -> None:
    for path, text in (("a.md", MARKDOWN), ("a.py", PYTHON), ("a.rst", RST), ("a.html", HTML)):
        spans = [(one.first_line, one.last_line) for one in cut(path, text)]
        assert spans == sorted(spans)
        assert all(one[1] < other[0] for one, other in pairwise(spans))


def test_a_section_is_found_by_no_more_than_so_many_characters() -> None:
    (only,) = cut("a.md", "word " * MAX_TEXT_CHARACTERS)
    assert len(only.text) == MAX_TEXT_CHARACTERS


@pytest.mark.parametrize("text", ["", "\n\n", "----\n", "# \n"])
def test_what_says_nothing_is_no_section(text: str) -> None:
    assert cut("a.md", text) == []


def test_minified_files_are_left_out() -> None:
    assert cut("a.js", "var a=1;" * 400) == []


def test_prose_is_told_from_code() -> None:
    assert [is_headed(name) for name in ("a.md", "a.rst", "a.HTML", "a.txt", "a.py", "Makefile")] == [
        True, True, True, True, False, False,
    ]  # fmt: skip
