"""What the other domains are told, and who of them: the thresholds learn from all of it, the field of trouble only."""

from __future__ import annotations

from typing import Final

from actors.quality_store.cause import NOT_SHOWN
from actors.quality_store.path import extension_of
from actors.quality_store.window import View
from actors.runtime.outbox import BOUNCE, CLEAN_COMPRESSED, EDIT_FAILURE, EDIT_SUCCESS, WASTED_FULL, Note, Outbox

THRESHOLDS: Final = "thresholds"
SCENT_FIELD: Final = "scent_field"


class NoteBook:
    """Writes notes for one outbox."""

    def __init__(self, outbox: Outbox) -> None:
        self._outbox = outbox

    def bounce(self, session_id: str, view: View, n_extra_tokens: int, utc_s: float) -> None:
        """A compressed view was followed by a `full` that the agent needs."""
        note = _note(BOUNCE, session_id, view, n_extra_tokens, utc_s)
        self._outbox.put(THRESHOLDS, note)
        self._outbox.put(SCENT_FIELD, note)

    def clean(self, session_id: str, view: View, utc_s: float) -> None:
        """A compressed view was enough."""
        self._outbox.put(THRESHOLDS, _note(CLEAN_COMPRESSED, session_id, view, 0, utc_s))

    def wasted(self, session_id: str, view: View, utc_s: float) -> None:
        """A `full` was not needed."""
        self._outbox.put(THRESHOLDS, _note(WASTED_FULL, session_id, view, 0, utc_s))

    def edit_success(self, session_id: str, view: View, utc_s: float) -> None:
        """An edit that was written from the view was applied."""
        self._outbox.put(THRESHOLDS, _note(EDIT_SUCCESS, session_id, view, 0, utc_s))

    def edit_failure(self, session_id: str, view: View, cause: str, n_extra_tokens: int, utc_s: float) -> None:
        """An edit that was written from the view missed. Text that was never in the file is not for want of lines."""
        note = _note(EDIT_FAILURE, session_id, view, n_extra_tokens, utc_s)
        if cause == NOT_SHOWN:
            self._outbox.put(THRESHOLDS, note)
        self._outbox.put(SCENT_FIELD, note)


def _note(topic: str, session_id: str, view: View, n_extra_tokens: int, utc_s: float) -> Note:
    return Note(
        topic,
        session_id,
        view.space,
        view.path,
        extension_of(view.path),
        view.mode,
        view.n_tokens,
        view.n_total_tokens,
        n_extra_tokens,
        utc_s,
    )
