"""Reading a file as an agent: resolves `auto`, shows a view, and tells the coordinator.

Works without a coordinator too, on the base policy; the header says so, and nothing is learned.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any, Final

from actors.quality_store.messages import DropEscalation, RecordRead, Resolved, ResolveMode
from actors.runtime.errors import ScentfieldError, Unavailable
from actors.scent_field.messages import Check, Checked, Progress
from coordinator.asking import Asker
from coordinator.conversation import value_of
from coordinator.desk import Desk
from coordinator.editing.atomic_file import read_bytes
from coordinator.reading.mode import Mode
from coordinator.reading.policy import choose_base_mode
from coordinator.reading.source import SourceText, decode
from coordinator.reading.view import View, expand, render
from coordinator.session import AgentSession
from coordinator.step import Operation, Work

READ_HEAT: Final = 0.3
ALONE: Final = "no coordinator: base policy, nothing is learned"


@dataclass(frozen=True, slots=True)
class Reading:
    """A view, and beside it what others are doing with the file. `hints` never stand in the view's bytes."""

    path: str
    view: View
    hints: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """All that the agent is shown of the file."""
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


class Reader:
    """Reads files of one desk."""

    def __init__(self, desk: Desk, field: Asker, quality: Asker) -> None:
        self._desk = desk
        self._field = field
        self._quality = quality

    def read(self, session: AgentSession | None, named: str | PathLike[str], mode: str) -> Operation[Reading]:
        """Show a file in a mode. Raises `BadTarget`, `Misuse` (mode, binary, vanished) before anything is recorded."""
        wanted = Mode.parse(mode)
        target, source = yield Work(lambda: self._open(named))
        notes: list[str] = []
        why = "explicit"
        if wanted.name == "auto":
            name, why = yield from self._resolve(session, target, source, notes)
            wanted = Mode.parse(name)
        previous = self._previous(target, wanted)
        view = yield Work(
            lambda: render(source, wanted, path=target, why=why, previous=previous, notes=notes + self._alone(session))
        )
        return (yield from self._shown(session, target, view))

    def expand(self, session: AgentSession | None, named: str | PathLike[str], unit: str) -> Operation[Reading]:
        """Show one unit whole. Raises `Misuse` that lists the closest names if there is none of that name."""
        target, source = yield Work(lambda: self._open(named))
        view = yield Work(lambda: expand(source, unit, path=target, why="explicit"))
        return (yield from self._shown(session, target, view))

    def _open(self, named: str | PathLike[str]) -> tuple[str, SourceText]:
        target = self._desk.workspace.target(named)
        raw = read_bytes(self._desk.workspace.path(target))
        source = decode(raw)
        self._desk.blobs.put(raw)
        return target, source

    def _alone(self, session: AgentSession | None) -> list[str]:
        return [ALONE] if session is None else []

    def _previous(self, target: str, mode: Mode) -> SourceText | None:
        if mode.name != "diff":
            return None
        seen = self._desk.book.of(target)
        return None if seen is None else self._desk.version(seen.content_hash)

    def _resolve(
        self, session: AgentSession | None, target: str, source: SourceText, notes: list[str]
    ) -> Operation[tuple[str, str]]:
        """The mode that `auto` means, and why; on the base policy if nobody can be asked."""
        name, why = choose_base_mode(len(source.lines))
        if session is None:
            return name, "base_policy"
        space = self._desk.workspace.space
        try:
            yield from self._notice_outside(session, target, source)
            resolved: Resolved = yield from self._quality.request(session, ResolveMode(space, target, name))
        except Unavailable:
            notes.append(ALONE)
            return name, "base_policy"
        return resolved.mode, resolved.source or why

    def _notice_outside(self, session: AgentSession, target: str, source: SourceText) -> Operation[None]:
        """A file that changed outside of Scentfield drops what an earlier failure had armed for it."""
        seen = self._desk.book.of(target)
        if seen is None or seen.content_hash == source.content_hash:
            return
        author = yield Work(lambda: self._desk.log.who_made(target, source.content_hash))
        if author is None:
            yield from self._quality.request(session, DropEscalation(self._desk.workspace.space, (target,)))

    def _shown(self, session: AgentSession | None, target: str, view: View) -> Operation[Reading]:
        self._desk.book.record(target, view)
        if session is None:
            return Reading(target, view)
        hints = yield from self._tell(session, target, view)
        return Reading(target, view, hints)

    def _tell(self, session: AgentSession, target: str, view: View) -> Operation[tuple[str, ...]]:
        """Report the read and look who else is at work; a read never fails because of it."""
        space = self._desk.workspace.space
        counted = RecordRead(space, target, view.mode, view.source, view.tokens, view.total_tokens)
        try:
            yield from self._quality.request(session, counted)
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
