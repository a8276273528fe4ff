"""Who answers: any callable that takes the question and the passages, and gives a text, at once or when awaited."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from coordinator.retrieval.passage import Passage

Generator: TypeAlias = Callable[[str, Sequence[Passage]], str | Awaitable[str]]
