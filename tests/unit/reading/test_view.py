"""What each mode shows, on files small enough to check by hand."""

import dataclasses

import pytest

from actors.runtime.errors import Misuse
from coordinator.reading.mode import Mode
from coordinator.reading.render import expand, render
from coordinator.reading.source import SourceText, decode
from coordinator.reading.token_count import count_tokens
from coordinator.reading.view import View

BODY = "".join(f"        total += self.weigh(sample[{n}], 'a text that is long enough')\n" for n in range(12))
PYTHON = f'''\
"""Weighs samples."""
import os
import re

TABLE = {{
    "some": "entries that are longer than a marker would be, all of them together",
    "more": "entries that are longer than a marker would be, all of them together",
}}


class Scale:
    """A scale.

    It has a history that nobody wants to read again and again, so it is left out of the map.
    """

    @classmethod
    def weigh_all(
        cls,
        samples,
    ):
        """Weigh all.

        And return what they weigh together.
        """
{BODY}        return total

    # Short enough to be shown.
    def zero(self):
        return 0


def weigh(sample):
{BODY}'''
SOURCE = decode(PYTHON.encode())


def shown(mode: str, source: SourceText = SOURCE, path: str = "scale.py") -> View:
    return render(source, Mode.parse(mode), path=path, why="explicit")


def neutral(view: View) -> str:
    """The body with the tag replaced by a word, so that a reader can compare."""
    return view.body.replace(f"…{view.tag}", "…TAG")


def test_full_is_the_file() -> None:
    view = shown("full")
    assert view.body == PYTHON
    assert view.header == f"…{view.tag} full (explicit): all {count_tokens(PYTHON)} tokens\n"
    assert view.shown.ranges == ((1, len(SOURCE.lines)),)
    assert view.fallback == ""


def test_lines_are_never_cut() -> None:
    view = shown("lines:2-8")
    assert view.body == "".join(SOURCE.lines[1:8])
    assert view.mode == "lines:2-8"
    assert view.shown.ranges == ((2, 8),)
    assert view.header.endswith(f" of {view.total_tokens} tokens; {len(SOURCE.lines)} lines in all\n")


def test_lines_past_the_end_are_misuse_that_says_how_many_there_are() -> None:
    with pytest.raises(
        Misuse, match=r"lines:2-9 reaches past the end: the file has 3 lines, the last one is lines:3-3"
    ):
        shown("lines:2-9", decode(b"a\nb\nc"))
    with pytest.raises(Misuse, match="has 0 lines"):
        shown("lines:1-1", decode(b""))


def test_a_map_has_the_names_of_all_units() -> None:
    view = shown("map")
    assert neutral(view) == "…TAG 1-57 L1-1,L2-3,L5-8,Scale,.weigh_all,.zero,weigh\n"
    assert view.shown.ranges == ()


def test_signatures_are_whole_with_decorators_and_summaries() -> None:
    assert neutral(shown("signatures")) == (
        '"""Weighs samples."""\n'
        "import os\n"
        "import re\n"
        "…TAG 4-10\n"
        "class Scale:\n"
        '    """A scale.\n'
        "…TAG 13-16\n"
        "    @classmethod\n"
        "    def weigh_all(\n"
        "        cls,\n"
        "        samples,\n"
        "    ):\n"
        '        """Weigh all.\n'
        "…TAG 23-40\n"
        "    def zero(self):\n"
        "        return 0\n"
        "\n"
        "\n"
        "def weigh(sample):\n"
        "…TAG 46-57\n"
    )


def test_a_compressed_header_explains_its_markers_and_counts_itself() -> None:
    view = shown("map")
    assert view.header == (
        f"…{view.tag} map (explicit): {view.tokens} of {view.total_tokens} tokens; "
        f'"…{view.tag} N-M NAME" = omitted: get lines:N-M or expand NAME\n'
    )
    assert view.tokens == count_tokens(view.header + view.body)


def test_shown_lines_are_those_in_the_body() -> None:
    assert shown("signatures").shown.ranges == ((1, 3), (11, 12), (17, 22), (41, 45))


def test_long_imports_become_a_marker() -> None:
    imports = "".join(f"from package.of.many.modules import something_with_a_name_{n}\n" for n in range(6))
    view = shown("signatures", decode((imports + PYTHON).encode()))
    assert neutral(view).startswith("…TAG 1-7\nimport os\n")


def test_what_costs_as_much_as_the_file_comes_whole_and_says_so() -> None:
    view = shown("map", decode(b"def f():\n    return 1\n"))
    assert view.mode == "full"
    assert view.body == "def f():\n    return 1\n"
    assert view.fallback == "map would cost as much"
    assert view.header.endswith("tokens; map would cost as much\n")


def test_compression_has_to_beat_the_file_with_its_header() -> None:
    def view_of(n_words: int) -> View:
        return shown("map", decode(f"def f():\n    return '{'word ' * n_words}'\n".encode()))

    for n_words in range(1, 80):
        view = view_of(n_words)
        if view.mode == "map":
            break
    assert (
        view.total_tokens
        <= view.tokens
        < view.total_tokens + count_tokens(f"…{view.tag} full (explicit): all 99 tokens\n")
    )
    assert view_of(n_words - 1).mode == "full"


def test_a_gap_that_starts_with_blank_lines_is_named_by_its_first_text() -> None:
    comment = "# a comment that leads g and is longer than a marker, so that it is not worth to be shown\n" * 2
    view = shown("signatures", decode(f"def f(): pass\n\n{comment}def g():\n{BODY}".encode()))
    assert neutral(view).startswith("def f(): pass\n…TAG 2-4 g\ndef g():\n")


def test_an_unsupported_language_is_said_in_the_header() -> None:
    body = "    let x = some_call(1, 2);\n" * 20
    text = "\n".join(f"fn f{n}() {{\n{body}}}\n" for n in range(3))
    view = shown("signatures", decode(text.encode()), "lib.zig")
    assert view.mode == "signatures"
    assert "no grammar for .zig: indentation blocks" in view.header
    assert view.fallback == "no grammar for .zig: indentation blocks"
    assert neutral(view).startswith("fn f0() {\n…TAG 2-23\nfn f1() {\n")


def test_an_unsupported_language_that_comes_whole_says_both() -> None:
    view = shown("signatures", decode(b"hello\n"), "a.txt")
    assert view.fallback == "signatures would cost as much; no grammar for .txt: indentation blocks"
    assert view.fallback in view.header


def test_syntax_errors_are_said_in_the_header() -> None:
    view = shown("map", decode(PYTHON.replace("def weigh(sample)", "def weigh(sample").encode()))
    assert "syntax errors" in view.header


def test_notes_are_part_of_the_header_and_of_its_one_line() -> None:
    view = render(
        SOURCE, Mode("full"), path="a.py", why="small_file", notes=["no coordinator:\nbase\u2028policy", "{tokens}"]
    )
    assert view.header.endswith("tokens; no coordinator: base policy; {tokens}\n")
    assert view.header.count("\n") == 1
    assert view.tokens == count_tokens(view.text)


def test_auto_has_to_be_resolved_before() -> None:
    with pytest.raises(Misuse, match="choose_base_mode"):
        shown("auto")


def test_a_diff_without_an_earlier_read_is_the_file_and_says_so() -> None:
    view = shown("diff")
    assert view.mode == "full"
    assert view.fallback == "no earlier read to compare with"
    assert view.fallback in view.header


def test_a_diff_of_nothing_says_unchanged() -> None:
    for source in (SOURCE, decode(b"x")):
        view = render(source, Mode("diff"), path="a.py", why="explicit", previous=source)
        assert view.mode == "diff"
        assert view.body == ""
        assert "unchanged since your last read" in view.header
        assert view.shown.ranges == ()


def test_a_diff_shows_what_changed_since_the_last_read() -> None:
    changed = decode(PYTHON.replace("return 0", "return 0.0").encode())
    view = render(changed, Mode("diff"), path="scale.py", why="explicit", previous=SOURCE)
    assert view.mode == "diff"
    assert "-        return 0\n+        return 0.0\n" in view.body
    assert view.shown.ranges == ((39, 45),)
    assert view.previous_hash == SOURCE.content_hash
    assert view.kept == ((1, 1, 41), (43, 43, 15))


def test_a_diff_that_costs_more_than_the_file_gives_way_to_it() -> None:
    view = render(decode(b"b\n" * 9), Mode("diff"), path="a.py", why="explicit", previous=decode(b"a\n" * 9))
    assert view.mode == "full"
    assert view.fallback == "diff would cost as much"


def test_expand_gives_a_unit_with_its_comment_and_the_line_on_either_side() -> None:
    view = expand(SOURCE, "Scale.zero", path="scale.py", why="explicit")
    assert view.body == "\n    # Short enough to be shown.\n    def zero(self):\n        return 0\n\n"
    assert view.shown.ranges == ((39, 43),)
    assert view.mode == "expand"
    assert "Scale.zero is lines 40-42" in view.header


def test_expand_gives_a_unit_with_its_decorators() -> None:
    assert expand(SOURCE, "Scale.weigh_all", path="scale.py", why="x").body.startswith(
        "\n    @classmethod\n    def weigh"
    )


def test_expanding_a_class_leaves_its_methods_bodies_out() -> None:
    view = expand(SOURCE, "Scale", path="scale.py", why="explicit")
    assert "It has a history" in view.body
    assert "…TAG 22-38 Scale.weigh_all\n" in neutral(view)
    assert "def zero(self):\n        return 0\n" in view.body
    assert view.shown.ranges == ((10, 21), (39, 43))


def test_a_class_whose_methods_cost_less_than_explaining_markers_is_expanded_whole() -> None:
    text = (
        "class A:\n    def f(self):\n        return self.first + self.second + self.third + self.fourth + self.fifth\n"
    )
    view = expand(decode(text.encode()), "A", path="a.py", why="explicit")
    assert view.body == text
    assert view.shown.ranges == ((1, 3),)


def test_a_run_is_expanded_by_its_lines() -> None:
    assert expand(SOURCE, "L5-8", path="scale.py", why="explicit").body == "".join(SOURCE.lines[3:9])


def test_a_line_beside_a_unit_that_is_long_is_left_out() -> None:
    long = f"X = '{'x' * 1_000}'\n"
    text = f"{long}def f():\n    return 1\n{long}\n\ndef g():\n{BODY * 9}"
    view = expand(decode(text.encode()), "f", path="a.py", why="explicit")
    assert view.body == "def f():\n    return 1\n"


def test_an_unknown_unit_is_misuse_that_lists_the_closest() -> None:
    with pytest.raises(Misuse, match=r"no unit 'zero'; the closest of its 7 units: Scale\.zero") as caught:
        expand(SOURCE, "zero", path="scale.py", why="explicit")
    assert caught.value.message.count(",") == 4  # five names


def test_a_file_without_units_is_misuse_too() -> None:
    with pytest.raises(Misuse, match="no units"):
        expand(decode(b""), "f", path="a.py", why="explicit")


def test_a_file_that_quotes_a_marker_gets_another_tag() -> None:
    quoting = dataclasses.replace(SOURCE, text=PYTHON + f"# …{shown('map').tag} 1-10\n")
    view = shown("map", quoting)
    assert len(view.tag) > 4
    assert view.tag not in quoting.text


def test_an_empty_file_is_shown_as_empty() -> None:
    for mode in ("full", "map", "signatures"):
        view = shown(mode, decode(b""))
        assert view.body == ""
        assert view.mode == "full"
        assert view.shown.ranges == ()
