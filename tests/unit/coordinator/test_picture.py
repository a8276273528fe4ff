"""Pictures are written whole or not at all, in the same bytes, and what cannot be is said before the work."""

import sys
from pathlib import Path

import pytest

from actors.runtime.errors import Misuse
from coordinator.picture import check_picture, picture

PNG = b"\x89PNG\r\n"


def draw(path: Path, *, n_colours: int | None = None) -> bytes:
    with picture(path, 2.0, 1.0, n_colours=n_colours) as figure:
        axes = figure.subplots()
        axes.plot([1, 2, 3], [3, 1, 2], label="a_$x^2$ and $ alone")
        axes.legend()
    return path.read_bytes()


def test_the_same_figure_gives_the_same_bytes(tmp_path: Path) -> None:
    png = draw(tmp_path / "one.png")
    assert png.startswith(PNG)
    assert draw(tmp_path / "two.png") == png


def test_few_colours_take_fewer_bytes(tmp_path: Path) -> None:
    few = draw(tmp_path / "few.png", n_colours=16)
    assert few.startswith(PNG)
    assert len(few) < len(draw(tmp_path / "many.png"))


def test_where_drawing_fails_nothing_is_written(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), picture(tmp_path / "a.png", 2.0, 1.0) as figure:
        figure.set_figwidth(1 / 0)
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_the_message_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(Misuse, match=r"pip install 'scentfield\[plot\]', or do without"):
        draw(tmp_path / "a.png")
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_are_refused_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match=r"is no PNG: give the picture a name that ends in \.png"):
        check_picture(tmp_path / "a.jpg")
    with pytest.raises(Misuse, match="there is no folder"):
        check_picture(tmp_path / "missing" / "a.png")
