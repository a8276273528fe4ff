"""What the indices of a node hold and what was found in them, over all trees; for whoever shows it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from actors.runtime.errors import ScentfieldError
from coordinator.retrieval.index_file import IndexFile
from coordinator.retrieval.opening import index_files

MAX_TREES: Final = 200
"""So many indices are looked into; the others are counted as trees only."""


@dataclass(frozen=True, slots=True)
class RetrievalAccount:
    """Sums over the trees; `n_unreadable` indices are damaged, of another version, or being written by somebody else.

    `tally` is what searches were counted as, by the names of `Tally`.
    """

    n_trees: int = 0
    n_unreadable: int = 0
    n_files: int = 0
    n_sections: int = 0
    n_vectors: int = 0
    n_bytes: int = 0
    tally: Mapping[str, int] = field(default_factory=dict)


def account_of(state_dir: Path) -> RetrievalAccount:
    """The account of the indices in a state folder. Changes none of them, and raises for none."""
    files = index_files(state_dir)
    sums: Counter[str] = Counter()
    tally: Counter[str] = Counter()
    for one in files[:MAX_TREES]:
        with closing(one):
            counted = _counted(one)
        if counted is None:
            sums["unreadable"] += 1
        else:
            sums.update(counted[0])
            tally.update(counted[1])
    return RetrievalAccount(
        len(files), sums["unreadable"], sums["files"], sums["sections"], sums["vectors"], sums["bytes"], dict(tally)
    )


def _counted(index: IndexFile) -> tuple[Mapping[str, int], Mapping[str, int]] | None:
    try:
        return (index.counts(), index.tally()) if index.is_current else None
    except ScentfieldError:
        return None
