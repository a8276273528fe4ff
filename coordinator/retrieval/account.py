"""What the indices of a node hold and what was found in them, over all trees; for whoever shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from actors.runtime.errors import ScentfieldError
from coordinator.retrieval.index_file import IndexFile
from coordinator.retrieval.opening import index_files

MAX_TREES: Final = 200
"""So many indices are looked into; the others are counted as trees only."""


class TreeTally(NamedTuple):
    """What searches of one tree were counted as. `name` is its index's, and `inode` that of the index's file."""

    name: str
    inode: int
    tally: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RetrievalAccount:
    """Sums over the trees; `n_unreadable` indices are damaged, of another version, or being written by somebody else.

    `tally` is what searches were counted as, by the names of `Tally`; `trees` are its parts, of each index that could
    be looked into.
    """

    n_trees: int = 0
    n_unreadable: int = 0
    n_files: int = 0
    n_sections: int = 0
    n_vectors: int = 0
    n_bytes: int = 0
    tally: Mapping[str, float] = field(default_factory=dict)
    trees: tuple[TreeTally, ...] = ()


def account_of(state_dir: Path) -> RetrievalAccount:
    """The account of the indices in a state folder. Changes none of them, and raises for none."""
    files = index_files(state_dir)
    sums: Counter[str] = Counter()
    tally: Counter[str] = Counter()
    trees: list[TreeTally] = []
    for one in files[:MAX_TREES]:
        with closing(one):
            counted = _counted(one)
        if counted is None:
            sums["unreadable"] += 1
        else:
            sums.update(counted[0])
            tally.update(counted[1].tally)
            trees.append(counted[1])
    return RetrievalAccount(
        len(files),
        sums["unreadable"],
        sums["files"],
        sums["sections"],
        sums["vectors"],
        sums["bytes"],
        dict(tally),
        tuple(trees),
    )


def _counted(index: IndexFile) -> tuple[Mapping[str, int], TreeTally] | None:
    try:
        if not index.is_current:
            return None
        return index.counts(), TreeTally(index.path.stem, index.path.stat().st_ino, index.tally())
    except (ScentfieldError, OSError):
        return None
