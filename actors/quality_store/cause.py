"""Why an edit ended as it did, and whether that says anything about the view it was written from.

Only two ends carry signal: the replacement was applied, or its old text was not found. All others are counted and
recorded nowhere else.
"""

from __future__ import annotations

from typing import Final

from actors.runtime.errors import Misuse

SUCCESS: Final = "success"
FAILURE: Final = "failure"
APPLIED: Final = "applied"
UNDONE: Final = "undone"
NOT_SHOWN: Final = "not_shown"
NOT_FOUND_CAUSES: Final = (NOT_SHOWN, "never_there")
SILENT_CAUSES: Final = (
    "claimed",
    "already_applied",
    "changed",
    "ambiguous",
    "create",
    "create_conflict",
    "empty_old",
    "identical",
    "binary",
    "missing_file",
    "unread",
    "overlap",
    "partly_applied",
    "marker",
    "stale_hash",
    "encoding",
    "disk",
)
# An edit that is already in the file, and what concerns files as a whole, are successes for their caller and no signal.
_CAUSES: Final = {
    SUCCESS: (APPLIED, "already_applied", "create", "deleted", "moved", UNDONE),
    FAILURE: (*NOT_FOUND_CAUSES, *SILENT_CAUSES),
}
FAILURES: Final = frozenset(_CAUSES[FAILURE]) - frozenset(_CAUSES[SUCCESS])
"""What ends an edit that was not made."""


def check_cause(outcome: str, cause: str) -> None:
    """Raise `Misuse` unless `cause` explains `outcome`."""
    causes = _CAUSES.get(outcome)
    if causes is None:
        raise Misuse(f"unknown outcome {outcome[:80]!r}: give one of {', '.join(_CAUSES)}")
    if cause not in causes:
        raise Misuse(f"unknown cause {cause[:80]!r} of a {outcome}: give one of {', '.join(causes)}")


def signal_of(cause: str) -> str:
    """What the cause says about the last view: `SUCCESS`, `FAILURE`, or "" for nothing."""
    if cause == APPLIED:
        return SUCCESS
    return FAILURE if cause in NOT_FOUND_CAUSES else ""
