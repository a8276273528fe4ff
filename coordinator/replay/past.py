"""What was done to each file before, as far as a walk has come: a view may know of the past, and of nothing later."""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from coordinator.reading.line_history import MAX_CHANGES, Patch
from coordinator.replay.patch import Commit, Entry

N_PAST_COMMITS: Final = 1_000
"""Commits before the first one that is replayed, from which its files' past is taken."""


class _Step(NamedTuple):
    """One commit to a file, and the version that it made."""

    blob: bytes
    patch: Patch


class Past:
    """The last commits to every file; commits are added oldest first.

    As `git log -- PATH` tells it: a file that was added, moved here or deleted begins anew.
    """

    def __init__(self) -> None:
        self._steps: dict[bytes, deque[_Step]] = {}

    def add(self, commit: Commit) -> None:
        """Take a commit that comes after all that were added."""
        for entry in commit.entries:
            if entry.status != "M" or entry.old_blob == entry.new_blob:
                self._begin_anew(entry)
                continue
            steps = self._steps.setdefault(entry.path, deque(maxlen=MAX_CHANGES))
            steps.append(_Step(entry.new_blob, commit.patch_of(entry)))

    def of(self, entry: Entry) -> tuple[Patch, ...]:
        """The commits that led to the version before this change, newest first.

        Where histories run side by side, what was done after that version is left out if the version is known.
        """
        steps = list(self._steps.get(entry.path, ()))
        made_by = [place for place, step in enumerate(steps) if step.blob == entry.old_blob]
        known = steps[: made_by[-1] + 1] if made_by else steps
        return tuple(step.patch for step in reversed(known))

    def _begin_anew(self, entry: Entry) -> None:
        if entry.old_blob != entry.new_blob or entry.new_path != entry.path:  # else its mode alone has changed
            self._steps.pop(entry.new_path, None)
