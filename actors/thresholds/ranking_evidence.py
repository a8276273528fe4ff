"""What is told of the weights by which pieces are ranked, and whether it can be."""

from __future__ import annotations

from math import isfinite

from actors.runtime.errors import Misuse
from actors.thresholds.limit import MAX_SAMPLES
from actors.thresholds.messages import RankingEvidence
from actors.thresholds.name import check_extension
from actors.thresholds.ranking import LEARNED


def checked_evidence(row: RankingEvidence) -> RankingEvidence:
    """The row under its extension's own spelling. Raises `Misuse` for numbers that no replay gives."""
    extension = check_extension(row.extension)
    if len(row.shifts) != len(LEARNED) or not all(isfinite(shift) for shift in row.shifts):
        raise Misuse(f"the shifts of .{extension} must be {len(LEARNED)} numbers ({', '.join(LEARNED)}): replay anew")
    if not 0 < row.n_hunks <= MAX_SAMPLES:
        raise Misuse(f"{row.n_hunks} hunks of .{extension} teach nothing: give 1 to {MAX_SAMPLES}")
    return row._replace(extension=extension)
