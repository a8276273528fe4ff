"""Each session is somebody new, has its own word, and ends with its parent if that keeps it, and only then."""

from __future__ import annotations

from typing import Any, ClassVar

from actors.sessions.registry import SessionEnded, SessionRegistered
from coordinator.simulation.checker.receipt import was_turned_away
from coordinator.simulation.checker.rule import Record, Rule
from coordinator.simulation.history import IMPOSTOR, Replied, Sent


class NewIdentities(Rule):
    """No identity is given twice: a name that is used again has a higher number."""

    name: ClassVar[str] = "a name that is used again is somebody else"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._newest = 0

    def fact(self, event: Any) -> None:
        """A beginning."""
        if isinstance(event, SessionRegistered):
            if event.incarnation <= self._newest:
                self.broken(f"{event.session_id} has a number that was given before: {self._newest} was the last one")
            self._newest = max(self._newest, event.incarnation)


class OwnWord(Rule):
    """Whoever does not know a session's token is told so, and moves nothing."""

    name: ClassVar[str] = "nobody speaks for another"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._pretended: dict[int, Sent] = {}

    def saw(self, record: Record) -> None:
        """What an impostor asks for, and what it hears."""
        match record:
            case Sent(who=who) if who == IMPOSTOR:
                self._pretended[record.call] = record
            case Replied() if record.call in self._pretended and not was_turned_away(record.answers):
                for answer in record.answers:
                    if answer[:2] != ["failed", "unknown_agent"]:
                        session_id = self._pretended[record.call].session_id
                        self.broken(f"somebody without the token of {session_id} was answered {answer[0]!r}")


class KeptChildren(Rule):
    """A child that its parent's connection keeps ends in the commit in which its parent does; no other child does."""

    name: ClassVar[str] = "children end with whoever keeps them"

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._has_ended = False

    def fact(self, event: Any) -> None:
        """An end; that of the parent is the earlier fact."""
        if not isinstance(event, SessionEnded):
            return
        self._has_ended = True
        session = self.book.sessions.get(event.session_id)
        if session is not None and event.reason == "parent":
            row, _reason = self.book.ended_sessions.get(session.parent, (-1, ""))
            if session.kept_by != "connection" or row != self.book.row:
                self.broken(
                    f"{event.session_id}, which a {session.kept_by} keeps, ended with its parent {session.parent}",
                    session.row,
                    row,
                )

    def settled(self) -> None:
        """Nobody is left whose keeper has gone."""
        if not self._has_ended:
            return
        self._has_ended = False
        for session in self.book.sessions.values():
            if session.kept_by == "connection" and session.parent in self.book.ended_sessions:
                self.broken(f"{session.session_id} lives on without {session.parent}, which kept it", session.row)
