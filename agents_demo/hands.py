"""How an agent of the demo reads and edits: with the coordinator, or with the same engine and nobody to ask.

Both show the same views, byte for byte. What differs is the edit. With the coordinator it is made in the file as it is
at that moment, under a claim. Without, it is made in the text that the agent has read, as in an editor that keeps a
file open: replace, and save the whole; or, with `rereads`, in the file as it is when the edit begins.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from actors.runtime.errors import Misuse
from coordinator.client import Coordinator
from coordinator.editing.atomic_file import read_bytes, replace_file
from coordinator.editing.plan import plan_edit
from coordinator.editing.refusal import Refused
from coordinator.editing.request import EditRequest, Seen
from coordinator.reading.mode import Mode
from coordinator.reading.policy import choose_base_mode
from coordinator.reading.reader import Reading
from coordinator.reading.render import expand, render
from coordinator.reading.source import SourceText, decode
from coordinator.reading.token_count import count_tokens
from coordinator.reading.view import View


@dataclass(frozen=True, slots=True)
class Shown:
    """A view's text below its header, what all of it costs to read, and whether it is the whole file.

    `mode` is what was shown, `source` the name of the rule that chose it, "explicit" where the agent did. `lessons`
    stood beside it; their tokens count.
    """

    text: str
    n_tokens: int
    is_whole: bool
    mode: str = ""
    source: str = ""
    lessons: tuple[str, ...] = ()

    @classmethod
    def of(cls, view: View, lessons: tuple[str, ...] = ()) -> Shown:
        """What an agent gets of a view, and of the lessons beside it."""
        n_tokens = view.tokens + sum(map(count_tokens, lessons))
        return cls(view.body, n_tokens, view.mode == "full", view.mode, view.source, lessons)


@dataclass(frozen=True, slots=True)
class EditAnswer:
    """What came of an edit: made, or already there, or refused for `cause` with a `text` that costs `n_tokens`."""

    landed: bool
    already_done: bool = False
    cause: str = ""
    text: str = ""
    n_tokens: int = 0


class Hands(Protocol):
    """Reading and editing of one tree; paths are relative to its root."""

    def read(self, path: str, mode: str) -> Shown:
        """A view of a file."""

    def expand(self, path: str, unit: str) -> Shown | None:
        """One unit whole; None if there is none of that name."""

    def edit(self, path: str, old: str, new: str) -> EditAnswer:
        """Replace `old`, which must occur once."""


def _shown(reading: Reading) -> Shown:
    return Shown.of(reading.view, reading.lessons)


class CoordinatedHands:
    """Everything through the coordinator.

    Without `learns` an automatic view is what the rule from before anything was learned says: the agent names that mode
    itself, so that the coordinator has no say in it and all else is the same.
    """

    def __init__(self, coordinator: Coordinator, *, learns: bool = True) -> None:
        self._coordinator = coordinator
        self._learns = learns

    def read(self, path: str, mode: str) -> Shown:
        """A view of a file, in the mode that has proven itself when asked for `auto`."""
        if self._learns or mode != "auto":
            return _shown(self._coordinator.read(path, mode))
        base_mode, rule = choose_base_mode(len(decode(read_bytes(self._coordinator.root / path)).lines))
        return replace(_shown(self._coordinator.read(path, base_mode)), source=rule)

    def expand(self, path: str, unit: str) -> Shown | None:
        """One unit whole; None if there is none of that name."""
        try:
            return _shown(self._coordinator.expand(path, unit))
        except Misuse:
            return None

    def edit(self, path: str, old: str, new: str) -> EditAnswer:
        """Edit under a claim. Raises `UnknownAgent` if the session has ended: nothing was written then."""
        edited = self._coordinator.edit(path, old, new)
        if edited.applied:
            return EditAnswer(landed=True)
        text = f"{edited.message}\n{edited.evidence}"
        return EditAnswer(False, bool(edited), edited.cause, text, edited.shown_tokens)


class PlainHands:
    """The same views and the same matching, on files that nobody guards."""

    def __init__(self, root: Path, *, rereads: bool = False) -> None:
        self._root = root
        self._rereads = rereads
        self._opened: dict[str, SourceText] = {}

    def read(self, path: str, mode: str) -> Shown:
        """A view of a file; `auto` goes by its size."""
        source = self._open(path)
        why = "explicit"
        if mode == "auto":
            mode, why = choose_base_mode(len(source.lines))
        return Shown.of(render(source, Mode.parse(mode), path=path, why=why))

    def expand(self, path: str, unit: str) -> Shown | None:
        """One unit whole; None if there is none of that name."""
        try:
            return Shown.of(expand(self._open(path), unit, path=path, why="explicit"))
        except Misuse:
            return None

    def _open(self, path: str) -> SourceText:
        source = self._opened[path] = self._on_disk(path)
        return source

    def _on_disk(self, path: str) -> SourceText:
        return decode(read_bytes(self._root / path))

    def edit(self, path: str, old: str, new: str) -> EditAnswer:
        """Replace in the text that was read last and save it whole, whatever is in the file by now."""
        opened = self._opened[path]
        seen = Seen(opened.content_hash, [(1, len(opened.lines))], "full", opened)
        current = self._on_disk(path) if self._rereads else opened
        plan = plan_edit(EditRequest(path, old, new), current, seen)
        if isinstance(plan, Refused):
            return EditAnswer(False, plan.cause.is_success, plan.cause, plan.message, count_tokens(plan.message))
        replace_file(self._root / path, plan.raw, expected_hash=None)
        self._opened[path] = decode(plan.raw)
        return EditAnswer(landed=True)
