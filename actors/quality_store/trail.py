"""What each agent has read and edited lately: the views that are still watched, and what its next reads will decide.

A trail counts its agent's reads. It is asked what a read or an edit would end (the methods that take a `number` change
nothing) and told what it ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, NamedTuple

from actors.quality_store.window import BOUNCE_READS, EDIT_READS, WASTED_READS, View, Where
from actors.runtime.errors import InvariantBroken


class Retry(NamedTuple):
    """A failed edit after read `number`, from a view of this mode and arm, whose next read of the file is its cost.

    `layers` are those of the view, as there.
    """

    number: int
    mode: str
    arm: str
    layers: str = ""


@dataclass(slots=True)
class FileTrail:
    """One file, as far as one agent goes. `edited_at` is the number of its last read before its last own edit."""

    view: View | None = None
    edited_at: int | None = None
    retry: Retry | None = None


@dataclass(slots=True)
class Trail:
    """One agent's reads. The watched views stand in the order of their reads, its files in that of their use."""

    n_reads: int = 0
    compressed: list[View] = field(default_factory=list)
    fulls: list[View] = field(default_factory=list)
    files: dict[Where, FileTrail] = field(default_factory=dict)

    # Questions

    def bounced(self, where: Where, number: int) -> list[View]:
        """The compressed views that a `full` of the file bounces, which the agent needs, as its read `number`."""
        views = [view for view in self.compressed if view.where == where and number - view.number <= BOUNCE_READS]
        return [] if views and self._follows_edit(where, number) else views

    def _follows_edit(self, where: Where, number: int) -> bool:
        file = self.files.get(where)
        return file is not None and file.edited_at is not None and number - file.edited_at <= EDIT_READS

    def clean(self, number: int, bounced: Sequence[View]) -> list[View]:
        """The compressed views whose time is over with read `number`, except for those that it bounces."""
        return [view for view in self.compressed if number - view.number >= BOUNCE_READS and view not in bounced]

    def unused(self, number: int) -> list[View]:
        """The fulls whose time is over with read `number`: the agent has not edited the file since."""
        return [view for view in self.fulls if number - view.number >= WASTED_READS]

    def watches_full(self, where: Where) -> bool:
        """Whether a `full` of the file may still turn out wasted."""
        return any(view.where == where for view in self.fulls)

    def owes(self, where: Where, number: int) -> bool:
        """Whether read `number` of the file is the cost of a failed edit."""
        file = self.files.get(where)
        return file is not None and file.retry is not None and number - file.retry.number <= BOUNCE_READS

    def last_view(self, where: Where, mode: str) -> View | None:
        """The agent's last view of the file, if it is known and of this mode."""
        file = self.files.get(where)
        view = None if file is None else file.view
        return view if view is not None and view.mode == mode else None

    # Facts

    def file(self, where: Where) -> FileTrail:
        """The file's trail, which becomes the last used."""
        file = self.files.pop(where, None) or FileTrail()
        self.files[where] = file
        return file

    def take_file(self, where: Where) -> list[View]:
        """End all compressed views of the file."""
        ended = [view for view in self.compressed if view.where == where]
        if ended:
            self.compressed = [view for view in self.compressed if view.where != where]
        return ended

    def take_clean(self, n_views: int) -> list[View]:
        """End the oldest compressed views."""
        ended, self.compressed = self.compressed[:n_views], self.compressed[n_views:]
        return ended

    def take_unused(self, n_views: int) -> list[View]:
        """End the oldest fulls."""
        ended, self.fulls = self.fulls[:n_views], self.fulls[n_views:]
        return ended

    def use(self, where: Where) -> None:
        """The agent set out to edit the file: its fulls were not wasted."""
        if self.fulls:
            self.fulls = [view for view in self.fulls if view.where != where]

    def forget_files(self, n_files: int) -> None:
        """Forget the files that were not used for longest."""
        for where in list(islice(self.files, n_files)):
            del self.files[where]


class Trails:
    """The trails of all agents, the one not heard of for longest first."""

    def __init__(self) -> None:
        self._trails: dict[str, Trail] = {}

    def __len__(self) -> int:
        return len(self._trails)

    def get(self, session_id: str) -> Trail:
        """The agent's trail; an empty one if there is none."""
        return self._trails.get(session_id) or Trail()

    def use(self, session_id: str) -> Trail:
        """The agent's trail, which becomes the last used."""
        trail = self._trails.pop(session_id, None) or Trail()
        self._trails[session_id] = trail
        return trail

    def first_out(self) -> str:
        """The agent to forget."""
        return next(iter(self._trails))

    def forget(self, session_id: str) -> None:
        """Forget an agent; what is watched of it ends without a word."""
        del self._trails[session_id]

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order."""
        for session_id, trail in self._trails.items():
            files = [[*where, file.view, file.edited_at, file.retry] for where, file in trail.files.items()]
            yield [session_id, trail.n_reads, list(trail.compressed), list(trail.fulls), files]

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        session_id, n_reads, compressed, fulls, files = row
        trail = Trail(n_reads, [View(*view) for view in compressed], [View(*view) for view in fulls])
        for space, path, view, edited_at, retry in files:
            trail.files[space, path] = FileTrail(view and View(*view), edited_at, retry and Retry(*retry))
        self._trails[session_id] = trail

    def check_invariants(self) -> None:
        """Watched views are in the order of their reads, and none is of the future."""
        for session_id, trail in self._trails.items():
            for views in (trail.compressed, trail.fulls):
                numbers = [view.number for view in views]
                if numbers != sorted(set(numbers)) or (numbers and numbers[-1] > trail.n_reads):
                    raise InvariantBroken(f"{session_id!r} has made {trail.n_reads} reads, watched are {numbers}")
