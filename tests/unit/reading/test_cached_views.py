"""Views that are asked for again: the same bytes, and none that depends on more than its arguments is kept."""

from collections.abc import Sequence

import pytest

from coordinator.reading import view as view_module
from coordinator.reading.mode import Mode
from coordinator.reading.sieve import LineFilter
from coordinator.reading.source import decode
from coordinator.reading.view import MAX_CACHED_VIEWS, View, render

TEXT = "".join(f"def f{n}(a, b):\n    total = a * {n} + weigh(b, 'a text that is long enough')\n\n" for n in range(40))


def shown(text: str, mode: str, path: str = "a.py", why: str = "explicit", notes: Sequence[str] = ()) -> View:
    asked = Mode.parse(mode)
    return render(decode(text.encode()), asked, path=path, why=why, notes=notes, line_filter=LineFilter())


@pytest.mark.parametrize("mode", ["full", "lines:2-9", "map", "signatures", "entropy"])
def test_what_has_not_changed_is_not_rendered_again(mode: str) -> None:
    assert shown(TEXT, mode) is shown(TEXT, mode)


@pytest.mark.parametrize("mode", ["full", "lines:2-9", "map", "signatures", "entropy"])
def test_whatever_changes_a_view_makes_it_anew(mode: str) -> None:
    before = shown(TEXT, mode)
    assert shown(TEXT + "x = 1\n", mode).content_hash != before.content_hash
    assert "small_file" in shown(TEXT, mode, why="small_file").header
    assert "noted" in shown(TEXT, mode, notes=["noted"]).header
    assert shown(TEXT, mode) == before


def test_the_path_chooses_the_grammar_also_of_a_text_that_was_seen() -> None:
    assert shown(TEXT, "map").fallback == ""
    assert "no grammar" in shown(TEXT, "map", path="a.zig").fallback


def test_a_view_by_vectors_asks_for_them_each_time() -> None:
    asked: list[int] = []

    def none_yet(texts: Sequence[str]) -> None:
        asked.append(len(texts))

    line_filter = LineFilter(vectors_of=none_yet)
    for _ in range(2):
        render(decode(TEXT.encode()), Mode("entropy"), path="a.py", why="explicit", line_filter=line_filter)
    assert len(asked) == 2


def test_only_so_many_views_are_kept() -> None:
    first = shown(TEXT, "map")
    for number in range(MAX_CACHED_VIEWS):
        shown(f"{TEXT}x = {number}\n", "map")
    again = shown(TEXT, "map")
    assert again is not first
    assert again == first
    assert view_module._plain_view.cache_info().currsize == MAX_CACHED_VIEWS
