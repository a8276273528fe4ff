"""Who is at something like it: the intents of live claims, ranked by how near they are to one's own.

Claims keep two agents off one file; they cannot see that both are about to do the same thing in two places. Near is by
the words that both have, and by meaning where the embedding model is ready; which of it is the same work, the reader
must judge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from actors.memory.word import terms
from actors.scent_field.messages import FieldRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

WORDS_FROM: Final = 0.3
MEANING_FROM: Final = 0.4
"""From which share of words, and which cosine, intents are near: measured, see docs/field.md."""
MAX_ROWS: Final = 1_000
"""So many claims are looked at, the strongest first."""


class CloseWork(NamedTuple):
    """Work of others: whose it is, on what, what for, and how near that is, up to 1."""

    agents: tuple[str, ...]
    targets: tuple[str, ...]
    intent: str
    likeness: float

    @property
    def line(self) -> str:
        """One line for people."""
        return f"{', '.join(self.agents)} holds {', '.join(self.targets)} to {self.intent} ({self.likeness:.0%} alike)"


def close_work(
    intent: str,
    rows: Sequence[FieldRow],
    own_session: str,
    vectors_of: Callable[[list[str]], npt.NDArray[np.float32] | None],
    n: int,
) -> list[CloseWork]:
    """The claims of others whose intents are near, the nearest first; `vectors_of` gives unit rows, or None."""
    works = _works(rows, own_session)
    if not works or not intent.strip():
        return []
    shares = [_shared_words(intent, work.intent) for work in works]
    vectors: Any = vectors_of([intent, *(work.intent for work in works)])
    cosines = [0.0] * len(works) if vectors is None else [float(cosine) for cosine in vectors[1:] @ vectors[0]]
    found = [
        work._replace(likeness=max(share, cosine))
        for work, share, cosine in zip(works, shares, cosines, strict=True)
        if share >= WORDS_FROM or cosine >= MEANING_FROM
    ]
    return sorted(found, key=lambda work: (-work.likeness, work.targets))[:n]


def _works(rows: Sequence[FieldRow], own_session: str) -> list[CloseWork]:
    """The claims of others that say what they are for; those of one agent for one thing are one."""
    targets: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for row in rows:
        if row.kind == "CLAIMED" and row.intent and own_session not in row.agents:
            targets.setdefault((row.agents, row.intent), []).append(row.target)
    return [CloseWork(agents, tuple(sorted(held)), intent, 0.0) for (agents, intent), held in targets.items()]


def _shared_words(one: str, other: str) -> float:
    these, those = terms([one]), terms([other])
    return len(these & those) / (len(these | those) or 1)
