"""`QualityMonitor`: a rolling window over the quality of answers, and whether it is getting worse."""

from __future__ import annotations

from typing import Final

from actors.quality_store.quality_window import QualityWindow, check_quality
from coordinator.feedback.number import check_whole

MAX_WINDOW: Final = 100_000


class QualityMonitor:
    """The newest `window_size` qualities of whoever records them here. In memory and for one process.

    What all agents see together is kept by the quality store: `agent.answers.quality()`. Raises `Misuse` for a
    window or a threshold that cannot be.
    """

    def __init__(self, window_size: int = 100, threshold: float = 0.6) -> None:
        check_whole("window_size", window_size, 1, MAX_WINDOW)
        self.window_size = window_size
        self.threshold = check_quality("threshold", threshold)
        self._window = QualityWindow(window_size)

    def record(self, quality: float) -> None:
        """Take note of an answer's overall quality, 0 to 1; the oldest goes. Raises `Misuse` for another number."""
        self._window.add(check_quality("quality", quality))

    def __len__(self) -> int:
        return len(self._window)

    @property
    def mean(self) -> float | None:
        """The mean of the window; None while it is empty."""
        return self._window.mean

    @property
    def share_below(self) -> float | None:
        """The share of answers in the window under the threshold; None while it is empty."""
        return self._window.share_below(self.threshold)

    @property
    def drop(self) -> float | None:
        """By what share the last five are worse on average than up to twenty before them; None under ten answers."""
        return self._window.drop

    def detect_degradation(self) -> bool:
        """Whether that drop is over 15%. False under ten answers, or where the window does not hold ten."""
        return self._window.is_degrading
