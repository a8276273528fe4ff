"""Editing a file as an agent: under a claim, exactly, atomically, and reported.

Order of an edit: the file is claimed for its duration; the text is matched; the file is replaced if it is still the
one that was matched and the claim is still believed just before the rename; log, release, report. Whoever is overtaken
in between is refused before it writes; what slips through even so is told to the writer, and by the next edit's
pre-image.
Reporting never makes an edit fail, and holds it up for two seconds at most.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Final

from actors.quality_store.messages import DropEscalation, RecordOutcome
from actors.runtime.errors import ScentfieldError, Unavailable, UnknownAgent
from actors.scent_field.messages import Check, Checked, Claim, GiveBack, Granted, Held, Progress
from coordinator.answer import NotGranted
from coordinator.asking import Asker
from coordinator.conversation import value_of
from coordinator.desk import Desk
from coordinator.editing import refusal
from coordinator.editing.atomic_file import create_file, read_bytes, remove_file, replace_file
from coordinator.editing.edited import Edited
from coordinator.editing.evidence import Evidence, evidence_for
from coordinator.editing.file_error import FileExists, FileVanished, StaleFile
from coordinator.editing.plan import Applies, Plan, plan_edit
from coordinator.editing.refusal import Cause, Refused
from coordinator.editing.request import EditRequest, Seen
from coordinator.editing.shown_line import after_edits, written_lines
from coordinator.editing.undo import CannotUndo
from coordinator.reading.grammar import outline_of
from coordinator.reading.marker import find_markers, marker_tag
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import BinaryFile, SourceText, content_hash, decode
from coordinator.reading.token_count import count_tokens
from coordinator.session import AgentSession
from coordinator.step import Operation, Work

_MAX_TRIES: Final = 3


@dataclass(frozen=True, slots=True)
class _Permit:
    """Leave to write: the claim's generation, whether it is this edit's own, and what to say about it."""

    generation: int
    is_own: bool
    warnings: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What one look at the file gave: its text (None: no file), what the agent had seen of it, and the plan."""

    current: SourceText | None
    seen: Seen | None
    plan: Plan
    from_outside: bool = False


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What the caller gets, and what the coordinator is told."""

    edited: Edited
    outcome: str
    cause: str
    mode: str
    from_outside: bool = False
    n_tokens: int = 0


@dataclass(frozen=True, slots=True)
class EditPort:
    """Whom an editor talks to: the field for claims, and both actors for reports, which have a short time limit."""

    claims: Asker
    field_reports: Asker
    quality_reports: Asker
    when_unavailable: str
    monotonic: Callable[[], float] = field(default=time.monotonic)
    utc: Callable[[], float] = field(default=time.time)


class Editor:
    """Edits files of one desk. A `session` that is None means that nobody can be asked."""

    def __init__(self, desk: Desk, port: EditPort) -> None:
        self._desk = desk
        self._port = port

    def edit(self, session: AgentSession | None, named: str | PathLike[str], request: EditRequest) -> Operation[Edited]:
        """Make one edit.

        Raises `BadTarget`, `UnknownAgent` (the session has ended), `Unavailable`, `StaleFile` (a program outside keeps
        changing the file), `UnusableFile` and `DiskFull`; then nothing was written.
        """
        target, path = yield Work(lambda: self._locate(named))
        request = replace(request, path=target)
        permit = yield from self._permit(session, target)
        if isinstance(permit, _Outcome):
            outcome = permit
        else:
            try:
                outcome = yield from self._make(session, target, path, request, permit)
            finally:
                yield from self._give_back(session, target, permit)
        yield from self._report(session, target, outcome)
        return outcome.edited

    def _locate(self, named: str | PathLike[str]) -> tuple[str, Path]:
        target = self._desk.workspace.target(named)
        return target, self._desk.workspace.path(target)

    def _permit(self, session: AgentSession | None, target: str) -> Operation[_Permit | _Outcome]:
        """Leave to write this file, or a refusal that names who holds it."""
        if session is None:
            return self._without_coordinator("there is no coordinator")
        try:
            return (yield from self._claim(session, target))
        except Unavailable as error:
            return self._without_coordinator(error.message)

    def _without_coordinator(self, why: str) -> _Permit:
        if self._port.when_unavailable == "refuse":
            raise Unavailable(
                f"{why}, so nobody can say whether the file is free: nothing was written. Start it with "
                "`scentfield up`, or set when_unavailable = 'warn' to edit without"
            )
        return _Permit(0, is_own=False, warnings=(f"edited without a coordinator: {why}",))

    def _claim(self, session: AgentSession, target: str) -> Operation[_Permit | _Outcome]:
        space = self._desk.workspace.space
        commands = [Claim(space, (target,), "exclusive", 0.0, "edit"), Check(space, target, 0, session.session_id)]
        answers = yield from self._port.claims.request_many(session, commands)
        granted: Granted | Held = value_of(answers[0])
        checked: Checked = value_of(answers[1])
        if isinstance(granted, Granted):
            return _Permit(granted.generation, is_own=not granted.renewed)
        foreign = NotGranted(granted).message
        if checked.strictness == "deny":
            return self._claimed(target, foreign, checked)
        if checked.strictness == "observe":
            return _Permit(0, is_own=False, hints=(f"[scent: {foreign}]",))
        return _Permit(0, is_own=False, warnings=(foreign,))

    def _claimed(self, target: str, foreign: str, checked: Checked) -> _Outcome:
        message = refusal.claimed(target, foreign).message
        edited = Edited(target, False, Cause.CLAIMED, message, generation=checked.holder_generation)
        return _Outcome(edited, "failure", Cause.CLAIMED, self._mode_of(target))

    def _mode_of(self, target: str) -> str:
        known = self._desk.book.of(target)
        return "" if known is None else known.last_mode

    def _arms_of(self, target: str) -> tuple[str, ...]:
        known = self._desk.book.of(target)
        return () if known is None else known.arms

    def _make(
        self, session: AgentSession | None, target: str, path: Path, request: EditRequest, permit: _Permit
    ) -> Operation[_Outcome]:
        still_ours = partial(self._check_still_ours, session, permit)
        for _ in range(_MAX_TRIES):
            attempt: _Attempt = yield Work(lambda: self._plan(target, path, request))
            if isinstance(attempt.plan, Refused):
                outcome: _Outcome = yield from self._refused(target, attempt, attempt.plan, permit)
                return outcome if outcome.edited else replace(outcome, n_tokens=_cost(request, outcome.edited))
            try:
                unkept = yield Work(partial(self._write, path, attempt, still_ours))
            except (StaleFile, FileVanished, FileExists):
                continue
            return (yield from self._landed(session, target, request, attempt, permit, unkept))
        raise StaleFile(f"{target!r} changes faster than it can be edited (by a program outside): try again later")

    def _plan(self, target: str, path: Path, request: EditRequest) -> _Attempt:
        seen = self._desk.seen(target)
        try:
            current = decode(read_bytes(path))
        except FileVanished:
            current = None
        except BinaryFile:
            return _Attempt(None, seen, refusal.binary(target))
        tags = {*self._desk.book.all_tags, *(() if current is None else (marker_tag(current),))}
        plan = plan_edit(request, current, seen, find_markers=lambda text: find_markers(text, tags))
        outside = current is not None and self._desk.changed_outside(target, current.content_hash)
        return _Attempt(current, seen, plan, outside)

    def _check_still_ours(self, session: AgentSession | None, permit: _Permit) -> None:
        """Past the client's own deadline nothing is written, whether or not anybody has said so."""
        if session is not None and not self._is_ours(session, permit):
            raise session.end or UnknownAgent(
                f"agent {session.session_id!r} has not been heard for its TTL or has lost the claim, the file may be "
                "somebody else's by now: nothing was written. Register anew, read the file again, then edit"
            )

    def _is_ours(self, session: AgentSession, permit: _Permit) -> bool:
        lost = permit.generation and session.has_lost(self._desk.workspace.space, permit.generation)
        return session.is_valid(self._port.monotonic()) and not lost

    def _write(self, path: Path, attempt: _Attempt, still_ours: Callable[[], None]) -> tuple[str, ...]:
        """Write the plan; returns why versions of the file are not kept, if they are not."""
        plan, current = attempt.plan, attempt.current
        if not isinstance(plan, Applies):
            return ()
        unkept = {self._desk.keep(plan.raw)}
        if current is None:
            still_ours()
            create_file(path, plan.raw)
        else:
            unkept.add(self._desk.keep(current.encode(current.text)))
            replace_file(path, plan.raw, expected_hash=current.content_hash, before_rename=still_ours)
        return tuple(sorted(why for why in unkept if why is not None))

    def _landed(
        self,
        session: AgentSession | None,
        target: str,
        request: EditRequest,
        attempt: _Attempt,
        permit: _Permit,
        warnings: tuple[str, ...],
    ) -> Operation[_Outcome]:
        plan = attempt.plan
        if not isinstance(plan, Applies):
            raise TypeError(plan)
        after_hash = content_hash(plan.raw)
        before_hash = None if attempt.current is None else attempt.current.content_hash
        mode = self._mode_of(target)
        warnings += yield Work(lambda: self._log(session, target, before_hash, after_hash, permit))
        warnings = (*permit.warnings, *self._overtaken(session, permit, attempt), *warnings)
        self._remember(target, attempt, plan, after_hash)
        cause = "create" if request.create else "applied"
        message = _success(request, plan)
        edited = Edited(
            target,
            True,
            cause,
            message,
            after_hash,
            generation=permit.generation,
            warnings=warnings,
            hints=permit.hints,
        )
        return _Outcome(edited, "success", cause, mode, attempt.from_outside)

    def _overtaken(self, session: AgentSession | None, permit: _Permit, attempt: _Attempt) -> tuple[str, ...]:
        """Say so when somebody else may have been at the file too."""
        told = []
        if session is not None and not self._is_ours(session, permit):
            told.append("your claim ended while the edit was written: read the file again, somebody else may be at it")
        seen, current = attempt.seen, attempt.current
        if seen is not None and current is not None and seen.content_hash != current.content_hash:
            told.append("the file was changed since you read it; your old text still matched exactly once")
        return tuple(told)

    def _log(
        self, session: AgentSession | None, target: str, before: str | None, after: str, permit: _Permit
    ) -> tuple[str, ...]:
        agent = "nobody (no coordinator)" if session is None else session.session_id
        try:
            self._desk.log.record(target, before, after, agent, permit.generation or None, self._port.utc())
        except ScentfieldError as error:
            return (f"the edit was made but not logged, so it cannot be undone: {error.message}",)
        return ()

    def _remember(self, target: str, attempt: _Attempt, plan: Applies, after_hash: str) -> None:
        """The agent knows what it wrote; what it was shown of this version moves along."""
        seen, current = attempt.seen, attempt.current
        shown = written_lines(plan.changes)
        if seen is not None and current is not None and seen.content_hash == current.content_hash:
            shown = after_edits(seen.shown, plan.changes)
        self._desk.book.mark_shown(target, after_hash, ShownLines.of(shown))

    def _refused(self, target: str, attempt: _Attempt, refused: Refused, permit: _Permit) -> Operation[_Outcome]:
        evidence = yield Work(lambda: self._evidence(target, attempt, refused))
        current_hash = "" if attempt.current is None else attempt.current.content_hash
        mode = self._mode_of(target)
        if evidence.shown:
            self._desk.book.mark_shown(target, current_hash, ShownLines.of(evidence.shown))
        n_tokens = count_tokens(evidence.text) + count_tokens(refused.message)
        edited = Edited(
            target,
            False,
            refused.cause,
            refused.message,
            current_hash,
            evidence.text,
            n_tokens,
            permit.generation,
            failed_edit=refused.number,
        )
        outcome = "success" if refused.cause.is_success else "failure"
        return _Outcome(edited, outcome, refused.cause, mode, attempt.from_outside)

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

    def _give_back(self, session: AgentSession | None, target: str, permit: _Permit) -> Operation[None]:
        """Release the edit's own claim, unless this agent has claimed the same meanwhile."""
        if session is None or not permit.is_own:
            return
        try:
            command = GiveBack(self._desk.workspace.space, target, permit.generation)
            # No report: a claim that is not given back would shut others out for as long as this session lives.
            yield from self._port.claims.request(session, command)
        except ScentfieldError:
            return  # the claim ends with the session then

    def _report(self, session: AgentSession | None, target: str, told: _Outcome) -> Operation[None]:
        """Tell the coordinator what came of it; nothing that goes wrong here concerns the edit."""
        if session is None:
            return
        space = self._desk.workspace.space
        dropped = [DropEscalation(space, (target,))] if told.from_outside else []
        outcome = RecordOutcome(
            space, target, told.mode, told.outcome, str(told.cause), told.n_tokens, self._arms_of(target)
        )
        try:
            yield from self._port.quality_reports.request_many(session, [*dropped, outcome])
            # What trouble it was the field hears from the quality store.
            yield from self._port.field_reports.request(session, Progress(space, target, 0.0, 0.0))
        except ScentfieldError:
            return

    def undo(self, session: AgentSession | None, named: str | PathLike[str]) -> Operation[Edited]:
        """Take back the newest edit of a file, unless the file has changed since. Raises as `edit`."""
        target, path = yield Work(lambda: self._locate(named))
        permit = yield from self._permit(session, target)
        if isinstance(permit, _Outcome):
            return permit.edited
        try:
            undone: Edited = yield Work(lambda: self._take_back(session, target, path, permit))
        finally:
            yield from self._give_back(session, target, permit)
        return undone

    def _take_back(self, session: AgentSession | None, target: str, path: Path, permit: _Permit) -> Edited:
        current_hash = content_hash(read_bytes(path))
        plan = self._desk.log.plan_undo(target, current_hash)
        if isinstance(plan, CannotUndo):
            return Edited(target, False, "cannot_undo", plan.message, current_hash)
        if plan.before_hash is None:
            self._check_still_ours(session, permit)
            remove_file(path, expected_hash=current_hash)
            self._desk.book.forget(target)
            message = f"{target!r}: removed, as it was before {plan.entry.agent_id} made it"
            return Edited(target, True, "undone", message, generation=permit.generation, warnings=permit.warnings)
        is_redo = self._desk.log.was_undo(plan.entry)
        before = self._desk.blobs.get(plan.before_hash)
        if before is None:
            message = f"{target!r}: the version before is no longer kept"
            return Edited(target, False, "cannot_undo", message, current_hash)
        replace_file(
            path, before, expected_hash=current_hash, before_rename=partial(self._check_still_ours, session, permit)
        )
        warnings = self._log(session, target, current_hash, plan.before_hash, permit)
        self._desk.book.mark_shown(target, plan.before_hash, ShownLines())
        message = f"{target!r}: put back as it was before the edit of {plan.entry.agent_id}"
        if is_redo:
            message = f"{target!r}: the undo of {plan.entry.agent_id} was undone, the edit before it is there again"
        return Edited(
            target,
            True,
            "undone",
            message,
            plan.before_hash,
            generation=permit.generation,
            warnings=(*permit.warnings, *warnings),
        )


def _cost(request: EditRequest, edited: Edited) -> int:
    """What a failed edit cost its agent: the tokens of the call and of its answer."""
    n_asked = sum(count_tokens(one.old) + count_tokens(one.new) for one in request.replacements)
    return n_asked + edited.shown_tokens


def _success(request: EditRequest, plan: Applies) -> str:
    n_lines = plan.n_lines_changed
    several = "" if request.edits is None else f"{len(request.edits)} edits, "
    lines = f"{n_lines} line{'' if n_lines == 1 else 's'} changed from line {plan.first_line} on"
    return f"{request.path!r}: {several}{lines}"
