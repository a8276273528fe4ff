"""What an agent of the demo does about lessons, by two rules that go by the words of the lessons alone.

A pitfall says that an edit of this file missed:

* because its text stands more than once (`ambiguous`): then it quotes three more lines on each side;
* for any other cause: then it does not quote the file from memory, but looks at the place first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

from coordinator.editing.refusal import Cause

MORE_LINES: Final = 3
_MISSED: Final = re.compile(r" Pitfall\b.*: an edit .* missed \((?P<cause>\w+)\)")


class Care(NamedTuple):
    """Whether the agent looks at a place before it quotes it, and how many more lines it quotes on each side."""

    looks_first: bool = False
    n_neighbours: int = 0


CARELESS: Final = Care()


def care_for(lessons: Iterable[str]) -> Care:
    """The care that these lessons ask for."""
    causes = {found["cause"] for found in map(_MISSED.search, lessons) if found}
    return Care(bool(causes - {str(Cause.AMBIGUOUS)}), MORE_LINES if Cause.AMBIGUOUS in causes else 0)
