"""What a search found, and how far it can be trusted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, Literal

from coordinator.retrieval.passage import Passage

Source = Literal["words", "meaning", "both"]
SOURCES: Final[tuple[Source, ...]] = ("words", "meaning", "both")


@dataclass(frozen=True, slots=True)
class Answer:
    """Passages, the best first, and which way of looking put each forward.

    `no_meaning` says why words alone were looked at; empty if meaning was too. `n_reread` passages are of files that
    changed after they were indexed, as they are now; `n_waiting` files, or more, have changed and are not in the
    index. `is_whole` is False until the index was made once to its end.
    """

    query: str
    passages: tuple[Passage, ...]
    sources: tuple[Source, ...]
    no_meaning: str = ""
    n_reread: int = 0
    n_waiting: int = 0
    is_whole: bool = True

    @property
    def notes(self) -> tuple[str, ...]:
        """What its reader should know of it, in sentences."""
        said = []
        if self.no_meaning:
            said.append(f"looked for by words alone: {self.no_meaning}")
        if not self.is_whole:
            said.append("the index is being made, and does not hold all files yet")
        if self.n_waiting:
            said.append(f"{self.n_waiting} files or more have changed and are not in the index: run `scentfield index`")
        if self.n_reread:
            said.append(
                f"{self.n_reread} of these passages were read anew: their files changed after they were indexed"
            )
        return tuple(said)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for programs."""
        rows = [
            {
                "path": one.path,
                "title": one.title,
                "first_line": one.first_line,
                "last_line": one.last_line,
                "score": round(one.score, 6),
                "source": source,
                "content_hash": one.content_hash,
                "text": one.text,
            }
            for one, source in zip(self.passages, self.sources, strict=True)
        ]
        return {"query": self.query, "passages": rows, "notes": list(self.notes)}
