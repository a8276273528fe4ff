"""Lessons at the point of use: entries about a file that have helped before, shown when it is read or claimed.

A share of the sessions is held out: for them all goes on as for others, but nothing is shown. So an edit of a file that
there was a lesson about says the same thing in both arms, and the difference is that of the lesson.

They are fetched with a read and then kept for five minutes; a claim looks at what is there and never asks. Whether they
helped is told by the next edit of that file: one that is made votes for them, one that misses votes against.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from actors.memory.entry import Entry
from actors.memory.messages import GetLessons, Lessons, VoteEntry
from actors.memory.report import entry_line
from actors.quality_store.messages import RecordTrial
from actors.runtime.errors import ScentfieldError
from actors.runtime.holdout import LESSONS, is_held_out
from coordinator.asking import Asker
from coordinator.reading.token_count import count_tokens
from coordinator.session import AgentSession
from coordinator.step import Operation

PINNED_S: Final = 300.0
RETRY_S: Final = 30.0
MAX_LESSONS: Final = 3
MAX_TOKENS: Final = 200
MAX_FILES: Final = 200


class Lesson(NamedTuple):
    """An entry of the session's or of the project's playbook."""

    scope: str
    entry: Entry

    @property
    def line(self) -> str:
        """The lesson for its reader."""
        return f"[lesson {self.scope} {entry_line(self.entry)[1:]}"


@dataclass(slots=True)
class LessonDesk:
    """Asks through `reports`, which waits a short time only. `monotonic` is the clock of the five minutes."""

    reports: Asker
    quality: Asker
    space: str
    holdout_share: float
    monotonic: Callable[[], float]
    utc: Callable[[], float] = field(default=time.time)
    _about: dict[str, list[Lesson]] = field(default_factory=dict)
    _until_s: float = float("-inf")
    _is_held_out: bool = False
    _shown: dict[str, list[Lesson]] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def refresh(self, session: AgentSession) -> Operation[None]:
        """Fetch what has helped, unless that was done a short while ago. What goes wrong leaves what is known."""
        now_s = self.monotonic()
        if now_s < self._until_s:
            return
        self._is_held_out = is_held_out(LESSONS, session.session_id, self.utc(), self.holdout_share)
        try:
            found: Lessons = yield from self.reports.query(session, GetLessons(self.space, session.session_id))
        except ScentfieldError:
            self._until_s = now_s + RETRY_S
            return
        about: dict[str, list[Lesson]] = {}
        for scope, entries in (("session", found.session), ("project", found.project)):
            for entry in entries:
                about.setdefault(entry.about, []).append(Lesson(scope, entry))
        self._about, self._until_s = about, now_s + PINNED_S

    def lines(self, names: Sequence[str], path: str = "") -> tuple[str, ...]:
        """The lessons about these names, the most salient first, within 200 tokens; they count as shown for `path`."""
        wanted = [lesson for name in dict.fromkeys(names) for lesson in self._about.get(name, ())]
        wanted.sort(key=lambda lesson: lesson.entry.salience, reverse=True)
        chosen, n_tokens = [], 0
        for lesson in wanted[:MAX_LESSONS]:
            n_tokens += count_tokens(lesson.line)
            if n_tokens > MAX_TOKENS:
                break
            chosen.append(lesson)
        if path and chosen:
            self._note_shown(path, chosen)
        return () if self._is_held_out else tuple(lesson.line for lesson in chosen)

    def _note_shown(self, path: str, lessons: list[Lesson]) -> None:
        """Wait for the next edit of a file to judge these; of too many files the first is forgotten."""
        with self._lock:
            self._shown.pop(path, None)
            self._shown[path] = lessons
            if len(self._shown) > MAX_FILES:
                del self._shown[next(iter(self._shown))]

    def judged(self, session: AgentSession, path: str, *, is_helpful: bool) -> Operation[None]:
        """An edit of a file was made, or missed: vote on what was shown for it. What goes wrong costs a vote only."""
        with self._lock:
            shown = self._shown.pop(path, [])
        if not shown:
            return
        if not self._is_held_out:
            votes = [VoteEntry(self.space, one.scope, one.entry.entry_id, is_helpful) for one in shown]
            yield from _told(self.reports, session, votes)
        trial = RecordTrial(LESSONS, self._is_held_out, 1, int(not is_helpful))
        yield from _told(self.quality, session, [trial])


def _told(asker: Asker, session: AgentSession, commands: Sequence[Any]) -> Operation[None]:
    """Tell something; nobody is held up where it cannot be told."""
    try:
        yield from asker.request_many(session, commands)
    except ScentfieldError:
        return


def names_of(path: str, more: Iterable[str] = ()) -> list[str]:
    """What a lesson about a file may be about: the file, a folder above it, or one of more names."""
    parts = path.split("/")
    folders = ["/".join(parts[:n]) + "/" for n in range(len(parts) - 1, 0, -1)]
    return [path, *more, *folders]
