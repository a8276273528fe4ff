"""What an agent is told of its edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from coordinator.editing.refusal import Cause


@dataclass(frozen=True, slots=True)
class Edited:
    """What came of an edit; true in a condition if the file is as the caller wants it.

    `cause` is `applied`, `create`, `undone`, or why nothing was written. `evidence` is the file's text where it helps;
    `shown_tokens` what it costs to read. `failed_edit` is the place in `edits`, from 0, of the one that could not be
    made. `warnings` say what was questionable about an edit that was made.
    """

    path: str
    applied: bool
    cause: str
    message: str
    content_hash: str = ""
    evidence: str = ""
    shown_tokens: int = 0
    generation: int = 0
    warnings: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    failed_edit: int | None = None

    def __bool__(self) -> bool:
        return self.applied or self.cause == Cause.ALREADY_APPLIED

    def to_dict(self) -> dict[str, Any]:
        """The result for programs."""
        return {
            "path": self.path,
            "applied": self.applied,
            "cause": str(self.cause),
            "message": self.message,
            "content_hash": self.content_hash,
            "evidence": self.evidence,
            "generation": self.generation,
            "warnings": list(self.warnings),
            "hints": list(self.hints),
            "failed_edit": self.failed_edit,
        }
