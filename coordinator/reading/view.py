"""What an agent is shown of a file, and what it is told about the rest.

A view never lies: every line of its body that is not a marker is a line of the file, byte for byte after decoding, in
order (a diff's lines have their +, - or space before them). The header comes first, on one line of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from coordinator.reading.line_diff import KeptLines
from coordinator.reading.shown import ShownLines


@dataclass(frozen=True, slots=True)
class View:
    """One file as it was shown once.

    `mode` is what was served (`full` where compression did not pay), `source` why; `tokens` counts everything printed,
    `total_tokens` the file. `shown` are the lines of the file that the body holds. `fallback` says in a few words why
    the view is not what was asked for, empty if it is. `kept` and `previous_hash`, of a diff: the stretches that the
    version before had too.
    """

    header: str
    body: str
    mode: str
    source: str
    tokens: int
    total_tokens: int
    content_hash: str
    shown: ShownLines
    tag: str
    fallback: str = ""
    previous_hash: str = ""
    kept: tuple[KeptLines, ...] = ()

    @property
    def text(self) -> str:
        """All that is printed."""
        return self.header + self.body
