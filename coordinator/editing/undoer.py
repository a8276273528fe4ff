"""Taking edits back: text, creations, deletions and moves, each only if nothing has happened to the file since."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from os import PathLike

from actors.quality_store.cause import SUCCESS, UNDONE
from coordinator.desk import Desk
from coordinator.editing.atomic_file import create_file, move_file, read_bytes, remove_file, replace_file
from coordinator.editing.edited import Edited
from coordinator.editing.file_error import FileExists, FileVanished
from coordinator.editing.permit import Denied, EditPort, Gate, Permit
from coordinator.editing.report import Outcome, Reports
from coordinator.editing.undo import CannotUndo, EditEntry, Undo
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import content_hash
from coordinator.session import AgentSession
from coordinator.step import Operation, Work


@dataclass(frozen=True, slots=True)
class _Undone:
    """A change that was taken back, and the name that its file had until then."""

    target: str
    outcome: Outcome


class Undoer:
    """Takes back edits of one desk. A `session` that is None means that nobody can be asked."""

    def __init__(self, desk: Desk, port: EditPort) -> None:
        self._desk = desk
        self._utc = port.utc
        self._gate = Gate(desk.workspace.space, port)
        self._reports = Reports(desk, port)

    def undo(self, session: AgentSession | None, named: str | PathLike[str]) -> Operation[Edited]:
        """Take back the newest edit of a file, unless the file has changed since. Raises as `Editor.edit`."""
        target, _ = yield Work(lambda: self._desk.locate(named))
        last: EditEntry | None = yield Work(lambda: self._desk.log.last(target))
        targets = (target,) if last is None else (target, *(path for path in last.paths if path != target))
        permit = yield from self._gate.ask(session, targets)
        if isinstance(permit, Denied):
            denied = self._reports.claimed(target, permit)
            yield from self._reports.send(session, target, denied)
            return denied.edited
        try:
            undone: Edited | _Undone = yield Work(lambda: self._take_back(session, target, permit))
        finally:
            yield from self._gate.give_back(session, permit)
        if isinstance(undone, Edited):
            return undone
        yield from self._reports.send(session, undone.target, undone.outcome)
        return undone.outcome.edited

    def _take_back(self, session: AgentSession | None, target: str, permit: Permit) -> Edited | _Undone:
        """What was done for the reports, or why nothing was, of which nobody is told."""
        current_hash = self._hash_of(target)
        plan = self._plan(target, current_hash, permit)
        if isinstance(plan, CannotUndo):
            return Edited(target, False, "cannot_undo", plan.message, current_hash or "")
        entry = plan.entry
        is_redo, view_mode = self._desk.log.was_undo(entry), self._desk.mode_of(entry.path)
        try:
            done = self._carry_out(session, target, plan, permit)
        except FileExists as error:
            return Edited(target, False, "cannot_undo", error.message, current_hash or "")
        if isinstance(done, CannotUndo):
            return Edited(target, False, "cannot_undo", done.message, current_hash or "")
        message = f"{target!r}: {_told(entry)}"
        if is_redo:
            message = f"{target!r}: the undo of {entry.agent_id} was undone, the edit before it is there again"
        edited = Edited(
            entry.from_path or target,
            True,
            UNDONE,
            message,
            done.after_hash or "",
            generation=permit.generation,
            warnings=(*permit.warnings, *self._desk.logged(done)),
        )
        is_gone, moved_to = done.after(entry.path) is None, entry.from_path or ""
        outcome = Outcome(edited, SUCCESS, UNDONE, view_mode, is_gone and not moved_to, moved_to=moved_to)
        return _Undone(entry.path, outcome)

    def _hash_of(self, target: str) -> str | None:
        try:
            return content_hash(read_bytes(self._desk.workspace.path(target)))
        except FileVanished:
            return None

    def _plan(self, target: str, current_hash: str | None, permit: Permit) -> Undo | CannotUndo:
        """What the log says; of a file that was moved away, what it says of it at its new path too."""
        plan = self._desk.log.plan_undo(target, current_hash)
        if isinstance(plan, CannotUndo):
            return plan
        if not set(plan.entry.paths) <= set(permit.targets):
            return CannotUndo(f"{target!r} has been changed just now: look at it, then undo that if it has to go")
        if target != plan.entry.from_path:
            return plan
        there = self._desk.log.plan_undo(plan.entry.path, self._hash_of(plan.entry.path))
        if isinstance(there, Undo) and there.entry != plan.entry:
            return CannotUndo(f"{target!r} was moved to {there.entry.path!r} and edited there: undo that first")
        return there

    def _carry_out(
        self, session: AgentSession | None, target: str, plan: Undo, permit: Permit
    ) -> EditEntry | CannotUndo:
        """Change the file, and what the agent is believed to know of it; returns what that is for the log."""
        entry, book = plan.entry, self._desk.book
        workspace, check = self._desk.workspace, partial(self._gate.check, session, permit)
        path, signed = workspace.path(target), permit.signed_by(session)
        if entry.from_path:
            move_file(
                workspace.path(entry.path),
                workspace.path(entry.from_path),
                expected_hash=entry.after_hash,
                before_rename=check,
            )
            book.move(entry.path, entry.from_path)
            return EditEntry(entry.from_path, None, entry.after_hash, *signed, self._utc(), from_path=entry.path)
        if plan.before_hash is None:
            mode = remove_file(path, expected_hash=entry.after_hash, before_unlink=check)
            book.forget(target)
            return EditEntry(target, entry.after_hash, None, *signed, self._utc(), file_mode=mode)
        before = self._desk.blobs.get(plan.before_hash)
        if before is None:
            return CannotUndo(f"{target!r}: the version before is no longer kept")
        if entry.after_hash is None:
            check()
            create_file(path, before, mode=entry.file_mode)
        else:
            replace_file(path, before, expected_hash=entry.after_hash, before_rename=check)
        book.mark_shown(target, plan.before_hash, ShownLines())
        return EditEntry(target, entry.after_hash, plan.before_hash, *signed, self._utc())


def _told(entry: EditEntry) -> str:
    if entry.from_path:
        return f"moved back from {entry.path!r} to {entry.from_path!r}, as it was before the move by {entry.agent_id}"
    if entry.after_hash is None:
        return f"there again, as it was before {entry.agent_id} deleted it"
    if entry.before_hash is None:
        return f"removed, as it was before {entry.agent_id} made it"
    return f"put back as it was before the edit of {entry.agent_id}"
