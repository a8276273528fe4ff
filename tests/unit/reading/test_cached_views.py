"""Views that are asked for again: the same bytes, and none that depends on more than its arguments is kept."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from coordinator.reading import render as view_module
from coordinator.reading.cut_file import MAX_KEPT_CHARACTERS, MAX_KEPT_FILES, cut_file
from coordinator.reading.line_history import Patch, line_history
from coordinator.reading.mode import Mode
from coordinator.reading.query import Query
from coordinator.reading.render import MAX_CACHED_VIEWS, render
from coordinator.reading.sieve import LineFilter
from coordinator.reading.source import decode
from coordinator.reading.unit_choice import UnitWish
from coordinator.reading.view import View

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


def units(text: str = TEXT, query: str = "weigh", **wish: object) -> View:
    asked = UnitWish(Query(query), 300, **wish)  # type: ignore[arg-type]  # named in each test
    return render(decode(text.encode()), Mode("units"), path="a.py", why="explicit", unit_wish=asked)


def vectors_by(best: str) -> Callable[[Sequence[str]], npt.NDArray[np.float32]]:
    """Stands in for a model that takes one function, and it alone, for what the query means."""
    return lambda texts: np.array([[1, 0] if n == 0 or best in text else [0, 1] for n, text in enumerate(texts)], "f4")


def test_units_are_chosen_once_for_the_same_wish() -> None:
    history = line_history([Patch("weigh", ((4, 1, 4, 1),))], TEXT.count("\n"))
    for wish in ({}, {"history": history}, {"weights": {"size": 0.5}}, {"vectors_of": vectors_by("f7(")}):
        assert units(**wish) is units(**wish)


def test_whatever_units_are_chosen_by_makes_them_anew() -> None:
    wishes: tuple[dict[str, Any], ...] = (
        {},
        {"query": "total of f31"},
        {"history": line_history([Patch("weigh", ((109, 1, 109, 1),))], TEXT.count("\n"))},
        {"weights": {"end": -9.0, "size": 0.0, "imports": 9.0, "words": -3.0}},
        {"vectors_of": vectors_by("f7(")},
        {"vectors_of": vectors_by("f8(")},
        {"text": TEXT + "x = 1\n"},
    )
    bodies = [units(**wish).body for wish in wishes for _ in range(2)]
    assert bodies[::2] == bodies[1::2]
    assert len(set(bodies)) == len(wishes)


def test_vectors_are_asked_for_each_time_and_their_loss_is_seen() -> None:
    answers = [vectors_by("f7("), lambda _: None, vectors_by("f7(")]
    first, without, again = (units(vectors_of=answer) for answer in answers)
    assert without == units()
    assert first is again
    assert first != without


def test_only_so_many_files_are_kept_in_pieces_and_no_large_one() -> None:
    first = cut_file(decode(TEXT.encode()), "a.py")
    assert cut_file(decode(TEXT.encode()), "a.py") is first
    for number in range(MAX_KEPT_FILES):
        cut_file(decode(f"{TEXT}y = {number}\n".encode()), "a.py")
    assert cut_file(decode(TEXT.encode()), "a.py") is not first
    large = decode(b"x = 1\n" * (MAX_KEPT_CHARACTERS // 6 + 1))
    assert cut_file(large, "a.txt") is not cut_file(large, "a.txt")
