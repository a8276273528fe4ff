"""What a run of the demo stands on: the original tree, its tasks, and a copy of the tree for each column."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from actors.runtime.errors import Misuse
from agents_demo.task import Task, collect, spread
from agents_demo.tree import SourceTree, copy_tree


@dataclass(frozen=True, slots=True)
class Stage:
    """`original` stays as it is; agents work on copies beside it."""

    original: SourceTree
    tasks: tuple[Task, ...]

    @property
    def n_files_with_tasks(self) -> int:
        """How many files the tasks are spread over."""
        return len({task.path for task in self.tasks})

    def copy(self, name: str) -> Path:
        """A fresh copy of the tree.

        It is marked as a workspace of its own, so that its paths are the tasks' even inside somebody's repository.
        """
        copied = self.original.root.parent / name
        shutil.copytree(self.original.root, copied)
        (copied / "scentfield.toml").write_text("# marks the root of this tree for Scentfield\n", encoding="utf-8")
        return copied


def set_stage(folder: Path, n_tasks: int, *, source: Path | None = None) -> Stage:
    """Copy the tree into `folder` and find its tasks. Raises `Misuse` if the folder is in use or there are no tasks."""
    original = copy_tree(folder / "original", source=source)
    tasks = spread(collect(original.root, original.paths), n_tasks)
    if not tasks:
        raise Misuse(f"there is nothing to do in {original.n_files} files: name another source tree")
    return Stage(original, tuple(tasks))


@contextlib.contextmanager
def work_folder(keep: Path | None) -> Iterator[Path]:
    """A folder for the trees: `keep`, which must be empty or not exist, else one that is removed at the end."""
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="scentfield-demo-", ignore_cleanup_errors=True) as folder:
            yield Path(folder)
        return
    if keep.exists() and (not keep.is_dir() or any(keep.iterdir())):
        raise Misuse(f"{str(keep)!r} is there already and not an empty folder: name one that does not exist yet")
    keep.mkdir(parents=True, exist_ok=True)
    yield keep.resolve()
