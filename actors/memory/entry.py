"""One entry of a playbook: a line that an agent found worth keeping, and how it has fared.

What it says never changes; votes, confirmations and age do.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from actors.memory.limit import MAX_TURNS_UNCONFIRMED, SURVIVAL_TURNS
from actors.memory.reason import HARMFUL, UNCONFIRMED
from actors.memory.text import check_about, check_content
from actors.memory.word import jaccard, words
from actors.runtime.errors import Misuse

STRATEGY: Final = "Strategy"
PITFALL: Final = "Pitfall"
FACT: Final = "Fact"
FILE_REF: Final = "FileRef"
KINDS: Final = (STRATEGY, PITFALL, FACT, FILE_REF)


class Draft(NamedTuple):
    """What is to become an entry; `about` is the path, symbol or signal that it concerns, "" for none.

    `is_mended` says that it tells of a failure and of what mended it: that was tried, and it worked.
    """

    kind: str
    content: str
    about: str = ""
    is_mended: bool = False

    def check(self) -> None:
        """Raise `Misuse` unless it can become one."""
        if self.kind not in KINDS:
            raise Misuse(f"unknown kind {self.kind[:80]!r} of entry: give one of {', '.join(KINDS)}")
        check_content(self.content)
        check_about(self.about)


class Entry(NamedTuple):
    """An entry. `n_turns` is its age in turns; `n_unconfirmed` those since it was added or last confirmed."""

    entry_id: int
    kind: str
    content: str
    about: str
    agent: str
    at_utc_s: float
    n_confirmed: int = 0
    n_helpful: int = 0
    n_harmful: int = 0
    n_turns: int = 0
    n_unconfirmed: int = 0
    is_mended: bool = False

    @property
    def salience(self) -> tuple[int, int, int, int]:
        """What is compared where there is room for some only: the least goes."""
        return (self.n_helpful - self.n_harmful, self.n_confirmed, -self.n_unconfirmed, self.entry_id)

    @property
    def is_due(self) -> str:
        """Why it has to go at the end of a turn; "" if it may stay."""
        if self.n_harmful > self.n_helpful:
            return HARMFUL
        return UNCONFIRMED if self.n_unconfirmed >= MAX_TURNS_UNCONFIRMED else ""

    @property
    def lasts(self) -> bool:
        """Whether it is old enough to be counted as one that survived."""
        return self.n_turns >= SURVIVAL_TURNS

    @property
    def helps(self) -> bool:
        """Whether more agents were helped by it than harmed."""
        return self.n_helpful > self.n_harmful

    @property
    def is_lesson(self) -> bool:
        """Whether it is shown where what it is about is at hand: votes speak for it, or that it mended a failure.

        What was mended counts as one vote, so that it can be shown before anybody has voted; one that harmed since
        is shown no more.
        """
        return self.about != "" and self.n_helpful + self.is_mended > self.n_harmful

    def likeness(self, draft: Draft) -> float:
        """How much it says of what the draft says: 1 for the same content.

        0 for another kind, and where both are about something, and not about the same.
        """
        if self.kind != draft.kind or (self.about and draft.about and self.about != draft.about):
            return 0.0
        return 1.0 if self.content == draft.content else jaccard(words(self.content), words(draft.content))
