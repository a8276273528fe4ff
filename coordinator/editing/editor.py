"""Editing a file as an agent: under a claim, exactly, atomically, and reported.

Order of an edit: the file is claimed for its duration; the text is matched; the file is replaced if it is still the
one that was matched and the claim is still believed just before the rename; log, release, report. Whoever is overtaken
in between is refused before it writes; what slips through even so is told to the writer, and by the next edit's
pre-image.
Reporting never makes an edit fail, and holds it up for two seconds at most.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Final

from coordinator.desk import Desk
from coordinator.editing import refusal
from coordinator.editing.atomic_file import create_file, read_bytes, replace_file
from coordinator.editing.edited import Edited
from coordinator.editing.evidence import Evidence, UnitSpan, evidence_for, unit_around
from coordinator.editing.file_error import FileExists, FileVanished, StaleFile
from coordinator.editing.permit import Denied, EditPort, Gate, Permit
from coordinator.editing.plan import Applies, Plan, plan_edit
from coordinator.editing.refusal import Cause, Refused
from coordinator.editing.report import Outcome, Reports
from coordinator.editing.request import EditRequest, Seen
from coordinator.editing.shown_line import after_edits, written_lines
from coordinator.editing.undo import EditEntry
from coordinator.reading.grammar import outline_of
from coordinator.reading.marker import find_markers, marker_tag
from coordinator.reading.shown import ShownLines
from coordinator.reading.source import BinaryFile, SourceText, content_hash, decode
from coordinator.reading.token_count import count_tokens
from coordinator.session import AgentSession
from coordinator.step import Operation, Work

MAX_TRIES: Final = 3
"""So often a file is looked at again that a program outside keeps changing."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """What one look at the file gave: its text (None: no file), what the agent had seen of it, and the plan."""

    current: SourceText | None
    seen: Seen | None
    plan: Plan
    from_outside: bool = False


class Editor:
    """Edits files of one desk. A `session` that is None means that nobody can be asked."""

    def __init__(self, desk: Desk, port: EditPort) -> None:
        self._desk = desk
        self._utc = port.utc
        self._gate = Gate(desk.workspace.space, port)
        self.reports = Reports(desk, port)

    def edit(self, session: AgentSession | None, named: str | PathLike[str], request: EditRequest) -> Operation[Edited]:
        """Make one edit.

        Raises `BadTarget`, `UnknownAgent` (the session has ended), `Unavailable`, `StaleFile` (a program outside keeps
        changing the file), `UnusableFile` and `DiskFull`; then nothing was written.
        """
        target, path = yield Work(lambda: self._desk.locate(named))
        request = replace(request, path=target)
        permit = yield from self._gate.ask(session, (target,))
        if isinstance(permit, Denied):
            outcome = self.reports.claimed(target, permit)
        else:
            try:
                outcome = yield from self._make(session, target, path, request, permit)
            finally:
                yield from self._gate.give_back(session, permit)
        yield from self.reports.send(session, target, outcome)
        return outcome.edited

    def _make(
        self, session: AgentSession | None, target: str, path: Path, request: EditRequest, permit: Permit
    ) -> Operation[Outcome]:
        still_ours = partial(self._gate.check, session, permit)
        for _ in range(MAX_TRIES):
            attempt: _Attempt = yield Work(lambda: self._plan(target, path, request))
            if isinstance(attempt.plan, Refused):
                outcome: Outcome = yield from self._refused(target, request, attempt, attempt.plan, permit)
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
        plan = plan_edit(
            request,
            current,
            seen,
            find_markers=lambda text: find_markers(text, tags),
            name_unit=partial(_name_of_unit, target),
        )
        outside = current is not None and self._desk.changed_outside(target, current.content_hash)
        return _Attempt(current, seen, plan, outside)

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
        permit: Permit,
        warnings: tuple[str, ...],
    ) -> Operation[Outcome]:
        plan = attempt.plan
        if not isinstance(plan, Applies):
            raise TypeError(plan)
        after_hash = content_hash(plan.raw)
        before_hash = None if attempt.current is None else attempt.current.content_hash
        mode = self._desk.mode_of(target)
        entry = EditEntry(target, before_hash, after_hash, *permit.signed_by(session), self._utc())
        warnings += yield Work(lambda: self._desk.logged(entry))
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
        return Outcome(edited, "success", cause, mode, attempt.from_outside)

    def _overtaken(self, session: AgentSession | None, permit: Permit, attempt: _Attempt) -> tuple[str, ...]:
        """Say so when somebody else may have been at the file too."""
        told = []
        if session is not None and not self._gate.is_ours(session, permit):
            told.append("your claim ended while the edit was written: read the file again, somebody else may be at it")
        seen, current = attempt.seen, attempt.current
        if seen is not None and current is not None and seen.content_hash != current.content_hash:
            told.append("the file was changed since you read it; your old text still matched exactly once")
        return tuple(told)

    def _remember(self, target: str, attempt: _Attempt, plan: Applies, after_hash: str) -> None:
        """The agent knows what it wrote; what it was shown of this version moves along.

        Of a file that somebody else has changed since it was read, the agent still knows the version that it read, and
        has to be shown what changed.
        """
        seen, current = attempt.seen, attempt.current
        shown = written_lines(plan.changes)
        if seen is not None and current is not None:
            if seen.content_hash != current.content_hash:
                return
            shown = after_edits(seen.shown, plan.changes)
        self._desk.book.mark_shown(target, after_hash, ShownLines.of(shown))

    def _refused(
        self, target: str, request: EditRequest, attempt: _Attempt, refused: Refused, permit: Permit
    ) -> Operation[Outcome]:
        evidence = yield Work(lambda: self._evidence(target, request, attempt, refused))
        current_hash = "" if attempt.current is None else attempt.current.content_hash
        mode = self._desk.mode_of(target)
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
        return Outcome(edited, outcome, refused.cause, mode, attempt.from_outside)

    def _evidence(self, target: str, request: EditRequest, attempt: _Attempt, refused: Refused) -> Evidence:
        current, seen, log = attempt.current, attempt.seen, self._desk.log
        author = log.who_removed(target) if current is None else log.who_made(target, current.content_hash)
        if refused.cause is Cause.STALE_HASH:
            seen = self._desk.expected(request.expect_hash or "")
        return evidence_for(
            refused,
            target,
            current,
            seen,
            count_tokens=count_tokens,
            list_units=partial(_units, target),
            author=author,
        )


def _cost(request: EditRequest, edited: Edited) -> int:
    """What a failed edit cost its agent: the tokens of the call and of its answer."""
    n_asked = sum(count_tokens(one.old) + count_tokens(one.new) for one in request.replacements)
    return n_asked + edited.shown_tokens


def _units(target: str, source: SourceText) -> list[UnitSpan]:
    return [(unit.name, *unit.lines) for unit in outline_of(source, target).units]


def _name_of_unit(target: str, source: SourceText, first: int, last: int) -> str:
    """The definition that holds these lines; runs between definitions have no name that would help."""
    named = [(unit.name, *unit.lines) for unit in outline_of(source, target).units if unit.is_definition]
    unit = unit_around(named, (first, last))
    return "" if unit is None else unit[0]


def _success(request: EditRequest, plan: Applies) -> str:
    n_lines = plan.n_lines_changed
    several = "" if request.edits is None else f"{len(request.edits)} edits, "
    lines = f"{n_lines} line{'' if n_lines == 1 else 's'} changed from line {plan.first_line} on"
    return f"{request.path!r}: {several}{lines}"
