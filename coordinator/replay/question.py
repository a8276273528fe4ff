"""What is asked of every change: which modes, by which query, within which budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from actors.runtime.errors import Misuse
from coordinator.reading.budget import budget_tokens, default_tokens
from coordinator.reading.expected_cost import QUERIED_CANDIDATES
from coordinator.reading.mode import WHOLE_FILE_MODES
from coordinator.replay.change import Change

MESSAGE: Final = "message"
NONE: Final = "none"
DESCRIPTION: Final = "description"
MODES: Final = tuple(mode for mode in WHOLE_FILE_MODES if mode != "diff")
"""Every mode that shows a file which was not read before."""


class QueryKind(NamedTuple):
    """Where the query of a change is from; `text` is that of a description, the same for all changes."""

    name: str
    text: str = ""

    def of(self, change: Change) -> str:
        """The query for a change; "" for none."""
        return change.message if self.name == MESSAGE else self.text


@dataclass(frozen=True, slots=True)
class Question:
    """`modes` are those that are told of; `budget` is a share of a file's tokens, None for what each mode does without.

    `model_folder` is where the static model's files are; "" for views without vectors.
    `is_learning` asks for what the changes say of ranking.
    """

    modes: tuple[str, ...] = MODES
    kinds: tuple[QueryKind, ...] = (QueryKind(MESSAGE),)
    budget: float | None = None
    model_folder: str = ""
    is_learning: bool = False

    @property
    def rendered_modes(self) -> tuple[str, ...]:
        """These, and the ones that `auto` chooses from."""
        return tuple(mode for mode in MODES if mode in self.modes or mode in QUERIED_CANDIDATES or mode == "full")

    def reference_tokens(self, total_tokens: int) -> int:
        """The budget of the rankers that views are held against: the one of `units`."""
        return self.budget_tokens(total_tokens) or default_tokens(total_tokens)

    def budget_tokens(self, total_tokens: int) -> int | None:
        """The budget for a file with so many tokens."""
        return budget_tokens(self.budget, total_tokens)


def chosen_modes(text: str | None) -> tuple[str, ...]:
    """The modes of a list with commas, in our order; all for None. Raises `Misuse` that names what is not known."""
    if text is None:
        return MODES
    wanted = [name.strip() for name in text.split(",")]
    unknown = [name for name in wanted if name not in MODES]
    if unknown:
        raise Misuse(f"{unknown[0]!r} cannot be replayed: give --modes some of {', '.join(MODES)}, with commas")
    return tuple(mode for mode in MODES if mode in wanted)
