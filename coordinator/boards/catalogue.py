"""Which boards there are."""

from __future__ import annotations

from typing import Final

from coordinator.boards.board import Board
from coordinator.boards.efficacy import EFFICACY
from coordinator.boards.fleet import FLEET
from coordinator.boards.learning import LEARNING
from coordinator.boards.runtime import RUNTIME

BOARDS: Final[tuple[Board, ...]] = (FLEET, EFFICACY, LEARNING, RUNTIME)
