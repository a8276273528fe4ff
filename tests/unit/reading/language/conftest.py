"""What an agent would see of a small source in one of the languages."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import pytest

from coordinator.reading.grammar import outline_of
from coordinator.reading.mode import Mode
from coordinator.reading.render import expand, render
from coordinator.reading.source import decode
from coordinator.reading.unit import LineRange, Outline, Unit


@dataclass(frozen=True)
class Looked:
    """A source and its outline."""

    path: str
    text: str

    @property
    def outline(self) -> Outline:
        return outline_of(decode(self.text.encode()), self.path)

    @property
    def names(self) -> list[str]:
        return [unit.name for unit in self.outline.units]

    @property
    def definitions(self) -> list[str]:
        return [unit.name for unit in self.outline.units if unit.is_definition]

    def unit(self, name: str) -> Unit:
        found = self.outline.find(name)
        assert found is not None, self.names
        return found

    def lines(self, lines: LineRange | None) -> str:
        assert lines is not None
        return "".join(self.text.splitlines(keepends=True)[lines[0] - 1 : lines[1]])

    def signature(self, name: str) -> str:
        return self.lines(self.unit(name).signature)

    def summary(self, name: str) -> str:
        return self.lines(self.unit(name).summary)

    def expand(self, name: str) -> str:
        """Without the line on either side of the unit."""
        view = expand(decode(self.text.encode()), name, path=self.path, why="explicit")
        said = re.search(r" is lines (\d+)-(\d+)", view.header)
        assert said is not None
        lines = view.body.splitlines(keepends=True)
        is_last = int(said[2]) == len(self.text.splitlines())
        return "".join(lines[int(said[1]) > 1 : len(lines) - (not is_last)])

    def view(self, mode: str) -> str:
        view = render(decode(self.text.encode()), Mode.parse(mode), path=self.path, why="explicit")
        return view.body.replace(f"…{view.tag}", "…TAG")


@pytest.fixture
def look() -> Callable[[str, str], Looked]:
    """`look("a.go", text)`"""
    return partial(Looked)
