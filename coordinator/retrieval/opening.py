"""The index of a workspace: where it lies, and by which settings it is made."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from coordinator.retrieval.index_file import IndexFile
from coordinator.retrieval.model import Model, model_for
from coordinator.retrieval.tree_retriever import TreeRetriever

if TYPE_CHECKING:
    from coordinator.settings import Settings
    from coordinator.workspace import Workspace

_FOLDER: Final = "retrieval"
_SUFFIX: Final = ".sqlite3"


def index_folder(state_dir: Path) -> Path:
    """Where the indices of a state folder are kept; it may not be there yet."""
    return state_dir / _FOLDER


def index_files(state_dir: Path) -> list[IndexFile]:
    """The indices of all trees of a state folder, in the order of their names."""
    return [IndexFile(path) for path in sorted(index_folder(state_dir).glob(f"*{_SUFFIX}"))]


def retriever_of(settings: Settings, workspace: Workspace, actor: Model | None) -> TreeRetriever:
    """What searches the tree of this workspace; `actor` is the way to the embedding actor, if there is one."""
    index = IndexFile(index_folder(settings.state_dir) / f"{workspace.digest}{_SUFFIX}")
    return TreeRetriever(workspace.root, index, model_for(settings, actor), settings.retrieval)
