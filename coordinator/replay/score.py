"""Sums over many files: how many hunks a view showed, and at what share of the tokens."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from coordinator.replay.trial import Shown, Trial

_DECIMALS: Final = 4
_SHOWN_ALONE: Final = ("hunks", "hunk_recall", "token_share", "mean_hunk_recall", "mean_token_share")


@dataclass(slots=True)
class Score:
    """What views of one kind were worth, all files together."""

    n_files: int = 0
    n_hunks: int = 0
    n_shown: int = 0
    n_by_parts: int = 0
    n_failed: int = 0
    view_tokens: int = 0
    extra_tokens: int = 0
    extra_printed: int = 0
    total_tokens: int = 0
    sum_of_shares: float = 0.0
    sum_of_recalls: float = 0.0

    def add(self, trial: Trial, shown: Shown) -> None:
        """Add a file."""
        self.n_files += 1
        self.n_hunks += trial.n_hunks
        self.n_shown += shown.n_shown
        self.n_by_parts += shown.n_by_parts
        self.n_failed += shown.n_failed
        self.view_tokens += shown.view_tokens
        self.extra_tokens += shown.extra_tokens
        self.extra_printed += shown.extra_printed
        self.total_tokens += trial.total_tokens
        self.sum_of_recalls += ratio(shown.n_shown, trial.n_hunks)
        self.sum_of_shares += ratio(shown.view_tokens, trial.total_tokens)

    def document(self) -> dict[str, Any]:
        """The score for programs; shares are of the files' tokens.

        `token_share` is all tokens printed of all tokens; the means are over files, where a short one weighs as much
        as a long one. `hunks_reached` were shown by the view or by a part that it names;
        `printed_share` also has what was printed for those parts and for second reads, `cost_share` the calls too.
        """
        return {
            "hunks": self.n_hunks,
            "hunk_recall": ratio(self.n_shown, self.n_hunks),
            "token_share": ratio(self.view_tokens, self.total_tokens),
            "mean_hunk_recall": ratio(self.sum_of_recalls, self.n_files),
            "mean_token_share": ratio(self.sum_of_shares, self.n_files),
            "hunks_shown": self.n_shown,
            "hunks_by_parts": self.n_by_parts,
            "hunks_failed": self.n_failed,
            "hunks_reached": ratio(self.n_shown + self.n_by_parts, self.n_hunks),
            "printed_share": ratio(self.view_tokens + self.extra_printed, self.total_tokens),
            "cost_share": ratio(self.view_tokens + self.extra_tokens, self.total_tokens),
        }

    def shown_document(self) -> dict[str, Any]:
        """What was shown alone, of what no agent works with."""
        told = self.document()
        return {name: told[name] for name in _SHOWN_ALONE}


def score_of(trials: Iterable[Trial], kind: str, mode: str) -> Score:
    """The score of one mode under one kind of query."""
    return _sum((trial, trial.by_kind[kind][mode]) for trial in trials)


def reference_of(trials: Iterable[Trial], kind: str, name: str) -> Score:
    """The score of a ranker that modes are held against."""
    return _sum((trial, trial.references[kind][name]) for trial in trials)


def _sum(pairs: Iterable[tuple[Trial, Shown]]) -> Score:
    score = Score()
    for trial, shown in pairs:
        score.add(trial, shown)
    return score


def ratio(part: float, whole: float) -> float:
    """A share with four digits; 0.0 of nothing."""
    return rounded(part / whole) if whole else 0.0


def rounded(number: float) -> float:
    """With the digits that a report shows."""
    return round(number, _DECIMALS)
