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
_ARMS: Final = ("learning_on", "learning_off")


def print_learning(console: Console, document: Document) -> None:
    """The tables and what they mean; the last line says whether learning paid."""
    console.print(rounds_table(document))
    for line in (*_meanings(document), "", *learned_lines(document["learned"]), ""):
        console.print(Text(line), soft_wrap=True)
    console.print(effect_table(document["effect"]))
    console.print(Text(_reading(document["effect"])))
    console.print(Text(verdict(document["effect"])))


def rounds_table(document: Document) -> Table:
    """Both arms side by side, round by round, with their sums."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    table.add_column("round", "all", justify="right")
    for name in _ARMS:
        rounds = document[name]["rounds"]
        for title, key in (("reads", "reads"), ("bounces", "bounces")):
            table.add_column(f"{TITLES[name]}\n{title}", f"{sum(one[key] for one in rounds):,}", justify="right")
        table.add_column("\nfailed edits", _failures(document[name]["edits_failed"]))
        table.add_column("\ntokens, net", f"{document[name]['tokens_read_net']:,}", justify="right")
    for number, pair in enumerate(zip(*(document[name]["rounds"] for name in _ARMS), strict=True), 1):
        table.add_row(str(number), *(cell for one in pair for cell in _cells(one)))
    return table


def _cells(one: Document) -> tuple[str, ...]:
    return f"{one['reads']:,}", f"{one['bounces']:,}", _failures(one["edits_failed"]), f"{one['tokens_read_net']:,}"


def _failures(by_cause: Mapping[str, int]) -> str:
    return "\n".join(f"{n} {cause}" for cause, n in by_cause.items()) or "0"


def _meanings(document: Document) -> list[str]:
    on, off = (document[name] for name in _ARMS)
    return [
        f"{document['agents']} agents, each a process, do {document['tasks']} tasks in {document['files_with_tasks']} "
        f"of {document['files']} files in {document['rounds']} rounds, both times the same agent the same tasks in the "
        f"same order; {document['agents_with_memory']} of them quote from memory where looking is dear.",
        f"tasks done: {on['tasks_done']} with learning on, {off['tasks_done']} with it off. "
        "reads: views of whole files. bounces: a short view that its agent read again whole. "
        "tokens, net: all views and answers, less what failed edits made necessary.",
        "learning off: agents are shown what the rule from before anything was learned says, "
        "by a coordinator of their own.",
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
    times = f"{row['n_served']} time{'s' * (row['n_served'] != 1)}"
    because = f"{row['n_missed']} missed edits" if row["rule"] == ESCALATION else f"{row['n_read_again']} second reads"
    return f"{row['path']}  {row['rule']}, {times}, after {because}"


def effect_table(effect: Document) -> Table:
    """The rules that chose the first view of each task, and the tokens of these tasks in both arms."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_footer=True)
    difference = effect["tokens_on"] - effect["tokens_off"]
    table.add_column("view chosen by", "all")
    table.add_column("view", "")
    table.add_column("else", "")
    for title, total in (
        ("tasks", sum(row["n_tasks"] for row in effect["by_rule"])),
        ("tokens, on", effect["tokens_on"]),
        ("tokens, off", effect["tokens_off"]),
    ):
        table.add_column(title, f"{total:,}", justify="right")
    table.add_column("difference", f"{difference:+,}", justify="right")
    for row in effect["by_rule"]:
        counts = (f"{row[key]:,}" for key in ("n_tasks", "tokens_on", "tokens_off"))
        table.add_row(row["rule"], row["mode"], row["mode_off"], *counts, f"{row['difference']:+,}")
    return table


def _reading(effect: Document) -> str:
    """What moved the tokens, by the rows of the table."""
    moved = [row for row in effect["by_rule"] if row["mode"] != row["mode_off"]]
    if not moved:
        return (
            "Learning chose no other view than the rule from before; what differs are the words of the views' headers."
        )
    parts = "; ".join(f"{row['rule']} {row['difference']:+,} in {row['n_tasks']} tasks" for row in moved)
    return (
        f"What moved it: {parts}. Where the view is the same in both, headers differ by the name of the rule. "
        "Tokens here are all that was read, also what failed edits made necessary."
    )
