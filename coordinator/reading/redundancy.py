"""Which kept lines say what a line shortly before them says already.

Maximal marginal relevance over a sliding window (Carbonell & Goldstein 1998). Knows no model: vectors come in, or do
not; without them nothing is dropped. Models take `left = 1` and `right = 2` for much the same, and whoever edits code
does not: a line that names something new is kept, however near it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Final, TypeAlias

from actors.runtime.errors import InvariantBroken

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors: TypeAlias = npt.NDArray[np.float32]
    VectorsOf: TypeAlias = Callable[[Sequence[str]], Vectors | None]

MAX_COMPARED_LINES: Final = 10_000
PROSE: Final = frozenset({"adoc", "markdown", "md", "org", "rst", "tex", "txt"})
"""Extensions of texts for people, in lower case: there, other words may say the same."""
_WORD = re.compile(r"\w+")
_NAME_IN_PROSE = re.compile(r"\w*[\d_]\w*|\w*[^\W\d_A-Z][A-Z]\w*")  # 404, max_retries, RetryPolicy; not Retry


@dataclass(frozen=True, slots=True)
class VectorKey:
    """Vectors as a part of what something is kept under: equal ones have equal bytes."""

    digest: bytes
    rows: Vectors = field(compare=False, repr=False)

    @classmethod
    def of(cls, rows: Vectors) -> VectorKey:
        """The key of these vectors, which must not be written to from now on."""
        return cls(blake2b(repr(rows.shape).encode() + rows.tobytes(), digest_size=16).digest(), rows)


def redundant_lines(texts: Sequence[str], vectors_of: VectorsOf | None, extension: str = "") -> frozenset[int]:
    """The places in `texts` of lines that one of the last 64 kept ones stands for.

    That is one whose cosine is 0.92 or more and that has all names and numbers of the line; in code every word is a
    name. `extension` is in lower case without its dot. `vectors_of` gives unit vectors, float32 [len(texts), d], a zero
    row for a text without words, or None when there are none at hand; it must not wait for a model. More than 10,000
    lines are not compared. Raises `InvariantBroken` for vectors of another shape.
    """
    if vectors_of is None or not 1 < len(texts) <= MAX_COMPARED_LINES:
        return frozenset()
    vectors = vectors_of(texts)
    if vectors is None:
        return frozenset()
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise InvariantBroken(f"vectors of {len(texts)} lines have the shape {vectors.shape}, not [{len(texts)}, d]")
    # Whoever has vectors has numpy; whoever has none, such as a hook, need not load it.
    from actors.embedding.nearness import near_duplicates

    find = _NAME_IN_PROSE if extension in PROSE else _WORD
    # Few texts are near to any other: the names of the others are not asked for.
    names = lru_cache(maxsize=None)(lambda place: frozenset(find.findall(texts[place])))
    dropped = near_duplicates(vectors, may_stand_for=lambda of, place: names(place) <= names(of))
    return frozenset(duplicate.place for duplicate in dropped)
