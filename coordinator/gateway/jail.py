"""The trees that agents of a gateway may work in; everything else is out of their reach."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

from actors.runtime.errors import Misuse, ScentfieldError
from coordinator.settings import Settings
from coordinator.workspace import Workspace

_SHOWN: Final = 5
_CLOSED: Final = frozenset({".git"})
"""What is in there names programs that git runs, and holds passwords of remote repositories."""


class Jail:
    """Gives workspaces inside the roots. The first root is what an agent gets that names none."""

    def __init__(self, settings: Settings, started_in: Path) -> None:
        self._settings = settings
        self._roots = [Path(os.path.realpath(root)) for root in (settings.gateway.roots or (started_in,))]

    def workspace(self, asked: str) -> Workspace:
        """The tree around the folder `asked`; the first root if it is empty.

        Raises `Misuse` for a folder outside of all roots, also by a link, and for what is no absolute path of a folder.
        """
        if not asked:
            return self._tree(self._roots[0])
        folder = Path(asked)
        # Path.is_dir raises for a name that is too long, and below a folder that may not be looked into.
        if "\0" in asked or not folder.is_absolute() or not os.path.isdir(folder):  # noqa: PTH112
            raise Misuse(f"the root {asked[:200]!r} is not the absolute path of a folder here: name one that is")
        folder = Path(os.path.realpath(folder))
        inside = next((root for root in self._roots if folder.is_relative_to(root)), None)
        if inside is None:
            listed = ", ".join(map(str, self._roots[:_SHOWN]))
            raise Misuse(
                f"{str(folder)!r} lies outside of what this gateway serves ({listed}): "
                "add it to roots under [gateway] and restart it with `scentfield down`, `scentfield up`"
            )
        top = Workspace.discover(folder).root
        return self._tree(top if top.is_relative_to(inside) else inside)

    def spaces(self) -> list[str]:
        """The claim spaces of the roots, each once, the first root's first; a root that cannot be read has none."""
        found: dict[str, None] = {}
        for root in self._roots:
            with contextlib.suppress(ScentfieldError, OSError):
                found[self._tree(root).space] = None
        return list(found)

    def _tree(self, root: Path) -> Workspace:
        """The workspace at `root`, in the space that its own settings name."""
        space = self._settings.space
        return Workspace(root, space=Settings.load(start=root).space if space is None else space, closed=_CLOSED)
