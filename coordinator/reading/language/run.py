"""What stands between definitions: imports and other statements, named by their lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from coordinator.reading.block_units import cut_lines
from coordinator.reading.unit import LineRange, Unit, line_groups, unit_by_lines


def runs_between(
    definitions: Iterable[Unit],
    contents: Sequence[str],
    *,
    imports: Iterable[LineRange] = (),
    summary: LineRange | None = None,
) -> Iterator[Unit]:
    """The runs of imports and of other statements; long ones in pieces. `summary` is the file's own."""
    labels = ["run"] * len(contents)
    for lines in imports:
        _label(labels, lines, "imports")
    for unit in definitions:
        _label(labels, unit.lines, "definition")
    for label, first, last in line_groups(labels, [not content.strip() for content in contents]):
        if label == "imports":
            yield unit_by_lines("imports", first, last)
        elif label == "run":
            yield from (_run(piece, summary) for piece in cut_lines(contents, first, last))


def _run(lines: LineRange, summary: LineRange | None) -> Unit:
    first, last = lines
    inside = summary is not None and first <= summary[0] and summary[1] <= last
    return unit_by_lines("run", first, last, summary if inside else None)


def _label(labels: list[str], lines: LineRange, label: str) -> None:
    first, last = lines
    labels[first - 1 : last] = [label] * (min(last, len(labels)) - first + 1)
