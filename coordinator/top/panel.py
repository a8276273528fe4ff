"""One panel of the screen: a table that keeps its place while its rows change, or lines of text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import DataTable, Static

from coordinator.top.table import Table, cell

STYLES: Final = {"STUCK": "bold red", "AVOID": "bold magenta", "HOT": "yellow", "DONE": "green"}
"""The kinds of signals, which are also told apart by their names."""


class TablePanel(Vertical):
    """A table under a title. `show` replaces its rows: the cursor stays on its row as long as that is there."""

    ALLOW_MAXIMIZE = True

    def __init__(self, title: str, name: str) -> None:
        super().__init__(id=name, classes="panel")
        self.heading = title
        self.border_title = title
        self._table: DataTable[Text] = DataTable(cursor_type="row", zebra_stripes=True, id=f"{name}-table")
        self._columns: tuple[str, ...] = ()
        self._shown: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def compose(self) -> ComposeResult:
        """The table."""
        yield self._table

    @property
    def table(self) -> DataTable[Text]:
        """What shows the rows."""
        return self._table

    def show(self, table: Table, sought: str = "") -> None:
        """Show the rows that hold the text that is sought, or all."""
        rows = tuple(row for row in table.rows if _holds(row[1], sought))
        hidden = len(table.rows) - len(rows)
        notes = [f"{table.n_more} more" if table.n_more else "", f"{hidden} do not match" if hidden else ""]
        told = ", ".join(note for note in notes if note)
        self.border_title = f"{self.heading} ({told})" if told else self.heading
        if table.columns != self._columns:
            self._table.clear(columns=True)
            for column in table.columns:
                self._table.add_column(column)
            self._columns, self._shown = table.columns, ()
        if rows != self._shown:
            self._replace(rows)

    def _replace(self, rows: tuple[tuple[str, tuple[str, ...]], ...]) -> None:
        at = self._table.cursor_row
        chosen = self._shown[at][0] if 0 <= at < len(self._shown) else None
        offset = self._table.scroll_offset
        self._table.clear()
        for key, cells in rows:
            self._table.add_row(*(Text(text, style=STYLES.get(text, "")) for text in cells), key=key)
        self._shown = rows
        place = next((number for number, (key, _) in enumerate(rows) if key == chosen), min(at, len(rows) - 1))
        if rows:
            self._table.move_cursor(row=max(0, place), scroll=False)
            self._table.scroll_to(offset.x, offset.y, animate=False)


def _holds(cells: Sequence[str], sought: str) -> bool:
    return not sought or any(sought.casefold() in text.casefold() for text in cells)


class LinesPanel(VerticalScroll):
    """Sections of lines, each with its heading first."""

    ALLOW_MAXIMIZE = True
    can_focus = True

    def __init__(self, title: str, name: str) -> None:
        super().__init__(id=name, classes="panel")
        self.border_title = title
        self._text = Static()

    def compose(self) -> ComposeResult:
        """The text."""
        yield self._text

    def show(self, sections: Sequence[Sequence[str]]) -> None:
        """Show these; the place that was scrolled to is kept."""
        text = Text()
        for section in sections:
            for number, line in enumerate(section):
                text.append(f"{cell(line)}\n", style="" if number else "bold")
            text.append("\n")
        self._text.update(text)
