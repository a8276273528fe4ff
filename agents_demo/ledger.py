"""The judge of a run: what the files say, beside what the agents said.

Definitions, the same for every column:

*done*: the task's place has its new form in the final file.

*done twice*: two agents or more performed the task. Performed is: its edit landed; or it found the task already done
after having read for it since before the first edit of the task landed, so that the two worked on it at the same time
and one for nothing. A look that began after the task was done is no second performance, whatever it cost; its tokens
are counted as read.

*lost*: an agent was told that its edit of the task landed, and the final file does not have it.

*changed*: a file that parses but does not say what the original says with the done tasks, and them alone, rewritten.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from agents_demo.proof import difference
from agents_demo.report import AgentReport, Status, TaskReport
from agents_demo.site import Site, alike, sites_in, with_rewritten
from agents_demo.syntax import fold, parse, unfold
from agents_demo.task import Task, read_source

MAX_REMEMBERED: Final = 512
"""Verdicts on texts that are kept."""


@dataclass(frozen=True)
class FileVerdict:
    """One file: the ids of its tasks that are done, and what is wrong with it, if anything."""

    done: tuple[str, ...] = ()
    unparsable: str | None = None
    changed: str | None = None


@dataclass(frozen=True)
class Outcome:
    """A run's result. Task ids are in the order of the tasks, paths sorted; the reasons are for people."""

    n_tasks: int
    done: tuple[str, ...]
    done_twice: tuple[str, ...]
    lost: tuple[str, ...]
    unparsable: Mapping[str, str]
    changed: Mapping[str, str]
    edits_failed: Mapping[str, int]
    landed_by: Mapping[str, int]
    n_claims_rejected: int
    n_tokens_read: int
    n_tokens_retried: int
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """The rows by the names that scripts read. Net of retries: what failed edits made necessary is taken off."""
        return {
            "tasks": self.n_tasks,
            "tasks_done": len(self.done),
            "tasks_done_twice": len(self.done_twice),
            "updates_lost": len(self.lost),
            "edits_failed": dict(self.edits_failed),
            "claims_rejected": self.n_claims_rejected,
            "tokens_read": self.n_tokens_read,
            "tokens_read_net": self.n_tokens_read - self.n_tokens_retried,
            "seconds": self.seconds,
            "files_unparsable": dict(self.unparsable),
            "files_changed": dict(self.changed),
            "landed_by": dict(self.landed_by),
        }


def judge(original_tree: Path, final_tree: Path, tasks: Sequence[Task], reports: Sequence[AgentReport]) -> Outcome:
    """Compare the final tree with the original, and the reports with both.

    Raises `OSError` or `UnicodeDecodeError` for an original file that cannot be read; the final tree may hold anything.
    """
    verdicts = judge_files(original_tree, final_tree, tasks)
    turns = [turn for report in reports for turn in report.turns]
    done = {task_id for verdict in verdicts.values() for task_id in verdict.done}
    landed = {turn.task_id for turn in turns if turn.status is Status.LANDED}
    twice = performed_twice(turns)
    failures = sum((Counter(turn.failures) for turn in turns), Counter[str]())
    landed_by = Counter(turn.agent_id for turn in turns if turn.status is Status.LANDED)
    return Outcome(
        n_tasks=len(tasks),
        done=tuple(task.task_id for task in tasks if task.task_id in done),
        done_twice=tuple(task.task_id for task in tasks if task.task_id in twice),
        lost=tuple(task.task_id for task in tasks if task.task_id in landed - done),
        unparsable={path: verdict.unparsable for path, verdict in verdicts.items() if verdict.unparsable},
        changed={path: verdict.changed for path, verdict in verdicts.items() if verdict.changed},
        edits_failed=dict(sorted(failures.items())),
        landed_by=dict(sorted(landed_by.items())),
        n_claims_rejected=sum(report.n_claims_rejected for report in reports),
        n_tokens_read=sum(turn.n_tokens_read for turn in turns),
        n_tokens_retried=sum(turn.n_tokens_retried for turn in turns),
        seconds=_seconds(turns),
    )


def _seconds(turns: Sequence[TaskReport]) -> float:
    """From the first start to the last end."""
    return max(turn.ended_at_s for turn in turns) - min(turn.started_at_s for turn in turns) if turns else 0.0


def performed_twice(turns: Iterable[TaskReport]) -> frozenset[str]:
    """The ids of the tasks that two agents or more performed, as this module defines it."""
    by_task: defaultdict[str, list[TaskReport]] = defaultdict(list)
    for turn in turns:
        by_task[turn.task_id].append(turn)
    return frozenset(task_id for task_id, turns_at_it in by_task.items() if len(_performers(turns_at_it)) > 1)


def _performers(turns: Sequence[TaskReport]) -> set[str]:
    landed_at_s = [turn.ended_at_s for turn in turns if turn.status is Status.LANDED]
    if not landed_at_s:
        return set()
    first_s = min(landed_at_s)
    return {
        turn.agent_id
        for turn in turns
        if turn.status is Status.LANDED
        or (turn.status is Status.ALREADY_DONE and turn.n_tokens_read > 0 and turn.started_at_s < first_s)
    }


def judge_files(original_tree: Path, final_tree: Path, tasks: Sequence[Task]) -> dict[str, FileVerdict]:
    """A verdict for each Python file of either tree that is not the same in both, by path, sorted."""
    by_path: defaultdict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        by_path[task.path].append(task)
    paths = sorted({*_python_files(original_tree), *_python_files(final_tree)})
    verdicts = {path: _verdict(original_tree / path, final_tree / path, by_path[path]) for path in paths}
    return {path: verdict for path, verdict in verdicts.items() if verdict != FileVerdict()}


def _python_files(root: Path) -> list[str]:
    return [path.relative_to(root).as_posix() for path in root.rglob("*.py")]


def _verdict(original: Path, final: Path, tasks: Sequence[Task]) -> FileVerdict:
    if not original.exists():
        return FileVerdict(changed="the file was not in the original tree")
    if not final.exists():
        return FileVerdict(changed="the file is gone")
    if original.read_bytes() == final.read_bytes():
        return FileVerdict()
    try:
        after = read_source(final)
    except UnicodeDecodeError as error:
        return FileVerdict(unparsable=f"not UTF-8: {error.reason} at byte {error.start}")
    return judge_text(read_source(original), after, tuple(tasks))


@lru_cache(maxsize=MAX_REMEMBERED)
def judge_text(before: str, after: str, tasks: tuple[Task, ...]) -> FileVerdict:
    """The verdict on one file's text; remembered, as most files end the same in all columns.

    Raises `ValueError` if the original does not parse.
    """
    original, final = parse(before), parse(after)
    if original is None:
        raise ValueError("the original text does not parse: tasks cannot have come from it")
    if final is None:
        return FileVerdict(unparsable="it does not parse")
    old_sites, new_sites = sites_in(fold(original)), sites_in(fold(final))
    done = [task for task in tasks if _is_done(task, new_sites)]
    places = [place for task in done if (place := _place(task, old_sites)) is not None]
    changed = difference(unfold(with_rewritten(original, places)), unfold(final))
    return FileVerdict(done=tuple(task.task_id for task in done), changed=changed)


def _place(task: Task, sites: Iterable[Site]) -> Site | None:
    found = alike(sites, task.scope, task.fingerprint)
    return found[task.ordinal] if len(found) == task.n_alike else None


def _is_done(task: Task, sites: Iterable[Site]) -> bool:
    place = _place(task, sites)
    return place is not None and place.kind is None
