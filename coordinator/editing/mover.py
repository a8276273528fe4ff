"""Deleting and moving files as an agent: under claims, never over another file, logged and undoable.

What is deleted or moved is a file's bytes, so binary files are too. Folders are not, and nor are symlinks: what such a
name leads to belongs to whoever named it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from os import PathLike
from pathlib import Path

from actors.runtime.errors import Misuse
from coordinator.desk import Desk
from coordinator.editing import refusal
from coordinator.editing.atomic_file import move_file, read_bytes, remove_file
from coordinator.editing.edited import Edited
from coordinator.editing.editor import MAX_TRIES
from coordinator.editing.file_error import FileExists, FileVanished, StaleFile
from coordinator.editing.permit import Denied, EditPort, Gate, Permit
from coordinator.editing.refusal import Refused
from coordinator.editing.report import Outcome, Reports
from coordinator.editing.undo import EditEntry
from coordinator.reading.source import content_hash
from coordinator.session import AgentSession
from coordinator.step import Operation, Work


class Mover:
    """Deletes and moves files of one desk. A `session` that is None means that nobody can be asked."""

    def __init__(self, desk: Desk, port: EditPort) -> None:
        self._desk = desk
        self._utc = port.utc
        self._gate = Gate(desk.workspace.space, port)
        self._reports = Reports(desk, port)

    def delete(
        self, session: AgentSession | None, named: str | PathLike[str], expect_hash: str | None
    ) -> Operation[Edited]:
        """Delete a file. Raises as `Editor.edit`, and `BadTarget` for a symlink."""
        target, path = yield Work(lambda: self._locate(named))

        def delete(file_hash: str, permit: Permit) -> EditEntry:
            check = partial(self._gate.check, session, permit)
            mode = remove_file(path, expected_hash=file_hash, before_unlink=check)
            return EditEntry(target, file_hash, None, *permit.signed_by(session), self._utc(), file_mode=mode)

        return (yield from self._change(session, (target,), path, expect_hash, delete))

    def move(
        self,
        session: AgentSession | None,
        named: str | PathLike[str],
        new_name: str | PathLike[str],
        expect_hash: str | None,
    ) -> Operation[Edited]:
        """Give a file another name, under a claim on both. Raises as `delete`."""
        target, path = yield Work(lambda: self._locate(named))
        new_target, new_path = yield Work(lambda: self._locate(new_name))
        if target == new_target:
            raise Misuse(f"{target!r} cannot be moved to itself: name two paths")

        def move(file_hash: str, permit: Permit) -> EditEntry:
            check = partial(self._gate.check, session, permit)
            move_file(path, new_path, expected_hash=file_hash, before_rename=check)
            return EditEntry(new_target, None, file_hash, *permit.signed_by(session), self._utc(), from_path=target)

        return (yield from self._change(session, (target, new_target), path, expect_hash, move))

    def _locate(self, named: str | PathLike[str]) -> tuple[str, Path]:
        return self._desk.locate(self._desk.workspace.own_target(named))

    def _change(
        self,
        session: AgentSession | None,
        targets: tuple[str, ...],
        path: Path,
        expect_hash: str | None,
        make: Callable[[str, Permit], EditEntry],
    ) -> Operation[Edited]:
        """Change the first of the targets, the file at `path`, under a claim on all of them."""
        permit = yield from self._gate.ask(session, targets)
        if isinstance(permit, Denied):
            outcome = self._reports.claimed(targets[0], permit)
        else:
            try:
                outcome = yield Work(lambda: self._made(permit, path, expect_hash, make))
            finally:
                yield from self._gate.give_back(session, permit)
        yield from self._reports.send(session, targets[0], outcome)
        return outcome.edited

    def _made(
        self, permit: Permit, path: Path, expect_hash: str | None, make: Callable[[str, Permit], EditEntry]
    ) -> Outcome:
        for _ in range(MAX_TRIES):
            found = self._find(permit, path, expect_hash)
            if isinstance(found, Refused):
                return self._refused(found, permit)
            file_hash, unkept = found
            try:
                return self._done(make(file_hash, permit), permit, unkept)
            except FileExists:
                return self._refused(refusal.taken(permit.targets[-1]), permit)
            except (StaleFile, FileVanished):
                continue
        raise StaleFile(f"{permit.targets[0]!r} changes faster than it can be read (by a program outside): try later")

    def _find(self, permit: Permit, path: Path, expect_hash: str | None) -> tuple[str, tuple[str, ...]] | Refused:
        """The file's hash, and why what is to be deleted cannot be kept, if it cannot."""
        target = permit.targets[0]
        try:
            raw = read_bytes(path)
        except FileVanished:
            return self._missing(target, permit.targets[-1])
        found_hash = content_hash(raw)
        if expect_hash not in (None, found_hash):
            return refusal.stale_hash(target, str(expect_hash), found_hash)
        unkept = self._desk.keep(raw) if len(permit.targets) == 1 else None
        return found_hash, () if unkept is None else (unkept,)

    def _missing(self, target: str, new_target: str) -> Refused:
        """A call that is made twice finds its work done, which is a success."""
        last = self._desk.log.who_removed(target)
        is_done = last is not None and last.path == new_target
        return refusal.gone(target, new_target) if is_done else refusal.missing_whole(target)

    def _done(self, entry: EditEntry, permit: Permit, unkept: tuple[str, ...]) -> Outcome:
        target, view_mode = permit.targets[0], self._desk.mode_of(permit.targets[0])
        warnings = (*permit.warnings, *unkept, *self._desk.logged(entry))
        if entry.from_path:
            cause, said = "moved", f"moved to {entry.path!r}"
            self._desk.book.move(target, entry.path)
        else:
            cause = said = "deleted"
            self._desk.book.forget(target)
        edited = Edited(
            entry.path,
            True,
            cause,
            f"{target!r}: {said}",
            entry.after_hash or "",
            generation=permit.generation,
            warnings=warnings,
            hints=permit.hints,
        )
        moved_to = entry.path if entry.from_path else ""
        return Outcome(edited, "success", cause, view_mode, voids_escalation=not moved_to, moved_to=moved_to)

    def _refused(self, refused: Refused, permit: Permit) -> Outcome:
        target = permit.targets[0]
        edited = Edited(target, False, refused.cause, refused.message, generation=permit.generation)
        outcome = "success" if refused.cause.is_success else "failure"
        return Outcome(edited, outcome, refused.cause, self._desk.mode_of(target))
