"""How many texts wait, and how long that will take: pure, times come in."""

from __future__ import annotations

from typing import Final

_FIRST_TEXT_S: Final = 1e-3
_SHARE: Final = 0.2
_SHORTEST_S: Final = 0.02
_LONGEST_S: Final = 10.0


class Pace:
    """Counts queued texts against a limit and learns what one takes (a moving average over calls).

    `n_at_once` calls are computed side by side.
    """

    def __init__(self, max_queued: int, n_at_once: int) -> None:
        self._max_queued = max_queued
        self._n_at_once = n_at_once
        self._text_s = _FIRST_TEXT_S
        self.n_queued = 0

    def may_enter(self, n_texts: int) -> bool:
        """Whether so many texts more may wait; a single call may always, when nobody else does."""
        return self.n_queued == 0 or self.n_queued + n_texts <= self._max_queued

    def enter(self, n_texts: int) -> None:
        """A call begins to wait."""
        self.n_queued += n_texts

    def leave(self, n_texts: int, took_s: float) -> None:
        """A call is over; computing took so long, 0 if nothing was computed."""
        self.n_queued -= n_texts
        if n_texts and took_s > 0.0:
            self._text_s += _SHARE * (took_s / n_texts - self._text_s)

    @property
    def wait_s(self) -> float:
        """How long those who wait now will take, in seconds, from 0.02 to 10."""
        return min(_LONGEST_S, max(_SHORTEST_S, self.n_queued * self._text_s / self._n_at_once))
