"""The words of a text, in the two grains that the memory needs. Pure, and the same on every machine.

`words` keeps paths and dotted names whole: two texts about two files are not alike because the files lie in one folder.
`terms` takes names apart, so that a search for a part finds the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

_WORD: Final = re.compile(r"\w(?:[\w./:#@-]*\w)?")
_RUN: Final = re.compile(r"[^\W\d_]+|\d+")
_HUMP: Final = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@lru_cache(maxsize=4_096)  # each entry of a playbook is compared with every new one
def words(text: str) -> frozenset[str]:
    """The words of a text in lower case; `coordinator/a.py` is one, `isn't` two."""
    return frozenset(_WORD.findall(text.lower()))


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of the words of both that both have; 0 if there are none."""
    n_shared = len(one & other)
    return n_shared / (len(one) + len(other) - n_shared) if n_shared else 0.0


def terms(texts: Iterable[str]) -> set[str]:
    """What texts can be found by, in lower case: runs of letters or digits, and the humps of names like `claimEach`."""
    found = set()
    for text in texts:
        for run in _RUN.findall(text):
            lowered = run.lower()
            found.add(lowered)
            if lowered != run:
                found.update(part.lower() for part in _HUMP.split(run))
    return found
