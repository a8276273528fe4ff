"""What people see of the rounds: what happened in each, what was learned from it, and what that did to the tokens.

What was learned is said in the product's own words, those of `scentfield learning` and `scentfield status -v`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from actors.quality_store.messages import EditQuality, ReadQuality
from actors.quality_store.report import bounce_lines, edit_quality_lines
from actors.quality_store.row import PairRow, RateRow
from actors.quality_store.source import ESCALATION
from actors.thresholds.messages import CostEvidence, CostRow, LearnedRow, Learning
from actors.thresholds.report import cost_lines, threshold_lines
from agents_demo.effect import verdict
from agents_demo.table import TITLES

Document = Mapping[str, Any]

MAX_PATHS_SHOWN: Final = 12
_CAUSES_WIDTH: Final = 25
"""Two causes beside each other; the table still fits 80 characters."""
_COUNTS: Final = ("reads", "bounces")
ARMS: Final = ("learning_on", "learning_off")
"""With what is learned in use, and without."""


def print_learning(console: Console, document: Document) -> None:
    """The tables and what they mean; the last line says whether learning paid."""
    for name in ARMS:
        console.print(rounds_table(TITLES[name], document[name]))
    for line in (*_meanings(document), "", *learned_lines(document["learned"]), ""):
        console.print(Text(line), soft_wrap=True)
    console.print(effect_table(document["effect"]))
    for line in (*_reading(document["effect"]), verdict(document["effect"])):
        console.print(Text(line), soft_wrap=True)


def rounds_table(title: str, arm: Document) -> Table:
    """What happened in each round, and in all of them; a column for the delta of each extension."""
    rounds = arm["rounds"]
    extensions = sorted({extension for one in rounds for extension in one["deltas"]})
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    table.add_column("round", "all", no_wrap=True)
    for key in _COUNTS:
        table.add_column(key, f"{sum(one[key] for one in rounds):,}", justify="right")
    table.add_column("failed edits", _failures(arm["edits_failed"]), min_width=_CAUSES_WIDTH)
    table.add_column("tokens, net", f"{arm['tokens_read_net']:,}", justify="right", no_wrap=True)
    for extension in extensions:
        table.add_column(f".{extension}", no_wrap=True, justify="right")
    for number, one in enumerate(rounds, 1):
        counts = (f"{one[key]:,}" for key in _COUNTS)
        deltas = (_delta(one["deltas"].get(extension)) for extension in extensions)
        table.add_row(str(number), *counts, _failures(one["edits_failed"]), f"{one['tokens_read_net']:,}", *deltas)
    return table


def _delta(delta: float | None) -> str:
    return "" if delta is None else f"{delta:+.3f}"


def _failures(by_cause: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {cause}" for cause, n in by_cause.items()) or "0"


def _meanings(document: Document) -> list[str]:
    on, off = (document[name] for name in ARMS)
    return [
        f"{document['agents']} agents, each a process, do {document['tasks']} tasks in {document['files_with_tasks']} "
        f"of {document['files']} files in {document['rounds']} rounds, both times the same agent the same tasks in the "
        f"same order; {document['agents_with_memory']} of them quote from memory where looking is dear.",
        f"tasks done: {on['tasks_done']} with learning on, {off['tasks_done']} with it off. "
        "reads: views of whole files. bounces: a short view that its agent read again whole. "
        "tokens, net: all views and answers, less what failed edits made necessary. "
        ".py: the delta of its threshold at the end of the round.",
        "learning off: agents are shown what the rule from before anything was learned says, "
        "by a coordinator of their own; the deltas there are used by nobody.",
    ]


def learned_lines(learned: Document) -> list[str]:
    """What was learned, and from what."""
    rows = [LearnedRow._make(_fields(LearnedRow, row)) for row in learned["thresholds"]]
    costs = [CostEvidence(CostRow._make(_fields(CostRow, row)), row["n_outcomes"]) for row in learned["costs"]]
    min_signals = next((row["min_signals"] for row in learned["thresholds"]), 0)
    learning = Learning(tuple(rows), (), tuple(costs), min_signals, 0)
    rates = tuple(RateRow._make(_fields(RateRow, row)) for row in learned["bounce_rates"])
    pairs = tuple(PairRow._make(_fields(PairRow, row)) for row in learned["pairs"])
    paths, escalations = learned["paths"], learned["escalations"]
    return [
        *threshold_lines(learning),
        *(f"    {_evidence(row)}" for row in learned["thresholds"]),
        *bounce_lines(ReadQuality(rates, paths["remembered"], paths["full"])),
        *edit_quality_lines(EditQuality(pairs, escalations["served"], escalations["pending"])),
        *cost_lines(learning),
        *_path_lines(learned["touched_paths"]),
    ]


def _fields(kind: Any, row: Document) -> Iterable[Any]:
    return (row[name] for name in kind._fields)


def _evidence(row: Document) -> str:
    seen = row["evidence"]
    return (
        f".{row['extension']} from {seen['bounces']} bounces, {seen['edits_failed']} failed edits, "
        f"{seen['clean']} clean and {seen['wasted']} wasted reads"
    )


def _path_lines(touched: list[Document]) -> list[str]:
    lines = [f"  {_path_line(row)}" for row in touched[:MAX_PATHS_SHOWN]]
    if len(touched) > MAX_PATHS_SHOWN:
        lines.append(f"  and {len(touched) - MAX_PATHS_SHOWN} more: see --json")
    return ["Files shown whole for what happened before", *(lines or ["  none in this run"])]


def _path_line(row: Document) -> str:
    is_escalated = row["rule"] == ESCALATION
    because = _n(row["n_missed"], "missed edit") if is_escalated else _n(row["n_read_again"], "second read")
    return f"{row['path']}  {row['rule']}, {_n(row['n_served'], 'time')}, after {because}"


def _n(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


def effect_table(effect: Document) -> Table:
    """The rules that chose the first view of each task, and the tokens of these tasks in both arms."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    table.add_column("view chosen by", "all", no_wrap=True)
    table.add_column("view", "", no_wrap=True)
    totals = {
        "tasks": f"{sum(row['n_tasks'] for row in effect['by_rule']):,}",
        "tokens, on": f"{effect['tokens_on']:,}",
        "tokens, off": f"{effect['tokens_off']:,}",
        "more": f"{effect['tokens_on'] - effect['tokens_off']:+,}",
    }
    for title, total in totals.items():
        table.add_column(title, total, justify="right")
    for row in effect["by_rule"]:
        view = row["mode"] if row["mode"] == row["mode_off"] else f"{row['mode']}, not {row['mode_off']}"
        counts = (f"{row[key]:,}" for key in ("n_tasks", "tokens_on", "tokens_off"))
        table.add_row(row["rule"], view, *counts, f"{row['difference']:+,}")
    return table


def _reading(effect: Document) -> list[str]:
    """What moved the tokens, by the rows of the table, and what did not."""
    rows = effect["by_rule"]
    moved = [f"{row['rule']} {row['difference']:+,} in {_n(row['n_tasks'], 'task')}" for row in _moved(rows)]
    lines = [
        f"What moved it: {'; '.join(moved)}." if moved else "Learning chose no other view than the rule from before.",
        "Where the view is the same in both, headers differ by the name of the rule. "
        "Tokens here are all that was read, also what failed edits made necessary.",
    ]
    if all(row["mode"] != "entropy" for row in rows):
        lines.append("No view was in the mode entropy, the only one that thresholds act on: they moved nothing here.")
    return lines


def _moved(rows: Iterable[Document]) -> list[Document]:
    return [row for row in rows if row["mode"] != row["mode_off"]]
