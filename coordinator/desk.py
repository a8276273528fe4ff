"""An agent's desk: the tree it works on, what it has been shown, and where earlier versions are kept."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, TypeVar

from actors.runtime.errors import NOT_OURS, Corrupt, ScentfieldError
from coordinator.editing.blob_store import BlobStore
from coordinator.editing.request import Seen
from coordinator.editing.undo import EditEntry, EditLog
from coordinator.folder import private_folder
from coordinator.reading.focus import Focus
from coordinator.reading.source import SourceText, decode
from coordinator.reading.view_book import ViewBook
from coordinator.workspace import Workspace

MAX_NAMED: Final = 10
Value = TypeVar("Value")


@dataclass(slots=True)
class Desk:
    """What reading and editing share.

    Blobs belong to the node, the edit log to its tree, book and focus to one agent.
    """

    workspace: Workspace
    blobs: BlobStore
    log: EditLog
    book: ViewBook = field(default_factory=ViewBook)
    focus: Focus = field(default_factory=Focus)

    @classmethod
    def set_up(cls, workspace: Workspace, state_dir: Path, *, blob_bytes: int) -> Desk:
        """A desk over the state folder of this node; makes its private folders.

        Blobs are shared by all trees. The edit log is the tree's own: in another work tree of the same repository,
        which shares the claim space, the file of the same name is another file.
        """
        folder = private_folder(state_dir)
        return cls(
            workspace,
            BlobStore(folder / "blobs", max_total_bytes=blob_bytes),
            EditLog(folder / "edits" / workspace.digest),
        )

    def locate(self, named: str | os.PathLike[str]) -> tuple[str, Path]:
        """The target of a file that somebody named, and where it is. Raises `BadTarget`."""
        target = self.workspace.target(named)
        return target, self.workspace.path(target)

    def seen(self, target: str) -> Seen | None:
        """What this agent last saw of a file; None if it never read it."""
        known = self.book.of(target)
        if known is None:
            return None
        return Seen(known.content_hash, known.shown.ranges, known.last_mode, self.version(known.content_hash))

    def expected(self, content_hash: str) -> Seen | None:
        """The version of a file that somebody names by its hash, while it is kept."""
        source = self.version(content_hash)
        return None if source is None else Seen(content_hash, source=source)

    def changed_outside(self, target: str, content_hash: str) -> bool:
        """Whether a file is another than this agent last read, and no edit of ours made it so."""
        known = self.book.of(target)
        if known is None or known.content_hash == content_hash:
            return False
        return self.log.who_made(target, content_hash) is None

    def changed_by_others(self, target: str, content_hash: str, agent_id: str) -> list[str]:
        """Which other agents have changed a file since this one last read it, the last one first, 10 at most.

        Also where something outside, such as a formatter, or an edit of its own has gone over theirs since.
        """
        known = self.book.of(target)
        if known is None or known.content_hash == content_hash:
            return []
        made = self.log.who_made(target, content_hash)
        edits = self.log.since(target, known.content_hash) or ([] if made is None else [made])
        return list(dict.fromkeys(edit.agent_id for edit in edits if edit.agent_id != agent_id))[:MAX_NAMED]

    def mode_of(self, target: str) -> str:
        """The mode of this agent's last whole-file view of a file; empty if it had none."""
        known = self.book.of(target)
        return "" if known is None else known.last_mode

    def arms_of(self, target: str) -> tuple[str, ...]:
        """The learned layers that this view went without."""
        known = self.book.of(target)
        return () if known is None else known.arms

    def logged(self, entry: EditEntry) -> tuple[str, ...]:
        """Put an edit on record; returns why it is not, if it is not. Never stops the work: the edit was made."""
        try:
            self.log.append(entry)
        except ScentfieldError as error:
            return (f"the edit was made but not logged, so it cannot be undone: {error.message}",)
        return ()

    def keep(self, raw: bytes) -> str | None:
        """Keep a version of a file for diffs and undo; returns why it is not kept, or None. Never stops the work."""
        try:
            self.blobs.put(raw)
        except ScentfieldError as error:
            return f"this version is not kept, so there will be no diff and no undo: {error.message}"
        return self.blobs.refusal(raw)

    def version(self, content_hash: str) -> SourceText | None:
        """An earlier version of a file, while its blob is kept."""
        raw = self.blobs.get(content_hash)
        return None if raw is None else decode(raw)


class BookFile:
    """A view book on disk, for agents that live for one command."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> ViewBook:
        """The book, empty if there is none. Raises `Corrupt` for a file that is no book; it is left as it is."""
        return _loaded(self._path, ViewBook.from_plain, "has read", "read files again") or ViewBook()

    def save(self, book: ViewBook) -> None:
        """Replace the file at once."""
        _save(self._path, book.to_plain())


class FocusFile:
    """What an agent that lives for one command is working on, on disk."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def load(self) -> Focus:
        """The focus, on nothing if there is none. Raises `Corrupt` for a file that is none; it is left as it is."""
        return _loaded(self._path, Focus.from_plain, "works on", "say its task again") or Focus()

    def save(self, focus: Focus) -> None:
        """Replace the file at once; without a focus there is none."""
        if focus != Focus() or self._path.exists():
            _save(self._path, focus.to_plain())


def _loaded(path: Path, build: Callable[[Any], Value], what: str, then: str) -> Value | None:
    """What a file holds; None if there is none."""
    try:
        return build(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (OSError, *NOT_OURS) as error:
        raise Corrupt(f"{path} does not hold what this agent {what} ({error}): move it away, and {then}") from error


def _save(path: Path, plain: Any) -> None:
    private_folder(path.parent)
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    temporary.write_text(json.dumps(plain), encoding="utf-8")
    temporary.replace(path)
