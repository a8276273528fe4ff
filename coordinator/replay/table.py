"""The table of docs/replay.md: several projects side by side, one kind of file of each.

    python -m coordinator.replay --limit 300 click:py=DIR ripgrep:rs=DIR

A row a project: hunks shown at which share of the tokens by each way of choosing lines, and what the agent pays in the
end. Projects are never mixed, so what was fitted to one can be judged by another.
"""

from __future__ import annotations

import re
import sys
import tempfile
from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from actors.runtime.errors import Misuse, ScentfieldError
from coordinator.replay.question import Question
from coordinator.replay.reference import NAIVE_MAP
from coordinator.replay.run import replay_history
from coordinator.replay.static_model import build_static_model

_PROJECT: Final = re.compile(r"([\w.-]+):([a-z0-9+_-]{1,16})=(.+)")
_USAGE: Final = 2
_HASH_DIGITS: Final = 7


class Project(NamedTuple):
    """A repository, what to call it, and the kind of file that is told of."""

    name: str
    extension: str
    folder: Path

    @classmethod
    def parse(cls, text: str) -> Project:
        """Read `NAME:EXTENSION=DIR`. Raises `Misuse`."""
        found = _PROJECT.fullmatch(text)
        if found is None:
            raise Misuse(f"{text!r} names no project: write NAME:EXTENSION=DIR, such as click:py=../click")
        return cls(found[1], found[2], Path(found[3]))


def table(documents: Sequence[tuple[Project, Mapping[str, Any]]]) -> str:
    """The documents of replays as a table in Markdown, in their order."""
    rows = [_row(project, document) for project, document in documents]
    columns = list(rows[0])
    lines = [columns, ["---"] * len(columns), *([row[name] for name in columns] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _row(project: Project, document: Mapping[str, Any]) -> dict[str, str]:
    group = document["by_extension"].get(project.extension)
    if group is None:
        raise Misuse(f"{project.name} has no change to a .{project.extension} file: name another extension")
    source, modes = document["source"], group["modes"]
    oldest, newest = (source[name][:_HASH_DIGITS] for name in ("oldest", "newest"))
    references = dict(group["references"])
    naive_map = references.pop(NAIVE_MAP)
    shown = {mode: score for mode, score in modes.items() if mode not in ("full", "map")} | references
    return {
        "project": f"{project.name}, `.{project.extension}`",
        "commits": f"{source['commits']}, {oldest}..{newest}",
        "hunks": str(modes["full"]["hunks"]),
        "map": f"{modes['map']['token_share']:.0%}",
        "map + expand": f"{modes['map']['hunks_reached']:.0%} at {modes['map']['printed_share']:.0%}",
        "naive map + unit": f"{naive_map['hunk_recall']:.0%} at {naive_map['token_share']:.0%}",
        **{mode: f"{score['hunk_recall']:.0%} at {score['token_share']:.0%}" for mode, score in shown.items()},
        "auto, of full": f"{group['policy']['cost_share_of_full']:.0%}",
        "regret": f"{group['policy']['regret']:.2f}",
    }


def main(arguments: Sequence[str]) -> int:
    """Print the table; returns the exit code."""
    parser = ArgumentParser(prog="python -m coordinator.replay", description="The table of docs/replay.md.")
    parser.add_argument("projects", nargs="+", metavar="NAME:EXTENSION=DIR")
    parser.add_argument("--limit", type=int, default=300, help="the newest commits of each, so many at most")
    asked = parser.parse_args(arguments)
    try:
        sys.stdout.write(_measured([Project.parse(text) for text in asked.projects], asked.limit))
    except ScentfieldError as error:
        sys.stderr.write(f"error: {error.message}\n")
        return _USAGE
    return 0


def _measured(projects: Sequence[Project], limit: int) -> str:
    with tempfile.TemporaryDirectory(prefix="scentfield-replay-") as folder:
        build_static_model(Path(folder))
        question = Question(model_folder=folder)
        return table([(one, replay_history(one.folder, "HEAD", limit, question).document()) for one in projects])
