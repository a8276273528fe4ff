"""What one session did that is worth keeping, until its next checkpoint: bounded, and no more than it knows.

It is told of reads, edits, tests and notes, and turns them into drafts of entries by fixed rules:

* an edit that failed and a later one of the same file that was made: a pitfall, with what was read in between;
* a test that was red and turned green: a strategy, with the files that were edited in between;
* a test that is still red: a pitfall;
* a file that was edited: a file to refer to;
* what the agent noted itself: as it said it.

Pure but for the lock that lets several threads of a process be one agent. A later draft about the same thing confirms
the entry of an earlier one, since it says the same.
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from actors.memory.entry import FILE_REF, PITFALL, STRATEGY, Draft
from actors.memory.limit import MAX_CONTENT, MAX_DRAFTS
from actors.runtime.errors import Misuse

MAX_FILES: Final = 200
MAX_TESTS: Final = 200
MAX_PENDING: Final = 200
_MAX_NAMED: Final = 3
_TAIL: Final = "…"

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(slots=True)
class _Failure:
    """An edit that was not made: why, from which view, and in which modes the file was read since."""

    cause: str
    mode: str
    modes_read: dict[str, None] = field(default_factory=dict)


@dataclass(slots=True)
class SessionTrail:
    """Told of what happens, in order. Of too much the oldest is forgotten; `n_dropped` counts it."""

    n_dropped: int = 0
    _modes: dict[str, str] = field(default_factory=dict)
    _failures: dict[str, _Failure] = field(default_factory=dict)
    _edited: dict[str, None] = field(default_factory=dict)
    _red: dict[str, dict[str, None]] = field(default_factory=dict)
    _pending: dict[Draft, None] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(self, path: str, mode: str) -> None:
        """A file was shown."""
        with self._lock:
            self._keep(self._modes, path, mode, MAX_FILES, is_worth=False)
            failure = self._failures.get(path)
            if failure is not None:
                failure.modes_read[mode] = None

    def failed(self, path: str, cause: str) -> None:
        """An edit of a file was not made."""
        with self._lock:
            failure = _Failure(cause, self._modes.get(path, ""))
            self._keep(self._failures, path, failure, MAX_FILES)

    def landed(self, path: str) -> None:
        """An edit of a file was made."""
        with self._lock:
            self._keep(self._edited, path, None, MAX_FILES)
            for files in self._red.values():
                self._keep(files, path, None, MAX_FILES, is_worth=False)
            failure = self._failures.pop(path, None)
            if failure is not None:
                self._add(Draft(PITFALL, _fixed(path, failure), path, is_mended=True))

    def tested(self, name: str, *, passed: bool) -> None:
        """A test was run. Raises `Misuse` for a name that no entry could hold."""
        Draft(PITFALL, _red_now(name), name).check()
        with self._lock:
            if not passed:
                self._keep(self._red, name, self._red.get(name, {}), MAX_TESTS)
            elif name in self._red:
                said = _turned_green(name, list(self._red.pop(name)))
                self._add(Draft(STRATEGY, said, name, is_mended=True))

    def noted(self, draft: Draft) -> None:
        """The agent wants this kept. Raises `Misuse` for what cannot be an entry."""
        draft.check()
        with self._lock:
            self._add(draft)

    def _add(self, draft: Draft) -> None:
        self._keep(self._pending, draft, None, MAX_PENDING)

    def _keep(self, kept: dict[Key, Value], key: Key, value: Value, limit: int, *, is_worth: bool = True) -> None:
        """Put something at the end; of too many the first goes."""
        kept.pop(key, None)
        kept[key] = value
        if len(kept) > limit:
            del kept[next(iter(kept))]
            self.n_dropped += is_worth

    def drafts(self) -> list[Draft]:
        """What there is to keep, at most what one checkpoint takes: what was noted and fixed, red tests, then files.

        What cannot be an entry, such as a path that looks like a secret, is left out.
        """
        with self._lock:
            found = [*self._pending, *(Draft(PITFALL, _red_now(name), name) for name in self._red)]
            found += map(_mattered, self._edited)
        return [draft for draft in dict.fromkeys(found) if _is_one(draft)][:MAX_DRAFTS]

    def kept(self, drafts: Iterable[Draft]) -> None:
        """These are kept now: they are not said again until something new happens. Tests that are red stay so."""
        with self._lock:
            for draft in drafts:
                self._pending.pop(draft, None)
                if draft == _mattered(draft.about):
                    self._edited.pop(draft.about, None)


def _fixed(path: str, failure: _Failure) -> str:
    view = f"from a {failure.mode} view" if failure.mode else "of a file that was not read"
    read = f"after reading {', '.join(failure.modes_read)}" if failure.modes_read else "with what the refusal showed"
    return _about(path, f": an edit {view} missed ({failure.cause}); it was made {read}")


def _turned_green(name: str, files: list[str]) -> str:
    named = files[-_MAX_NAMED:]
    more = f" and {len(files) - len(named)} more" if len(files) > len(named) else ""
    what = f"edits of {', '.join(named)}{more}" if named else "no edit of ours"
    said = f" was red and turned green after {what}"
    return _about(
        name, said if len(said) <= MAX_CONTENT - 40 else f" was red and turned green after {len(files)} edits"
    )


def _red_now(name: str) -> str:
    return _about(name, " is red")


def _mattered(path: str) -> Draft:
    return Draft(FILE_REF, _about(path, " was edited"), path)


def _about(name: str, said: str) -> str:
    """What is said of something; of a long name its end is kept, which tells it apart."""
    room = MAX_CONTENT - len(said)
    return f"{name}{said}" if len(name) <= room else f"{_TAIL}{name[len(name) - room + len(_TAIL) :]}{said}"


def _is_one(draft: Draft) -> bool:
    try:
        draft.check()
    except Misuse:
        return False
    return True
