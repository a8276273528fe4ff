"""Whether lessons helped a second agent: the same tasks with and without, over several runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from agents_demo.relay import ARMS, BY_SIZE, LEARNED

Document = Mapping[str, Any]
MEASURES: Final[Mapping[str, Callable[[Document], int]]] = {
    "edits_failed": lambda leg: sum(leg["edits_failed"].values()),
    "tokens_read": lambda leg: int(leg["tokens_read"]),
}
"""What a second agent is compared by: less is better."""
TITLES: Final = {BY_SIZE: "views by size", LEARNED: "views as learned"}


def effect_of(runs: Sequence[Document]) -> dict[str, Any]:
    """Each measure: its sums in both arms, the change in percent with lessons, and in how many runs it was which."""
    return {
        name: _compared([[measure(run[arm]) for arm in ARMS] for run in runs]) for name, measure in MEASURES.items()
    }


def _compared(pairs: Sequence[Sequence[int]]) -> dict[str, Any]:
    sums = [sum(column) for column in zip(*pairs, strict=True)]
    percents = [_percent_more(*pair) for pair in pairs]
    return {
        **dict(zip(ARMS, sums, strict=True)),
        "percent_more": _percent_more(*sums),
        "percent_more_least": min(percents),
        "percent_more_most": max(percents),
        "n_fewer": sum(one < other for one, other in pairs),
        "n_more": sum(one > other for one, other in pairs),
        "n_runs": len(pairs),
    }


def _percent_more(one: int, other: int) -> float:
    return 100.0 * (one - other) / other if other else 0.0


def tendency(measure: Document) -> str:
    """`fewer` or `more` where all runs say so, `as many` where none differs; else runs do not agree: `mixed`."""
    n_fewer, n_more, n_runs = (measure[name] for name in ("n_fewer", "n_more", "n_runs"))
    if n_fewer == n_more == 0:
        return "as many"
    return {n_fewer: "fewer", n_more: "more"}.get(n_runs, "mixed")


def verdict(effects: Document) -> str:
    """Whether lessons paid, in one line, by how the views were chosen."""
    return f"with lessons: {'; '.join(f'{title}: {_words(effects[views])}' for views, title in TITLES.items())}"


def _words(effect: Document) -> str:
    whats = {"edits_failed": "failed edits", "tokens_read": "tokens"}
    return ", ".join(_said(what, effect[name]) for name, what in whats.items())


def _said(what: str, measure: Document) -> str:
    if measure["n_fewer"] == measure["n_more"] == 0:
        return f"as many {what}, {measure[ARMS[0]]:,}"
    counted = f"fewer in {measure['n_fewer']} and more in {measure['n_more']} of {measure['n_runs']} runs"
    figures = f"{measure[ARMS[0]]:,} against {measure[ARMS[1]]:,}, {measure['percent_more']:+.1f}%, {counted}"
    is_mixed = tendency(measure) == "mixed"
    return f"no clear difference in {what} ({figures})" if is_mixed else f"{tendency(measure)} {what} ({figures})"
