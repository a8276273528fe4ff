"""Cells of notebooks."""

from collections.abc import Callable
from typing import Any

Look = Callable[[str, str], Any]

NOTEBOOK = """\
{
 "cells": [
  {
   "cell_type": "markdown",
   "source": [
    "# Title\\n",
    "text"
   ]
  },
  {
   "cell_type": "code",
   "metadata": {"source": ["no"]},
   "source": []
  },
  {
   "cell_type": "code",
   "outputs": [],
   "source": "import os"
  }
 ],
 "nbformat": 4
}
"""


def test_cells_are_units_over_the_lines_of_the_json(look: Look) -> None:
    notebook = look("a.ipynb", NOTEBOOK)
    assert [(unit.name, unit.lines) for unit in notebook.outline.units] == [
        ("L1-2", (1, 2)), ("cell-1", (3, 9)), ("cell-2", (10, 14)), ("cell-3", (15, 19)), ("L20-22", (20, 22)),
    ]  # fmt: skip
    assert notebook.signature("cell-1") == '    "# Title\\n",\n'
    assert notebook.expand("cell-3").startswith('  {\n   "cell_type": "code",\n   "outputs"')


def test_a_notebook_on_one_line_has_no_cells_to_show(look: Look) -> None:
    assert look("a.ipynb", '{"cells": [{"source": []}, {"source": []}]}\n').outline.fallback == (
        "not parsable as a notebook: indentation blocks"
    )


def test_what_is_no_notebook_has_runs(look: Look) -> None:
    assert look("a.ipynb", '{\n "a": 1\n}\n').names == ["L1-3"]
    assert "not parsable" in look("a.ipynb", "{,").outline.fallback
