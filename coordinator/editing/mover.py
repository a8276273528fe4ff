"""Deleting and moving files as an agent: under claims, never over another file, logged and undoable.

What is deleted or moved is a file's bytes, so binary files are too. Folders are not, and nor are symlinks: what such a
name leads to belongs to whoever named it.
"""

from __future__ import annotations

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
        permit = yield from self._gate.ask(session, (target,))
        if isinstance(permit, Denied):
            outcome = self._reports.claimed(target, permit)
        else:
            try:
                outcome = yield Work(lambda: self._delete(session, permit, path, expect_hash))
            finally:
                yield from self._gate.give_back(session, permit)
        yield from self._reports.send(session, target, outcome)
        return outcome.edited

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
        permit = yield from self._gate.ask(session, (target, new_target))
        if isinstance(permit, Denied):
            outcome = self._reports.claimed(target, permit)
        else:
            try:
                outcome = yield Work(lambda: self._move(session, permit, path, new_path, expect_hash))
            finally:
                yield from self._gate.give_back(session, permit)
        yield from self._reports.send(session, target, outcome)
        return outcome.edited

    def _locate(self, named: str | PathLike[str]) -> tuple[str, Path]:
        return self._desk.locate(self._desk.workspace.own_target(named))

    def _delete(self, session: AgentSession | None, permit: Permit, path: Path, expect_hash: str | None) -> Outcome:
        (target,) = permit.targets
        for _ in range(MAX_TRIES):
            found = self._find(target, path, expect_hash, gone_to="")
            if isinstance(found, Refused):
                return self._refused(target, found, permit)
            before_hash, unkept = found
            check = partial(self._gate.check, session, permit)
            try:
                mode = remove_file(path, expected_hash=before_hash, before_unlink=check)
            except (StaleFile, FileVanished):
                continue
            entry = EditEntry(target, before_hash, None, *permit.signed_by(session), self._utc(), file_mode=mode)
            warnings = (*permit.warnings, *unkept, *self._desk.logged(entry))
            view_mode = self._desk.mode_of(target)
            self._desk.book.forget(target)
            edited = Edited(
                target,
                True,
                "deleted",
                f"{target!r}: deleted",
                generation=permit.generation,
                warnings=warnings,
                hints=permit.hints,
            )
            return Outcome(edited, "success", "deleted", view_mode, voids_escalation=True)
        raise _unsettled(target)

    def _move(
        self, session: AgentSession | None, permit: Permit, path: Path, new_path: Path, expect_hash: str | None
    ) -> Outcome:
        target, new_target = permit.targets
        for _ in range(MAX_TRIES):
            found = self._find(target, path, expect_hash, gone_to=new_target)
            if isinstance(found, Refused):
                return self._refused(target, found, permit)
            file_hash, _ = found
            check = partial(self._gate.check, session, permit)
            try:
                move_file(path, new_path, expected_hash=file_hash, before_rename=check)
            except FileExists:
                return self._refused(target, refusal.taken(new_target), permit)
            except (StaleFile, FileVanished):
                continue
            signed = permit.signed_by(session)
            entry = EditEntry(new_target, None, file_hash, *signed, self._utc(), from_path=target)
            warnings = (*permit.warnings, *self._desk.logged(entry))
            view_mode = self._desk.mode_of(target)
            self._desk.book.move(target, new_target)
            edited = Edited(
                new_target,
                True,
                "moved",
                f"{target!r}: moved to {new_target!r}",
                file_hash,
                generation=permit.generation,
                warnings=warnings,
                hints=permit.hints,
            )
            return Outcome(edited, "success", "moved", view_mode, moved_to=new_target)
        raise _unsettled(target)

    def _find(
        self, target: str, path: Path, expect_hash: str | None, *, gone_to: str
    ) -> tuple[str, tuple[str, ...]] | Refused:
        """The file's hash, and why its content is not kept, if it is not."""
        try:
            raw = read_bytes(path)
        except FileVanished:
            return self._missing(target, gone_to)
        found_hash = content_hash(raw)
        if expect_hash not in (None, found_hash):
            return refusal.stale_hash(target, str(expect_hash), found_hash)
        unkept = self._desk.keep(raw)
        return found_hash, () if unkept is None else (unkept,)

    def _missing(self, target: str, gone_to: str) -> Refused:
        """A call that is made twice finds its work done, which is a success."""
        last = self._desk.log.who_removed(target)
        if last is None:
            return refusal.missing_whole(target)
        is_done = last.path == gone_to if gone_to else not last.from_path
        return refusal.gone(target, gone_to) if is_done else refusal.missing_whole(target)

    def _refused(self, target: str, refused: Refused, permit: Permit) -> Outcome:
        edited = Edited(target, False, refused.cause, refused.message, generation=permit.generation)
        outcome = "success" if refused.cause.is_success else "failure"
        return Outcome(edited, outcome, refused.cause, self._desk.mode_of(target))


def _unsettled(target: str) -> StaleFile:
    return StaleFile(f"{target!r} changes faster than it can be looked at (by a program outside): try again later")
