"""The rolling quality of answers: one window for all agents, and a shorter one for each that was heard of lately."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

from actors.quality_store.answer_message import WindowRow
from actors.quality_store.quality_window import BEFORE, RECENT, QualityWindow

FLEET: Final = ""
"""The name of the window of all agents: no session is called so."""
FLEET_SIZE: Final = 100
AGENT_SIZE: Final = RECENT + BEFORE
_DIGITS: Final = 6


@dataclass(slots=True)
class _Rolling:
    """A window, when its last answer came (UTC seconds), and whether it was degrading then."""

    window: QualityWindow
    at_utc_s: float = 0.0
    is_degrading: bool = False


def _empty(name: str) -> _Rolling:
    return _Rolling(QualityWindow(FLEET_SIZE if name == FLEET else AGENT_SIZE))


class AnswerWindows:
    """All windows; the agents' in the order of their last answers, the oldest first."""

    def __init__(self) -> None:
        self._windows = {FLEET: _empty(FLEET)}

    def __len__(self) -> int:
        """How many agents have one."""
        return len(self._windows) - 1

    def was_degrading(self, name: str) -> bool:
        """Whether the window was degrading when its last answer came."""
        known = self._windows.get(name)
        return known is not None and known.is_degrading

    def would_degrade(self, name: str, quality: float) -> bool:
        """Whether the window is degrading with one more answer."""
        known = self._windows.get(name) or _empty(name)
        after = QualityWindow(FLEET_SIZE if name == FLEET else AGENT_SIZE, known.window)
        after.add(quality)
        return after.is_degrading

    def add(self, name: str, quality: float, at_utc_s: float, *, is_degrading: bool) -> None:
        """Take in an answer; its agent is now the one that was heard of last."""
        rolling = self._windows.get(FLEET) if name == FLEET else self._windows.pop(name, None)
        rolling = rolling or _empty(name)
        rolling.window.add(quality)
        rolling.at_utc_s, rolling.is_degrading = at_utc_s, is_degrading
        self._windows[name] = rolling

    def lapsed(self, not_before_s: float) -> list[str]:
        """The agents whose last answer came before that; touches no others."""
        return [name for name, _ in takewhile(lambda item: item[1].at_utc_s < not_before_s, self._agents())]

    def first_out(self) -> str:
        """The agent that was not heard of for longest."""
        return next(self._agents())[0]

    def drop(self, name: str) -> None:
        """Forget an agent's window."""
        del self._windows[name]

    def clear(self) -> None:
        """Forget all of them."""
        self._windows = {FLEET: _empty(FLEET)}

    def _agents(self) -> Iterator[tuple[str, _Rolling]]:
        return ((name, rolling) for name, rolling in self._windows.items() if name != FLEET)

    def row(self, name: str = FLEET) -> WindowRow:
        """One window, as it is shown."""
        window = self._windows[name].window
        drop = window.drop
        mean = round(window.mean or 0.0, _DIGITS)
        return WindowRow(name, len(window), mean, drop or 0.0, drop is not None, window.is_degrading)

    def agent_rows(self, not_before_s: float) -> tuple[WindowRow, ...]:
        """The agents' that have not lapsed, by name."""
        return tuple(self.row(name) for name, seen in sorted(self._agents()) if seen.at_utc_s >= not_before_s)

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order; an empty window of all is none."""
        return (
            [name, rolling.at_utc_s, rolling.is_degrading, list(rolling.window)]
            for name, rolling in self._windows.items()
            if len(rolling.window)
        )

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        name, at_utc_s, is_degrading, qualities = row
        self._windows[name] = _Rolling(
            QualityWindow(FLEET_SIZE if name == FLEET else AGENT_SIZE, qualities), at_utc_s, is_degrading
        )
