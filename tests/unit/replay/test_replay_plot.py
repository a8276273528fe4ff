"""The picture of a replay."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from coordinator.replay import plot
from coordinator.replay.plot import MAX_PANELS, write_plot


def group(n_hunks: int) -> dict[str, Any]:
    score = {"token_share": 0.2, "hunk_recall": 0.5, "cost_share": 0.3, "hunks_reached": 1.0}
    return {"modes": {"full": score, "map": score}, "policy": {"edits": n_hunks}}


def document(n_extensions: int) -> dict[str, Any]:
    return {**group(9), "by_extension": {f"x{number}": group(number) for number in range(n_extensions)}}


@pytest.mark.parametrize("n_extensions", [1, 3, 20])
def test_the_same_figures_give_the_same_picture(tmp_path: Path, n_extensions: int) -> None:
    written = []
    for name in ("one.png", "two.png"):
        write_plot(document(n_extensions), tmp_path / name)
        written.append((tmp_path / name).read_bytes())
    assert written[0] == written[1]
    assert written[0].startswith(b"\x89PNG\r\n")


def test_a_picture_has_so_many_panels_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []
    draw = plot._draw
    monkeypatch.setattr(plot, "_draw", lambda axes, name, one: (drawn.append(name), draw(axes, name, one)))
    write_plot(document(20), tmp_path / "a.png")
    assert drawn == ["all files", ".x19", ".x18", ".x17", ".x16", ".x15"]
    assert len(drawn) == MAX_PANELS
