"""What people see of the two agents: each run in both arms side by side, and whether lessons paid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from agents_demo.lesson_effect import MEASURES, TITLES, verdict
from agents_demo.relay import ARMS, FIRST, WITH, WITHOUT

Document = Mapping[str, Any]
AGENTS: Final = {FIRST: "first", WITH: "second, with", WITHOUT: "second, without"}


def print_lessons(console: Console, document: Document) -> None:
    """The tables and what they mean; the last line says whether lessons paid."""
    for views, title in TITLES.items():
        console.print(lesson_table(title, [run for run in document["runs"] if run["views"] == views]))
    for line in (*_meanings(document), verdict(document["effect"])):
        console.print(Text(line), soft_wrap=True)


def lesson_table(title: str, runs: Sequence[Document]) -> Table:
    """A row for each run and agent, then the sums of the second one with and without lessons."""
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("run", "agent"):
        table.add_column(name, no_wrap=True)
    for name in ("tasks", "lessons"):
        table.add_column(name, justify="right")
    table.add_column("failed edits")
    table.add_column("tokens", justify="right", no_wrap=True)
    for run in runs:
        for leg, agent in AGENTS.items():
            table.add_row(str(run["run"]) if leg == FIRST else "", agent, *_cells(run[leg]))
    for arm in ARMS:
        counts = (sum(run[arm][key] for run in runs) for key in ("tasks", "lessons_shown"))
        sums = (sum(measure(run[arm]) for run in runs) for measure in MEASURES.values())
        table.add_row("all" if arm == WITH else "", AGENTS[arm], *(f"{n:,}" for n in (*counts, *sums)))
    return table


def _cells(leg: Document) -> list[str]:
    failed = "\n".join(f"{n} {cause}" for cause, n in leg["edits_failed"].items()) or "0"
    return [f"{leg['tasks']:,}", f"{leg['lessons_shown']:,}", failed, f"{leg['tokens_read']:,}"]


def _meanings(document: Document) -> list[str]:
    runs = document["runs"]
    entries, mended, tokens = (sum(run["playbook"][key] for run in runs) for key in ("entries", "mended", "tokens"))
    arms = [run[arm] for run in runs for arm in ARMS]
    tasks, done, lost = (sum(arm[key] for arm in arms) for key in ("tasks", "tasks_done", "updates_lost"))
    damaged = sum(len(arm["files_changed"]) + len(arm["files_unparsable"]) for arm in arms)
    return [
        f"In each run a first agent does half of {document['tasks']} tasks in {document['files_with_tasks']} of "
        f"{document['files']} files and leaves a playbook; a second one does the other half, in the same files, on "
        "copies of the tree and of the coordinator's stores: once with that playbook, once without it and with lessons "
        "switched off. Halves and orders change from run to run.",
        f"The playbooks have {entries} entries, {mended} of them from failures that were mended. Read whole, as nobody "
        f"does here, they would be {tokens:,} tokens more.",
        "Both agents know the tree by heart, and quote from memory where looking is dear. What they do about lessons: "
        "after a pitfall about a missed edit of the file they look first; after one about a text that stands more than "
        "once they quote three more lines on each side.",
        f"tasks of the second agent done: {done} of {tasks}; updates lost: {lost}; files damaged: {damaged}. "
        "tokens: all views and answers and the lessons beside them, also what failed edits made necessary.",
        "views by size: whole up to 400 lines, else a map, whatever was learned. views as learned: as the coordinator "
        "has learned from the reads and edits of both agents, in both arms alike; where that shows files whole, no "
        "edit misses, and lessons have nothing left to do.",
    ]
