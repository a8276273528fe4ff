"""In which mode an automatic read is served: the rules of what was learned, in their order.

A pending escalation, kinds of files that bounce, single files that bounce, then what the caller would have picked, and
over that the penalty of a risky pair. Each only ever moves toward `full`. The penalty alone is a layer whose effect is
measured, so a share of the files goes without it, each for a day at a time.
"""

from __future__ import annotations

from collections.abc import Callable

from actors.quality_store.edit_book import EditBook
from actors.quality_store.messages import Resolved
from actors.quality_store.mode import FULL, check_mode
from actors.quality_store.path import check_path, extension_of
from actors.quality_store.read_book import ReadBook
from actors.quality_store.source import BOUNCE, ESCALATION, PATH_MEMORY, PENALTY
from actors.runtime.holdout import EDIT_PENALTY, is_held_out


class Resolver:
    """Asks both books; `holdout_share` of the files, 0 to 1, goes without the penalty, and all while it is not on."""

    def __init__(
        self, edits: EditBook, reads: ReadBook, holdout_share: float, is_on: Callable[[str], bool] = lambda _: True
    ) -> None:
        self._is_on = is_on
        self._edits = edits
        self._reads = reads
        self._share = holdout_share

    def resolve(self, space: str, path: str, candidate: str, utc_s: float) -> Resolved:
        """Answer for an automatic read that is about to happen: an escalation is used up, a penalty counted."""
        answer = self.peek(space, path, candidate, utc_s)
        if answer.consumed is not None:
            self._edits.serve(answer.consumed)
        elif answer.source in {"", PENALTY} and answer.is_at_stake:
            self._edits.count_penalty(extension_of(path), candidate, is_held_out=answer.is_held_out)
        return answer

    def peek(self, space: str, path: str, candidate: str, utc_s: float) -> Resolved:
        """What `resolve` would answer. Raises `Misuse` for a path or mode that does not exist."""
        check_path(space, path)
        check_mode(candidate)
        held_out = is_held_out(EDIT_PENALTY, path, utc_s, self._share)
        risky = self._is_on(EDIT_PENALTY) and self._edits.is_risky(extension_of(path), candidate, utc_s)
        pending = self._edits.escalation(space, path, utc_s)
        if pending is not None:
            return Resolved(FULL, ESCALATION, pending, held_out, risky)
        if self._reads.extension_means_full(path, utc_s):
            return Resolved(FULL, BOUNCE, None, held_out, risky)
        if self._reads.path_means_full(space, path, utc_s):
            return Resolved(FULL, PATH_MEMORY, None, held_out, risky)
        if risky and not held_out:
            return Resolved(FULL, PENALTY, None, False, risky)
        return Resolved(candidate, "", None, held_out, risky)
