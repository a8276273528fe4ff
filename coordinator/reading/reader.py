"""Reading a file as an agent: resolves `auto`, shows a view, and tells the coordinator.

Works without a coordinator too, on the base policy; the header says so, and nothing is learned. A read never fails, and
hardly ever waits, because of what has to be reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any, Final

from actors.quality_store.messages import DropEscalation, RecordRead, Resolved, ResolveMode
from actors.runtime.errors import ScentfieldError
from actors.scent_field.messages import Check, Checked, Progress
from coordinator.asking import Asker
from coordinator.conversation import value_of
from coordinator.desk import Desk
from coordinator.editing.atomic_file import read_bytes
from coordinator.reading.mode import Mode
from coordinator.reading.policy import choose_base_mode
from coordinator.reading.source import BinaryFile, SourceText, decode
from coordinator.reading.view import View, expand, render
from coordinator.session import AgentSession
from coordinator.step import Operation, Work

READ_HEAT: Final = 0.3


@dataclass(frozen=True, slots=True)
class Reading:
    """A view, and beside it what others are doing with the file. `hints` never stand in the view's bytes."""

    path: str
    view: View
    hints: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.view.text

    @property
    def text(self) -> str:
        """All that the agent is shown of the file; `print(reading)` prints it."""
        return self.view.text

    def to_dict(self) -> dict[str, Any]:
        """The reading for programs."""
        return {
            "path": self.path,
            "text": self.view.text,
            "mode": self.view.mode,
            "source": self.view.source,
            "tokens": self.view.tokens,
            "total_tokens": self.view.total_tokens,
            "content_hash": self.view.content_hash,
            "hints": list(self.hints),
        }


@dataclass(frozen=True, slots=True)
class _Opened:
    """A file as it is now; `from_outside` says that it changed since this agent's last read, and by none of us."""

    target: str
    source: SourceText
    from_outside: bool


class Reader:
    """Reads files of one desk. A `session` that is a text says why there is none."""

    def __init__(self, desk: Desk, field: Asker, quality: Asker) -> None:
        self._desk = desk
        self._field = field
        self._quality = quality

    def read(self, session: AgentSession | str, named: str | PathLike[str], mode: str) -> Operation[Reading]:
        """Show a file in a mode. Raises `BadTarget`, `Misuse` (mode, binary, vanished) before anything is recorded."""
        wanted = Mode.parse(mode)
        opened: _Opened = yield Work(lambda: self._open(named))
        notes = [_alone(session)] if isinstance(session, str) else []
        why = "explicit"
        if wanted.name == "auto":
            name, why = yield from self._resolve(session, opened, notes)
            wanted = Mode.parse(name)
        previous = self._previous(opened.target, wanted)
        view = yield Work(
            lambda: render(opened.source, wanted, path=opened.target, why=why, previous=previous, notes=notes)
        )
        return (yield from self._shown(session, opened, view))

    def expand(self, session: AgentSession | str, named: str | PathLike[str], unit: str) -> Operation[Reading]:
        """Show one unit whole. Raises `Misuse` that lists the closest names if there is none of that name."""
        opened: _Opened = yield Work(lambda: self._open(named))
        view = yield Work(lambda: expand(opened.source, unit, path=opened.target, why="explicit"))
        return (yield from self._shown(session, opened, view))

    def _open(self, named: str | PathLike[str]) -> _Opened:
        target = self._desk.workspace.target(named)
        raw = read_bytes(self._desk.workspace.path(target))
        try:
            source = decode(raw)
        except BinaryFile as error:
            raise BinaryFile(f"{target!r}: {error.message}") from None
        self._desk.keep(raw)
        return _Opened(target, source, self._desk.changed_outside(target, source.content_hash))

    def _previous(self, target: str, mode: Mode) -> SourceText | None:
        if mode.name != "diff":
            return None
        seen = self._desk.book.of(target)
        return None if seen is None else self._desk.version(seen.content_hash)

    def _resolve(self, session: AgentSession | str, opened: _Opened, notes: list[str]) -> Operation[tuple[str, str]]:
        """The mode that `auto` means, and why; on the base policy if nobody can be asked."""
        name, why = choose_base_mode(len(opened.source.lines))
        if isinstance(session, str):
            return name, "base_policy"
        commands = [*self._dropped(opened), ResolveMode(self._desk.workspace.space, opened.target, name)]
        try:
            answers = yield from self._quality.request_many(session, commands)
            resolved: Resolved = value_of(answers[-1])
        except ScentfieldError as error:
            notes.append(_alone(f"the quality store is {error.code}"))
            return name, "base_policy"
        return resolved.mode, resolved.source or why

    def _dropped(self, opened: _Opened) -> list[DropEscalation]:
        """What an earlier failure armed for a file is void once it was changed by hand."""
        return [DropEscalation(self._desk.workspace.space, (opened.target,))] if opened.from_outside else []

    def _shown(self, session: AgentSession | str, opened: _Opened, view: View) -> Operation[Reading]:
        self._desk.book.record(opened.target, view)
        if isinstance(session, str):
            return Reading(opened.target, view)
        hints = yield from self._tell(session, opened, view)
        return Reading(opened.target, view, hints)

    def _tell(self, session: AgentSession, opened: _Opened, view: View) -> Operation[tuple[str, ...]]:
        """Report the read, and look who else is at work."""
        space, target = self._desk.workspace.space, opened.target
        counted = RecordRead(space, target, view.mode, view.source, view.tokens, view.total_tokens)
        try:
            yield from self._quality.request_many(session, [*self._dropped(opened), counted])
            answers = yield from self._field.request_many(
                session, [Progress(space, target, READ_HEAT, 0.0), Check(space, target, 0, session.session_id)]
            )
            return hints_of(value_of(answers[1]), session.session_id)
        except ScentfieldError as error:
            return (f"[scent: not reported: {error.message}]",)


def hints_of(checked: Checked, session_id: str) -> tuple[str, ...]:
    """What to say of a file that somebody else holds; without an age, which would break prompt caches."""
    if not checked.holder or checked.holder == session_id:
        return ()
    intent = f" to {checked.intent}" if checked.intent else ""
    return (f"[scent: claimed by {checked.holder}{intent}]",)


def _alone(why: str) -> str:
    return f"{why}: base policy, nothing is learned"
