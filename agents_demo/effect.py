"""What learning did: the same tasks with and without it, by the rule that chose the view, and the files it touched."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from actors.quality_store.cause import NOT_FOUND_CAUSES
from actors.quality_store.mode import FULL
from actors.quality_store.source import CONTENTION, ESCALATION, PATH_MEMORY
from agents_demo.report import Look, TaskReport
from agents_demo.task import Task

PATH_RULES: Final = (PATH_MEMORY, ESCALATION)
_NO_LOOK: Final = Look("", "")


@dataclass(frozen=True, slots=True)
class RuleEffect:
    """All tasks whose first view `rule` chose with learning on: in `mode`, and in `mode_off` with learning off."""

    rule: str
    mode: str
    mode_off: str
    n_tasks: int
    tokens_on: int
    tokens_off: int

    @property
    def difference(self) -> int:
        """Tokens that were read more with learning on."""
        return self.tokens_on - self.tokens_off


def effects(on: Iterable[TaskReport], off: Iterable[TaskReport]) -> list[RuleEffect]:
    """The rules that chose views, the one that moved most tokens first. Both arms are of the same tasks, once each.

    Raises `ValueError` where they are not, as then nothing can be told from them.
    """
    on_by_task, off_by_task = _by_task(on), _by_task(off)
    if on_by_task.keys() != off_by_task.keys():
        odd = sorted(on_by_task.keys() ^ off_by_task.keys())
        raise ValueError(f"{len(odd)} tasks were not taken up in both arms, {odd[0]!r} among them")
    n_tasks: Counter[tuple[str, str, str]] = Counter()
    tokens_on, tokens_off = n_tasks.copy(), n_tasks.copy()
    for task_id, turn in on_by_task.items():
        other = off_by_task[task_id]
        kind = (_first(turn).source, _first(turn).mode, _first(other).mode)
        n_tasks[kind] += 1
        tokens_on[kind] += turn.n_tokens_read
        tokens_off[kind] += other.n_tokens_read
    rows = [RuleEffect(*kind, n, tokens_on[kind], tokens_off[kind]) for kind, n in n_tasks.items()]
    return sorted(rows, key=lambda row: (-abs(row.difference), row.rule, row.mode))


def _by_task(turns: Iterable[TaskReport]) -> dict[str, TaskReport]:
    found: dict[str, TaskReport] = {}
    for turn in turns:
        if found.setdefault(turn.task_id, turn) is not turn:
            raise ValueError(f"the task {turn.task_id!r} was taken up twice in one arm")
    return found


def _first(turn: TaskReport) -> Look:
    """The automatic view of a turn; one that was cut off has none."""
    return next(iter(turn.looks), _NO_LOOK)


@dataclass(frozen=True, slots=True)
class TouchedPath:
    """A file that `rule` had shown whole `n_served` times.

    All agents together had read it whole after a shorter view `n_read_again` times before the last of these, and missed
    its text with an edit `n_missed` times.
    """

    path: str
    rule: str
    n_served: int
    n_read_again: int
    n_missed: int


def touched_paths(turns: Sequence[TaskReport], tasks: Iterable[Task]) -> list[TouchedPath]:
    """The files that the rules about single files touched, by rule and path; `turns` in any order."""
    path_of = {task.task_id: task.path for task in tasks}
    again: Counter[str] = Counter()
    missed: Counter[str] = Counter()
    found: dict[tuple[str, str], TouchedPath] = {}
    for turn in sorted(turns, key=lambda turn: turn.started_at_s):
        path, rule = path_of[turn.task_id], _first(turn).source
        if rule in PATH_RULES:
            n_before = found[rule, path].n_served if (rule, path) in found else 0
            found[rule, path] = TouchedPath(path, rule, n_before + 1, again[path], missed[path])
        again[path] += _is_read_again(turn)
        missed[path] += sum(turn.failures.get(cause, 0) for cause in NOT_FOUND_CAUSES)
    return [found[key] for key in sorted(found)]


def _is_read_again(turn: TaskReport) -> bool:
    modes = [look.mode for look in turn.looks]
    return bool(modes) and modes[0] != FULL and FULL in modes


def comparison(on: Sequence[TaskReport], off: Sequence[TaskReport]) -> dict[str, Any]:
    """Both arms' tokens, the change in percent (positive: more with learning), and the rules that made it.

    `percent_more_learned` leaves out the tasks whose view was chosen because others were at work on the file: that is
    no learning, and the agents without it name their views.
    """
    rows = effects(on, off)
    others = [row for row in rows if row.rule in CONTENTION]
    return {
        "tokens_on": _tokens(on),
        "tokens_off": _tokens(off),
        "percent_more": _percent_more(_tokens(on), _tokens(off)),
        "percent_more_net": _percent_more(_net(on), _net(off)),
        "percent_more_learned": _percent_more(
            _tokens(on) - sum(row.tokens_on for row in others), _tokens(off) - sum(row.tokens_off for row in others)
        ),
        "tasks_for_others": sum(row.n_tasks for row in others),
        "by_rule": [{**asdict(row), "difference": row.difference} for row in rows],
    }


def _tokens(turns: Iterable[TaskReport]) -> int:
    return sum(turn.n_tokens_read for turn in turns)


def _net(turns: Iterable[TaskReport]) -> int:
    return sum(turn.n_tokens_read - turn.n_tokens_retried for turn in turns)


def _percent_more(on: int, off: int) -> float:
    return 100.0 * (on - off) / off if off else 0.0


def verdict(effect: Mapping[str, Any]) -> str:
    """Whether learning paid, in one line: all tokens that were read, those after failed edits too."""
    in_all, net = _words(effect["percent_more"]), _words(effect["percent_more_net"])
    net_words = f"(net of what failed edits made necessary: {net})"
    if not effect["tasks_for_others"]:
        return f"tokens: {in_all} with learning {net_words}"
    return (
        f"tokens: {_words(effect['percent_more_learned'])} with learning; {in_all} with the "
        f"{_n_tasks(effect['tasks_for_others'])} in files that others were at work on, which come whole or as a diff "
        f"whatever was learned {net_words}"
    )


def _n_tasks(n_tasks: int) -> str:
    return f"{n_tasks:,} task{'s' if n_tasks != 1 else ''}"


def _words(percent_more: float) -> str:
    if round(percent_more, 1) == 0.0:
        return "as many"
    return f"{abs(percent_more):.1f}% {'more' if percent_more > 0 else 'fewer'}"
