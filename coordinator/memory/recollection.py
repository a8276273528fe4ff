"""What a recall came to, and how two rankings of facts become one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from actors.memory.fact import Found
from actors.memory.report import found_line

_RANK_SHIFT: Final = 60


@dataclass(frozen=True, slots=True)
class Recollection:
    """Facts, the best first; false if there are none. `print(recollection)` prints a line each.

    `n_all` would have been found without a limit. `ways` says how they were looked for; `note` what could not be done.
    """

    found: tuple[Found, ...]
    n_all: int
    ways: tuple[str, ...]
    note: str = ""

    def __bool__(self) -> bool:
        return bool(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[Found]:
        return iter(self.found)

    def __str__(self) -> str:
        return "\n".join(found_line(one) for one in self.found)

    def to_dict(self) -> dict[str, Any]:
        """The recollection for programs."""
        found = [{**one.fact._asdict(), "score": one.score, "in_conflict": one.in_conflict} for one in self.found]
        return {"found": found, "n_all": self.n_all, "ways": list(self.ways), "note": self.note}


def fused(rankings: Sequence[Sequence[Found]], n_wanted: int) -> tuple[Found, ...]:
    """One ranking of several: reciprocal rank fusion (Cormack et al. 2009), ties by the newer fact.

    A fact that several rankings have keeps the score of the first that has it.
    """
    first: dict[int, Found] = {}
    weights: dict[int, float] = {}
    for ranking in rankings:
        for rank, one in enumerate(ranking, start=1):
            first.setdefault(one.fact.fact_id, one)
            weights[one.fact.fact_id] = weights.get(one.fact.fact_id, 0.0) + 1.0 / (_RANK_SHIFT + rank)
    best = sorted(first, key=lambda fact_id: (-weights[fact_id], -fact_id))
    return tuple(first[fact_id] for fact_id in best[:n_wanted])
