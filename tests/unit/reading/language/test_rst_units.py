"""Sections, descriptions and terms of reStructuredText."""

from collections.abc import Callable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from coordinator.reading.language.rst import rst_outline

Look = Callable[[str, str], Any]

SOURCE = """\
.. _here:

=========
The *Lib*
=========

Intro.

First part
==========

Text::

   Not a title
   ===========

Deeper :func:`here`
-------------------

====  ====
a     b
====  ====

.. function:: weigh(text, *, n=1) -> int
              weigh(more)

   Says how much.

   .. versionadded:: 3.1

Second part
===========
Last.
"""

GLOSSARY = """\
Glossary
========

.. glossary::
   :sorted:

   abstract
      No thing.

      More.

   ``bare``
   bald
      Without.

After.
"""


def test_sections_nest_by_where_their_adornment_was_first_seen(look: Look) -> None:
    rst = look("a.rst", SOURCE)
    assert [(unit.name, unit.lines) for unit in rst.outline.units if unit.is_definition] == [
        ("The-Lib", (3, 33)),
        ("First-part", (9, 29)),
        ("Deeper-here", (17, 29)),
        ("weigh", (24, 29)),
        ("Second-part", (31, 33)),
    ]


def test_the_title_with_its_lines_is_the_signature(look: Look) -> None:
    rst = look("a.rst", SOURCE)
    assert rst.signature("The-Lib") == "=========\nThe *Lib*\n=========\n"
    assert rst.signature("Second-part") == "Second part\n===========\n"
    assert rst.signature("weigh") == ".. function:: weigh(text, *, n=1) -> int\n"


def test_each_term_of_a_glossary_is_a_unit(look: Look) -> None:
    rst = look("glossary.rst", GLOSSARY)
    found = [(unit.name, unit.lines) for unit in rst.outline.units if unit.is_definition]
    assert found == [("Glossary", (1, 16)), ("abstract", (7, 10)), ("bare", (12, 12)), ("bald", (13, 14))]


def test_a_section_is_given_whole(look: Look) -> None:
    assert look("a.rst", SOURCE).expand("Second part") == "Second part\n===========\nLast.\n"


def test_an_underline_that_is_too_short_or_under_nothing_makes_no_title() -> None:
    assert rst_outline(["A title of some length\n", "=====\n", "\n", "=====\n", "\n"]) is None


def test_a_rule_between_paragraphs_is_no_title() -> None:
    assert rst_outline(["Text.\n", "\n", "------\n", "\n", "Text.\n"]) is None


def test_text_without_titles_comes_in_blocks(look: Look) -> None:
    assert look("a.rst", "Text.\n").outline.fallback == "not parsable as reStructuredText: indentation blocks"


@given(st.lists(st.sampled_from(["====\n", "----\n", "ab\n", "\n", "   x\n", ".. glossary::\n", ".. option:: -x\n"])))
def test_units_lie_within_the_file_and_one_holds_another_or_does_not_touch_it(lines: list[str]) -> None:
    outline = rst_outline(lines)
    units = outline.units if outline else ()
    assert all(1 <= unit.lines[0] <= unit.signature[1] <= unit.lines[1] <= len(lines) for unit in units)
    for one in units:
        for other in units:
            (first, last), (start, end) = one.lines, other.lines
            assert last < start or end < first or (first <= start and end <= last) or (start <= first and last <= end)
