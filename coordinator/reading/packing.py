"""Which stretches of lines fit into so many tokens, markers counted; an estimate that adds up line by line.

Tokens may join across lines and markers differ in length, so what is printed may cost a little more or less: whoever
must keep to a budget counts again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, compress

from coordinator.reading.shown import ShownLines
from coordinator.reading.unit import LineRange


class Packing:
    """The lines of one file that are to be shown; at first none, behind one marker.

    `weights` are the tokens of each line, `marker_tokens` those of a typical marker, `base_tokens` what is printed when
    no line is shown.
    """

    def __init__(self, weights: Sequence[int], *, marker_tokens: int, base_tokens: int) -> None:
        self._weights = weights
        self._sums = list(accumulate(weights, initial=0))
        self._marker_tokens = marker_tokens
        self._is_shown = bytearray(len(weights))  # 1 for a line that is
        self.tokens = base_tokens

    def try_add(self, lines: LineRange, limit: int) -> bool:
        """Show these lines too if all of it then costs no more than `limit`; returns whether they are shown now."""
        tokens = self.tokens + self._cost(*lines)
        if tokens > limit:
            return False
        self.tokens = tokens
        first, last = lines
        self._is_shown[first - 1 : last] = b"\1" * (last - first + 1)
        return True

    def _cost(self, first: int, last: int) -> int:
        """What showing `first`..`last` adds: their tokens, and markers on either side in the place of those within."""
        inside = self._is_shown[first - 1 : last]
        gap_before = first > 1 and not self._is_shown[first - 2]
        gap_after = last < len(self._is_shown) and not self._is_shown[last]
        tokens = self._sums[last] - self._sums[first - 1]
        n_gaps = 1
        if any(inside):
            tokens -= sum(compress(self._weights[first - 1 : last], inside))
            shown = b"%c%b%c" % (not gap_before, bytes(inside), not gap_after)
            n_gaps = shown.count(b"\1\0") + gap_before
        return tokens + self._marker_tokens * (gap_before + gap_after - n_gaps)

    @property
    def shown(self) -> ShownLines:
        """The lines so far."""
        return ShownLines.of(self._runs())

    def _runs(self) -> Iterator[LineRange]:
        start = self._is_shown.find(1)
        while start >= 0:
            stop = self._is_shown.find(0, start)
            stop = len(self._is_shown) if stop < 0 else stop
            yield start + 1, stop
            start = self._is_shown.find(1, stop)
