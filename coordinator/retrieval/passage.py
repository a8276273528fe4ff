"""What retrieval gives: a stretch of a file with its place in the order, and who can be asked for some.

The two handles of whoever asks are how many passages there are (`top_k`) and how much each is compressed (`level`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Protocol

WHOLE: Final = 0.0
MOST_COMPRESSED: Final = 1.0


@dataclass(frozen=True, slots=True)
class Passage:
    """A unit or section of a file, as it stands in the file now.

    `path` is relative to the tree's root, POSIX; `title` says where in the file it is (`Parser.next`, or a heading);
    `text` is the passage at the level that was asked for: it may leave lines out, but changes none. `score` orders the
    passages of one answer, higher is better, and means nothing between answers. `content_hash` is the SHA-256 of the
    whole file's bytes, 64 hex digits; lines are 1-based and inclusive.
    """

    path: str
    title: str
    text: str
    score: float
    content_hash: str
    first_line: int
    last_line: int


class Retriever(Protocol):
    """Whoever finds passages for a question."""

    def retrieve(self, query: str, *, top_k: int, level: float) -> list[Passage]:
        """The `top_k` passages that answer `query` best, the best first; fewer if the corpus has no more.

        `level` runs from 0.0, passages whole, to 1.0, most compressed. Raises `Misuse` for an empty query, `top_k`
        below 1, or a level outside of that; `Unavailable` where there is nothing to search.
        """
        ...
