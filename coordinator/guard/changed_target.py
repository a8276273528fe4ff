"""Paths of git as targets of claims, in each claim space that they belong to.

A folder with settings of its own is a root of its own: whoever works from there claims in another space than who works
from the top, so a path below it is asked for in both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from actors.runtime.errors import BadTarget
from actors.scent_field.target import canonical, escape
from coordinator.config_file import PROJECT_FILE
from coordinator.workspace import Workspace

_UNSPELLED: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]+")


class Place(NamedTuple):
    """A path in one claim space: the folder that is the space's root, as `prefix/` below the top, and its target."""

    space: str
    prefix: str
    target: str


class Map:
    """Finds the places of paths below `top`. `space_of` names the space of a root, where settings do."""

    def __init__(self, top: Path, space_of: Callable[[Path], str | None]) -> None:
        self._top = top
        self._space_of = space_of
        self._roots: dict[str, list[tuple[str, Workspace]]] = {"": [("", self._workspace(""))]}

    def places(self, path: bytes) -> Iterator[Place]:
        """All places of one path, that at the top first."""
        text = path.decode("utf-8", "surrogateescape")
        for prefix, workspace in self._around(text.rpartition("/")[0]):
            yield Place(workspace.space, prefix, _target(workspace, text.removeprefix(prefix)))

    def _around(self, folder: str) -> list[tuple[str, Workspace]]:
        found = self._roots.get(folder)
        if found is None:
            found = self._around(folder.rpartition("/")[0])
            if self._is_root(folder):
                found = [*found, (f"{folder}/", self._workspace(folder))]
            self._roots[folder] = found
        return found

    def _is_root(self, folder: str) -> bool:
        try:
            return (self._top / folder / PROJECT_FILE).is_file()
        except OSError:  # a name that is too long for this disk
            return False

    def _workspace(self, folder: str) -> Workspace:
        root = self._top / folder
        return Workspace(root, space=self._space_of(root))


def _target(workspace: Workspace, path: str) -> str:
    """The target of a path. One that no target can spell is asked for by a pattern that covers it, or by its folder."""
    try:
        return workspace.named_target(path)
    except BadTarget:
        return next(_spellable(path))


def _spellable(path: str) -> Iterator[str]:
    segments = [_UNSPELLED.split(segment) for segment in path.split("/")]
    pattern = "/".join("*".join(map(escape, pieces)) for pieces in segments)
    parents = path.split("/")[:-1]
    wider: Iterable[str] = (f"{escape('/'.join(parents[:n]))}/" for n in range(len(parents), 0, -1))
    for spelled in (pattern, *wider):
        try:
            yield canonical(f"./{spelled}").text
        except BadTarget:
            continue
    yield "./"
