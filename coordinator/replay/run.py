"""A replay from its source to its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from actors.runtime.errors import Misuse
from coordinator.replay.crew import try_all
from coordinator.replay.evidence import history_id, replay_rows
from coordinator.replay.folder_pair import FolderPair
from coordinator.replay.git_repository import GitRepository
from coordinator.replay.history import History
from coordinator.replay.question import Question
from coordinator.replay.report import Report
from coordinator.replay.trial import Trial

Told = Callable[[float], None]
"""Hears which share of the source is read."""


def replay_history(
    folder: Path,
    revision: str,
    limit: int,
    question: Question,
    *,
    n_workers: int | None = None,
    told: Told = lambda _: None,
) -> Report:
    """Replay the newest `limit` commits of a range. Raises `Misuse` where there is nothing to replay."""
    history = History(GitRepository(folder), revision, limit)
    changes = history.changes(lambda n_done: told(n_done / history.n_commits))
    trials = list(try_all(changes, question, n_workers))
    origin = {
        "git": str(folder),
        "rev": revision,
        "commits": len(history.commits),
        "newest": history.commits[-1],
        "oldest": history.commits[0],
    }
    return _report(question, history_id(history.origin()), origin, trials, history.skipped)


def replay_folders(
    before: Path, after: Path, question: Question, *, n_workers: int | None = None, told: Told = lambda _: None
) -> Report:
    """Replay the difference of two trees. Raises `Misuse` where there is nothing to replay."""
    pair = FolderPair(before, after)
    changes = pair.changes(lambda n_done: told(n_done / pair.n_files))
    trials = list(try_all(changes, question, n_workers))
    origin = {"before": str(before), "after": str(after), "compared": pair.n_files}
    # Two trees have no history: they are one of their own, known by what came of them.
    rows = replay_rows(trials, question.kinds[0].name)
    return _report(question, history_id(map(str, rows)), origin, trials, pair.skipped)


def _report(
    question: Question, history: str, origin: dict[str, Any], trials: list[Trial], skipped: Counter[str]
) -> Report:
    if not trials:
        reasons = ", ".join(f"{reason} {n}" for reason, n in sorted(skipped.items())) or "nothing differs"
        raise Misuse(f"there is no changed text to replay ({reasons}): name another range, or other folders")
    return Report(question, history, origin, trials, skipped)
