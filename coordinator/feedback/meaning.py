"""Relevance by meaning instead of by words: how near the answer's embedding lies to the question's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from actors.runtime.errors import Misuse
from coordinator.feedback.exchange import Exchange, sentences

RowsOf: TypeAlias = Callable[[Sequence[str]], npt.NDArray[np.float32]]
"""One row of unit length for each text, or of zeros; `lambda texts: agent.embed(texts).rows` is one."""
MAX_SENTENCES: Final = 64


class EmbeddingRelevance:
    """The larger of two cosines with the question: the whole answer's, and the mean of its three nearest sentences'.

    A long answer that holds the right sentence is not punished for the others. Negative cosines count as 0. Looks at
    the first 64 sentences. Raises what `rows_of` raises.
    """

    def __init__(self, rows_of: RowsOf) -> None:
        self._rows_of = rows_of

    def score(self, exchange: Exchange) -> float:
        """From 0 to 1."""
        parts = sentences(exchange.response)[:MAX_SENTENCES]
        rows = self._rows_of([exchange.query, exchange.response, *parts])
        if len(rows) != len(parts) + 2:
            raise Misuse(f"{len(parts) + 2} texts were embedded as {len(rows)} rows: give one row for each")
        whole, *near = (float(cosine) for cosine in rows[1:] @ rows[0])
        nearest = sorted(near, reverse=True)[:3]
        return min(1.0, max(0.0, whole, sum(nearest) / len(nearest) if nearest else 0.0))
