"""What people see of the demo: a bar for each column while it runs, then the columns side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

Outcomes = Mapping[str, Mapping[str, Any]]
"""The columns by name, as the demo's JSON has them."""

TITLES: Final = {
    "none": "no coordination",
    "split": "static split",
    "with": "Scentfield",
    "killed": "Scentfield,\none killed",
    "learning_on": "learning on",
    "learning_off": "learning off",
    "first": "first agent",
    "with_lessons": "second, with lessons",
    "without_lessons": "second, without lessons",
    "lessons": "two agents",
}


class Row(NamedTuple):
    """One row: its name, the number that counts, whether more of it is better, and how the cell reads.

    `is_compared` is false for what only Scentfield has: that others have none of it is no merit of theirs.
    """

    name: str
    value: Callable[[Mapping[str, Any]], float]
    more_is_better: bool = False
    text: Callable[[Mapping[str, Any]], str] | None = None
    is_compared: bool = True

    def cell(self, column: Mapping[str, Any]) -> str:
        """The cell's text."""
        return self.text(column) if self.text is not None else f"{self.value(column):,.0f}"

    def is_better(self, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
        """Whether `one` is better than `other`, by more than a tie."""
        difference = self.value(one) - self.value(other)
        return difference > 0 if self.more_is_better else difference < 0


def _failures(column: Mapping[str, Any]) -> str:
    by_cause = column["edits_failed"]
    causes = "\n".join(f"{count} {cause}" for cause, count in by_cause.items())
    return causes or "0"


ROWS: Final = (
    Row("tasks", lambda column: column["tasks"], more_is_better=True),
    Row("tasks done", lambda column: column["tasks_done"], more_is_better=True),
    Row("tasks done twice", lambda column: column["tasks_done_twice"]),
    Row("updates lost", lambda column: column["updates_lost"]),
    Row("files damaged", lambda column: len(column["files_changed"]) + len(column["files_unparsable"])),
    Row("failed edits", lambda column: sum(column["edits_failed"].values()), text=_failures),
    Row("claims rejected", lambda column: column["claims_rejected"], is_compared=False),
    Row("tokens read, net", lambda column: column["tokens_read_net"]),
    Row("seconds", lambda column: column["seconds"], text=lambda column: f"{column['seconds']:.1f}"),
)


@contextmanager
def progress_bars(console: Console, names: Sequence[str], n_tasks: int) -> Iterator[Callable[[str, int], None]]:
    """A bar for each column while the block runs; call with a column's name and how many of its tasks are done.

    Shows nothing where `console` is no terminal.
    """
    columns = (TextColumn("{task.description:<28}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        bars = {name: progress.add_task(_title(name), total=n_tasks, start=False) for name in names}

        def advance(name: str, n_done: int) -> None:
            progress.start_task(bars[name])
            progress.update(bars[name], completed=n_done)

        yield advance


@contextmanager
def finish_line(console: Console, name: str, number: int, n_columns: int) -> Iterator[None]:
    """A line when the block has ended well, in place of the bars: nothing on a terminal."""
    yield
    if not console.is_terminal:
        console.print(Text(f"{_title(name)}: finished ({number} of {n_columns})"), soft_wrap=True)


def _title(name: str) -> str:
    return TITLES[name].replace("\n", " ")


def render_table(outcomes: Outcomes) -> Table:
    """The rows side by side."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("", no_wrap=True)
    for name in outcomes:
        table.add_column(TITLES[name], justify="right")
    for row in ROWS:
        table.add_row(row.name, *(Text(row.cell(column)) for column in outcomes.values()))
    return table


def footer(outcomes: Outcomes) -> list[str]:
    """What the rows mean, where another column wins, and what became of the killed agent's work."""
    any_column = next(iter(outcomes.values()))
    return [*_setup(any_column), *_MEANINGS, *_wins(outcomes), *_accident(outcomes.get("killed"))]


def _setup(column: Mapping[str, Any]) -> list[str]:
    how = (
        "read the file once more, edit that and save it whole"
        if column["rereads"]
        else "edit the text that they have read and save it whole (--reread shows those that read it once more first)"
    )
    return [
        f"{column['agents']} agents, each a process, work through {column['tasks']} tasks "
        f"in {column['files_with_tasks']} of {column['files']} files, each agent in its own order, "
        f"with the same views and the same retries. "
        f"In place of a model's thinking each decision takes {column['think_ms']:g} ms.",
        f"Agents without coordination look at the file before they start, and {how}.",
    ]


_MEANINGS: Final = (
    "tasks done: the final file has the change. "
    "done twice: two agents made it, or worked on it at the same time, one of them for nothing.",
    "updates lost: an agent was told that its change was made, and the final file does not have it. "
    "files damaged: a file says something else than the done tasks make of it.",
    "failed edits: refused, by cause. "
    "tokens read: all views and answers, net of those that a failed edit made necessary. "
    "seconds: from the first look to the last outcome, without starting the processes.",
)


def _wins(outcomes: Outcomes) -> list[str]:
    """The rows in which a column without coordination is better than Scentfield's."""
    ours = outcomes.get("with")
    if ours is None:
        return []
    wins = [
        f"{_title(name)}: {row.name} {_one_line(row.cell(outcomes[name]))} against {_one_line(row.cell(ours))}"
        for row in ROWS
        for name in ("none", "split")
        if row.is_compared and name in outcomes and row.is_better(outcomes[name], ours)
    ]
    if not wins:
        return ["No other column is better than Scentfield's in any row that all columns have."]
    return ["Better than Scentfield in this run: " + "; ".join(wins) + "."]


def _one_line(cell: str) -> str:
    return cell.replace("\n", ", ")


def _accident(killed: Mapping[str, Any] | None) -> list[str]:
    if killed is None:
        return []
    if killed["agent_killed"] is None:
        return ["Nobody was killed: the work ended before half of the tasks were done by claims."]
    free_s, heir = killed["claims_free_after_s"], killed["task_finished_by"]
    freed = "not seen to come free" if free_s is None else f"free after {free_s:.1f} s (TTL plus lock delay)"
    finished = (
        "nobody finished its task"
        if heir is None
        else f"{heir} finished its task {killed['task_finished_after_s']:.1f} s after the kill"
    )
    return [
        f"{killed['agent_killed']} was killed (SIGKILL) while it held {killed['task_held']}, after it had done "
        f"{killed['tasks_done_before']} tasks. Its claim was {freed}; {finished}; "
        f"the others did {killed['tasks_done_by_others_after']} tasks after the kill. "
        f"This run uses a TTL of {killed['ttl_s']:g} s, so that you need not wait for its claims."
    ]


def print_outcomes(console: Console, outcomes: Outcomes) -> None:
    """The table and what it means."""
    console.print(render_table(outcomes))
    for line in footer(outcomes):
        console.print(Text(line))
