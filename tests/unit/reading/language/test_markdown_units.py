"""Sections of Markdown."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

SOURCE = """\
---
title: Scale
---
Intro.

# The *scale*, and `weigh`

Text.

## Install

```sh
# no heading
```

### On Linux

Text.

## Install

Setext
======

Text.

Second level
------------

More text of the second level.

"""


def test_sections_nest_by_the_level_of_their_headings(look: Look) -> None:
    md = look("README.md", SOURCE)
    assert [(unit.name, unit.lines) for unit in md.outline.units] == [
        ("L1-4", (1, 4)),
        ("The-scale-and-weigh", (6, 20)),
        ("Install", (10, 18)),
        ("On-Linux", (16, 18)),
        ("Install#2", (20, 20)),
        ("Setext", (22, 30)),
        ("Second-level", (27, 30)),
    ]
    assert {unit.kind for unit in md.outline.units if unit.is_definition} == {"section"}


def test_a_heading_is_the_signature(look: Look) -> None:
    md = look("README.md", SOURCE)
    assert md.signature("Install") == "## Install\n"
    assert md.signature("Setext") == "Setext\n======\n"


def test_expand_takes_a_heading_as_it_reads(look: Look) -> None:
    md = look("README.md", SOURCE)
    assert md.expand("Second level") == "Second level\n------------\n\nMore text of the second level.\n"


def test_expanding_a_section_leaves_out_what_its_subsections_say(look: Look) -> None:
    long = "A sentence that is long enough to be left out of the view of another section.\n" * 9
    md = look("a.md", f"# Top\n\nAbout it.\n\n## Sub\n\n{long}")
    assert md.expand("Top") == "# Top\n\nAbout it.\n\n## Sub\n…" + md.expand("Top").partition("…")[2]
    assert " 6-15 Sub\n" in md.expand("Top")


def test_headings_that_say_nothing_or_look_like_lines_have_names_all_the_same(look: Look) -> None:
    assert look("a.md", "#\n\ntext\n\n# **\n\n# L1-3\n").definitions == ["heading", "heading#2", "L1-3#2"]


def test_a_heading_cannot_be_taken_for_how_many_more_units_a_marker_stands_for(look: Look) -> None:
    assert look("a.md", "# +1\n\ntext\n\n## +2\n\n# 3+\n").definitions == ["+1#2", "+2#2", "3+"]


def test_a_map_is_the_table_of_contents(look: Look) -> None:
    text = "A sentence that is long enough to be left out of the view of another section.\n" * 9
    source = f"# One\n\n{text}\n## Two, too\n\n{text}"
    assert look("a.md", source).view("map") == "…TAG 1-23 One,Two-too\n"
