"""Editing a file as an agent: under a claim, exactly, atomically, and reported.

Order of an edit: the session is surely alive; the file is claimed (for its duration, if the agent does not hold it);
the text is matched; the session is still surely alive; the file is replaced if it is still the one that was matched;
log, report, release. Whoever is overtaken in between is refused before it writes, or told by the next edit's pre-image.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Final

from actors.quality_store.messages import RecordOutcome
from actors.runtime.errors import ScentfieldError, Unavailable, UnknownAgent
from actors.scent_field.messages import Check, Checked, Claim, Granted, Progress, Release
from coordinator.asking import Asker
from coordinator.conversation import value_of
from coordinator.desk import Desk
from coordinator.editing import refusal
from coordinator.editing.atomic_file import create_file, read_bytes, remove_file, replace_file
from coordinator.editing.evidence import Evidence, evidence_for
from coordinator.editing.file_error import FileExists, FileVanished, StaleFile
from coordinator.editing.plan import Applies, Plan, plan_edit
from coordinator.editing.refusal import Cause, Refused
from coordinator.editing.request import EditRequest, Seen
from coordinator.editing.shown_line import after_edit
from coordinator.editing.undo import CannotUndo
from coordinator.reading.grammar import outline_of
from coordinator.reading.marker import find_markers
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import BinaryFile, SourceText, content_hash, decode
from coordinator.reading.token_count import count_tokens
from coordinator.session import AgentSession
from coordinator.step import Operation, Work

EDIT_TROUBLE: Final = 1.0
_MAX_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class Edited:
    """What came of an edit; true in a condition if the file is as the caller wants it.

    `cause` is `applied`, `create`, `undone`, or why nothing was written. `evidence` is the file's text where it helps;
    `shown_tokens` what it costs to read. `warnings` say what was questionable about an edit that was made.
    """

    path: str
    applied: bool
    cause: str
    message: str
    content_hash: str = ""
    evidence: str = ""
    shown_tokens: int = 0
    generation: int = 0
    warnings: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.applied or self.cause == Cause.ALREADY_APPLIED

    def to_dict(self) -> dict[str, Any]:
        """The result for programs."""
        return {
            "path": self.path,
            "applied": self.applied,
            "cause": self.cause,
            "message": self.message,
            "content_hash": self.content_hash,
            "evidence": self.evidence,
            "generation": self.generation,
            "warnings": list(self.warnings),
        }


@dataclass(frozen=True, slots=True)
class _Permit:
    """Leave to write: the claim's generation, whether it was made for this edit only, and warnings."""

    generation: int
    is_temporary: bool
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What one look at the file gave: its text (None: no file), what the agent had seen of it, and the plan."""

    current: SourceText | None
    seen: Seen | None
    plan: Plan


class Editor:
    """Edits files of one desk. `monotonic` is the client's own deadline clock, `utc` dates the log."""

    def __init__(
        self,
        desk: Desk,
        field: Asker,
        quality: Asker,
        *,
        when_unavailable: str,
        monotonic: Callable[[], float] = time.monotonic,
        utc: Callable[[], float] = time.time,
    ) -> None:
        self._desk = desk
        self._field = field
        self._quality = quality
        self._when_unavailable = when_unavailable
        self._monotonic = monotonic
        self._utc = utc

    def edit(self, session: AgentSession | None, named: str | PathLike[str], request: EditRequest) -> Operation[Edited]:
        """Make one edit. Raises `BadTarget`, `UnknownAgent` (the session has ended) and `Unavailable`."""
        target, path = yield Work(lambda: self._locate(named))
        request = replace(request, path=target)
        permit = yield from self._permit(session, target)
        if isinstance(permit, Checked):
            return (yield from self._claimed_by_other(session, target, permit))
        try:
            return (yield from self._make(session, target, path, request, permit))
        finally:
            if permit.is_temporary and session is not None:
                yield from self._release(session, target)

    def _locate(self, named: str | PathLike[str]) -> tuple[str, Path]:
        target = self._desk.workspace.target(named)
        return target, self._desk.workspace.path(target)

    def _permit(self, session: AgentSession | None, target: str) -> Operation[_Permit | Checked]:
        """Leave to write this file, or who holds it."""
        if session is None:
            return self._without_coordinator("there is no coordinator")
        try:
            return (yield from self._claim(session, target))
        except Unavailable as error:
            return self._without_coordinator(error.message)

    def _without_coordinator(self, why: str) -> _Permit:
        if self._when_unavailable == "refuse":
            raise Unavailable(
                f"{why}, so nobody can say whether the file is free: nothing was written. Start it with "
                "`scentfield up`, or set when_unavailable = 'warn' to edit without"
            )
        return _Permit(0, is_temporary=False, warnings=(f"edited without a coordinator: {why}",))

    def _claim(self, session: AgentSession, target: str) -> Operation[_Permit | Checked]:
        if session.end is not None:
            raise session.end
        space = self._desk.workspace.space
        answers = yield from self._field.request_many(
            session,
            [
                Claim(space, (target,), "exclusive", 0.0, "edit"),
                Check(space, target, 0, session.session_id),
            ],
        )
        granted = value_of(answers[0])
        checked: Checked = value_of(answers[1])
        if isinstance(granted, Granted):
            return _Permit(granted.generation, is_temporary=not granted.renewed)
        if checked.strictness == "deny":
            return checked
        if checked.strictness == "observe":
            return _Permit(0, is_temporary=False)
        return _Permit(0, is_temporary=False, warnings=(f"{target!r} is claimed by {checked.holder}",))

    def _claimed_by_other(self, session: AgentSession | None, target: str, checked: Checked) -> Operation[Edited]:
        refused = refusal.claimed(target, checked.holder or "an earlier waiter")
        yield from self._report(session, target, "failure", Cause.CLAIMED, trouble=0.0)
        return Edited(target, False, Cause.CLAIMED, refused.message, generation=checked.holder_generation)

    def _make(
        self, session: AgentSession | None, target: str, path: Path, request: EditRequest, permit: _Permit
    ) -> Operation[Edited]:
        for _ in range(_MAX_TRIES):
            attempt: _Attempt = yield Work(lambda: self._plan(target, path, request))
            if isinstance(attempt.plan, Refused):
                return (yield from self._refused(session, target, attempt, attempt.plan, permit))
            self._still_alive(session)
            try:
                yield Work(partial(self._write, path, attempt))
            except (StaleFile, FileVanished, FileExists):
                continue
            return (yield from self._landed(session, target, request, attempt, attempt.plan, permit))
        raise StaleFile(f"{target!r} changes faster than it can be edited (by a program outside): try again later")

    def _plan(self, target: str, path: Path, request: EditRequest) -> _Attempt:
        seen = self._desk.seen(target)
        try:
            current = decode(read_bytes(path))
        except FileVanished:
            current = None
        except BinaryFile:
            return _Attempt(None, seen, refusal.binary(target))
        tags = self._desk.book.all_tags
        plan = plan_edit(request, current, seen, find_markers=lambda text: find_markers(text, tags))
        return _Attempt(current, seen, plan)

    def _still_alive(self, session: AgentSession | None) -> None:
        """Past the client's own deadline nothing is written, whether or not anybody has said so."""
        if session is not None and not session.is_valid(self._monotonic()):
            raise session.end or UnknownAgent(
                f"agent {session.session_id!r} has not been heard for its TTL, its claims may be somebody else's by "
                "now: nothing was written. Register anew, read the file again, then edit"
            )

    def _write(self, path: Path, attempt: _Attempt) -> None:
        plan = attempt.plan
        if not isinstance(plan, Applies):
            return
        self._desk.blobs.put(plan.raw)
        if attempt.current is None:
            create_file(path, plan.raw)
            return
        self._desk.blobs.put(attempt.current.encode(attempt.current.text))
        replace_file(path, plan.raw, expected_hash=attempt.current.content_hash)

    def _landed(
        self,
        session: AgentSession | None,
        target: str,
        request: EditRequest,
        attempt: _Attempt,
        plan: Applies,
        permit: _Permit,
    ) -> Operation[Edited]:
        after_hash = content_hash(plan.raw)
        before_hash = None if attempt.current is None else attempt.current.content_hash
        warnings = (*permit.warnings, *self._overtaken(attempt))
        warnings += yield Work(lambda: self._log(session, target, before_hash, after_hash, permit))
        self._remember(target, attempt, plan, after_hash)
        cause = "create" if request.create else "applied"
        yield from self._report(session, target, "success", cause, trouble=0.0)
        n_lines = plan.n_lines_changed
        message = f"{target!r}: {n_lines} line{'' if n_lines == 1 else 's'} changed from line {plan.first_line} on"
        return Edited(target, True, cause, message, after_hash, generation=permit.generation, warnings=warnings)

    def _overtaken(self, attempt: _Attempt) -> tuple[str, ...]:
        """Say so when the file is not the version that the agent read, though its old text still matched."""
        seen, current = attempt.seen, attempt.current
        if seen is None or current is None or seen.content_hash == current.content_hash:
            return ()
        return ("the file was changed since you read it; your old text still matched exactly once",)

    def _log(
        self, session: AgentSession | None, target: str, before: str | None, after: str, permit: _Permit
    ) -> tuple[str, ...]:
        agent = "nobody (no coordinator)" if session is None else session.session_id
        try:
            self._desk.log.record(target, before, after, agent, permit.generation or None, self._utc())
        except ScentfieldError as error:
            return (f"the edit was made but not logged, so it cannot be undone: {error.message}",)
        return ()

    def _remember(self, target: str, attempt: _Attempt, plan: Applies, after_hash: str) -> None:
        """The agent knows what it wrote; the rest of what it was shown moves along."""
        seen, current = attempt.seen, attempt.current
        if seen is None or current is None or seen.content_hash != current.content_hash:
            return
        shown = after_edit(
            seen.shown,
            first_line=plan.first_line,
            n_lines_replaced=plan.n_lines_replaced,
            n_lines_new=plan.n_lines_new,
        )
        self._desk.book.mark_shown(target, after_hash, ShownLines.of(shown))

    def _refused(
        self, session: AgentSession | None, target: str, attempt: _Attempt, refused: Refused, permit: _Permit
    ) -> Operation[Edited]:
        evidence = yield Work(lambda: self._evidence(target, attempt, refused))
        current_hash = "" if attempt.current is None else attempt.current.content_hash
        if evidence.shown:
            self._desk.book.mark_shown(target, current_hash, ShownLines.of(evidence.shown))
        outcome = "success" if refused.cause.is_success else "failure"
        trouble = EDIT_TROUBLE if refused.cause.is_recorded else 0.0
        yield from self._report(session, target, outcome, refused.cause, trouble=trouble, seen=attempt.seen)
        n_tokens = count_tokens(evidence.text) + count_tokens(refused.message)
        return Edited(
            target, False, refused.cause, refused.message, current_hash, evidence.text, n_tokens, permit.generation
        )

    def _evidence(self, target: str, attempt: _Attempt, refused: Refused) -> Evidence:
        current = attempt.current
        author = None if current is None else self._desk.log.who_made(target, current.content_hash)
        return evidence_for(
            refused,
            target,
            current,
            attempt.seen,
            count_tokens=count_tokens,
            list_units=lambda source: [(unit.name, *unit.lines) for unit in outline_of(source, target).units],
            author=author,
        )

    def _report(
        self,
        session: AgentSession | None,
        target: str,
        outcome: str,
        cause: str,
        *,
        trouble: float,
        seen: Seen | None = None,
    ) -> Operation[None]:
        """Tell the coordinator what came of it; an edit never fails or waits because of that."""
        if session is None:
            return
        space = self._desk.workspace.space
        known = self._desk.book.of(target)
        mode = seen.mode if seen is not None else ("" if known is None else known.last_mode)
        try:
            yield from self._quality.request(session, RecordOutcome(space, target, mode, outcome, str(cause)))
            yield from self._field.request(session, Progress(space, target, 0.0, trouble))
        except ScentfieldError:
            return

    def _release(self, session: AgentSession, target: str) -> Operation[None]:
        try:
            yield from self._field.request(session, Release(self._desk.workspace.space, (target,), 0, False))
        except ScentfieldError:
            return  # the claim ends with the session then

    def undo(self, session: AgentSession | None, named: str | PathLike[str]) -> Operation[Edited]:
        """Take back the newest edit of a file, unless the file has changed since. Raises as `edit`."""
        target, path = yield Work(lambda: self._locate(named))
        permit = yield from self._permit(session, target)
        if isinstance(permit, Checked):
            return (yield from self._claimed_by_other(session, target, permit))
        try:
            self._still_alive(session)
            undone: Edited = yield Work(lambda: self._take_back(session, target, path, permit))
            return undone
        finally:
            if permit.is_temporary and session is not None:
                yield from self._release(session, target)

    def _take_back(self, session: AgentSession | None, target: str, path: Path, permit: _Permit) -> Edited:
        current_hash = content_hash(read_bytes(path))
        plan = self._desk.log.plan_undo(target, current_hash)
        if isinstance(plan, CannotUndo):
            return Edited(target, False, "cannot_undo", plan.message, current_hash)
        if plan.before_hash is None:
            remove_file(path, expected_hash=current_hash)
            return Edited(
                target, True, "undone", f"{target!r}: removed, as it was before {plan.entry.agent_id} made it"
            )
        before = self._desk.blobs.get(plan.before_hash)
        if before is None:
            return Edited(
                target, False, "cannot_undo", f"{target!r}: the version before is no longer kept", current_hash
            )
        replace_file(path, before, expected_hash=current_hash)
        warnings = self._log(session, target, current_hash, plan.before_hash, permit)
        message = f"{target!r}: put back as it was before the edit of {plan.entry.agent_id}"
        return Edited(
            target, True, "undone", message, plan.before_hash, generation=permit.generation, warnings=warnings
        )
