"""Tasks: one rewrite at one place of one file, right by construction.

A task says where and what kind, never the text: an agent has to find the place in what its views returned. Tasks are
found by parsing the real files, and only what is proven is asked for.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from agents_demo.bindings import Bindings
from agents_demo.rewrites import REWRITES, Place
from agents_demo.site import Site, sites_in
from agents_demo.syntax import Lines, fold, parse


@dataclass(frozen=True, slots=True)
class Task:
    """One rewrite to make.

    `scope` is the qualified name of the innermost definition that holds the place, as `Class.method`, `#2` for the
    second of a name, or `<module>`; `unit` is that of what to expand to see it, the outermost function around it,
    else the class. `fingerprint` tells the place from others; where a definition says the same `n_alike` times,
    rewritten or not, this is number `ordinal` of them, from 0.
    """

    task_id: str
    path: str
    scope: str
    unit: str
    kind: str
    fingerprint: str
    ordinal: int = 0
    n_alike: int = 1

    def to_json(self) -> dict[str, Any]:
        """The fields by name."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Task:
        """The inverse of `to_json`. Raises `TypeError` for a field that is missing or not known."""
        return cls(**fields)


def find_tasks(text: str, path: str) -> list[Task]:
    """The tasks of one file, in source order; none where it does not parse.

    `path` is how agents name the file, relative to the tree and with slashes.
    """
    module = parse(text)
    if module is None:
        return []
    bindings, lines = Bindings(module), Lines(text)
    sites = sites_in(fold(module))
    holders = {id(around) for site in sites if site.kind for around in site.ancestors}
    asked = [site for site in sites if site.kind and _is_sound(site, holders, bindings, lines)]
    return _numbered(sites, asked, path)


def _is_sound(site: Site, holders: set[int], bindings: Bindings, lines: Lines) -> bool:
    assert site.kind is not None
    if isinstance(site.node, ast.BinOp) and id(site.node) in holders:
        return False  # what is inside an f-string cannot be rewritten any more
    rewrite = REWRITES[site.kind]
    is_proven = rewrite.is_proven(site.node, Place(site.ancestors, bindings))
    return is_proven and rewrite.change(site.node, lines) is not None


def _numbered(sites: Iterable[Site], asked: Sequence[Site], path: str) -> list[Task]:
    wanted_scopes = {site.scope for site in asked}
    n_alike: Counter[tuple[str, str]] = Counter()
    ordinals: dict[int, int] = {}
    for site in sites:
        if site.scope in wanted_scopes:
            ordinals[id(site)] = n_alike[site.scope, site.fingerprint]
            n_alike[site.scope, site.fingerprint] += 1
    return [_task(site, path, ordinals[id(site)], n_alike[site.scope, site.fingerprint]) for site in asked]


def _task(site: Site, path: str, ordinal: int, n_alike: int) -> Task:
    assert site.kind is not None
    task_id = f"{path}::{site.scope}::{site.kind}::{site.fingerprint[:8]}.{ordinal}"
    return Task(task_id, path, site.scope, site.unit, site.kind, site.fingerprint, ordinal, n_alike)


def collect(root: Path, paths: Iterable[str]) -> list[Task]:
    """The tasks of all these files under `root`, in the order of `paths`. Raises `OSError`, `UnicodeDecodeError`."""
    return [task for path in paths for task in find_tasks(read_source(root / path), path)]


def read_source(path: Path) -> str:
    """A file's text, with its line endings as they are. Raises `OSError`, `UnicodeDecodeError`."""
    return path.read_bytes().decode()


def spread(tasks: Sequence[Task], max_tasks: int, *, max_files: int = 100) -> list[Task]:
    """At most `max_tasks` of the tasks, in their order, from at most `max_files` files.

    The files are evenly spread over those that have tasks; of each of them comes the first task, then of each the
    second, and so on, so that files with many tasks stay places where agents meet.
    """
    paths = list(dict.fromkeys(task.path for task in tasks))
    n_files = min(len(paths), max_files, max_tasks)
    chosen = {paths[index * len(paths) // n_files] for index in range(n_files)}
    n_before: Counter[str] = Counter()
    ranked = []
    for position, task in enumerate(tasks):
        if task.path in chosen:
            ranked.append((n_before[task.path], position))
            n_before[task.path] += 1
    return [tasks[position] for position in sorted(position for _, position in sorted(ranked)[:max_tasks])]
