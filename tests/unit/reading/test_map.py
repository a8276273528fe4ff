"""Which definitions a map lists, and how its markers name the others."""

import pytest

from actors.runtime.errors import Misuse
from coordinator.reading.layout import MAX_MAP_SHARE, MIN_MAP_CHARACTERS
from coordinator.reading.mode import Mode
from coordinator.reading.render import expand, render
from coordinator.reading.source import SourceText, decode
from coordinator.reading.token_count import count_tokens
from coordinator.reading.view import View


def method(name: str, n_lines: int) -> str:
    return (
        f"    def {name}(self):\n"
        + "        self.total += self.weigh(self.sample, 'a text that is long enough')\n" * n_lines
    )


def source_of(*methods: str, class_name: str = "Scale") -> SourceText:
    return decode((f"class {class_name}:\n" + "".join(methods)).encode())


def shown(source: SourceText, path: str = "a.py") -> View:
    return render(source, Mode("map"), path=path, why="explicit")


SMALL = [method(f"small_{n}", 2) for n in range(60)]
BIG = [method("big", 60), method("bigger", 70)]


def test_every_definition_is_listed_where_they_are_few() -> None:
    view = shown(source_of(*SMALL[:10]))
    assert view.body.count("def small_") == 10


def test_the_largest_are_listed_where_they_are_many() -> None:
    view = shown(source_of(*SMALL[:30], *BIG, *SMALL[30:]))
    assert "def big(" in view.body
    assert "def bigger(" in view.body
    assert "class Scale:" in view.body
    assert 0 < view.body.count("def small_") < 60


def test_a_map_costs_about_its_share_of_the_file() -> None:
    source = source_of(*SMALL, *SMALL, *BIG)
    assert len(source.text) * MAX_MAP_SHARE > MIN_MAP_CHARACTERS
    view = shown(source)
    assert view.tokens < (MAX_MAP_SHARE + 0.1) * count_tokens(source.text)


def test_a_marker_names_what_it_stands_for_and_counts_the_rest() -> None:
    view = shown(source_of(*BIG, *SMALL, *SMALL))
    marker = max((line for line in view.body.splitlines() if ",+" in line), key=lambda line: int(line.split("+")[1]))
    first, *others, rest = marker.split(" ", 2)[2].split(",")
    assert first.startswith("Scale.")
    assert all(other.startswith(".small_") for other in others)
    assert int(rest) > 10


def test_a_name_with_the_same_things_around_it_is_shortened_and_can_be_expanded() -> None:
    source = source_of(method("a", 2), method("b", 3))
    whole = expand(source, "Scale.b", path="a.py", why="explicit")
    assert expand(source, ".b", path="a.py", why="explicit") == whole


def test_a_shortened_name_that_several_units_end_with_is_refused() -> None:
    text = "class A:\n    def f(self): pass\nclass B:\n    def f(self): pass\n"
    with pytest.raises(Misuse, match=r"no unit '\.f'; the closest.*: A\.f, B\.f"):
        expand(decode(text.encode()), ".f", path="a.py", why="explicit")


def test_a_map_has_no_line_of_a_minified_part() -> None:
    text = "def f(): return '" + "x" * 1_200 + "'\n" + method("g", 30).replace("    def", "def", 1)
    view = shown(decode(text.encode()))
    assert "xxx" not in view.body
    assert "def g(" in view.body
