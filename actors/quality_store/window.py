"""How long a view is watched, counted in the reads that its agent makes after it.

The numbers decide what is journaled; replaying the journal asks none of them.
"""

from __future__ import annotations

from typing import Final, NamedTuple

BOUNCE_READS: Final = 5
"""A compressed view bounces within so many reads, or is clean; a failed edit is charged a read within as many."""
EDIT_READS: Final = 10
"""A `full` within so many reads after the agent's own edit of the file is there to see what it did."""
WASTED_READS: Final = 10
"""A `full` is wasted if the agent does not edit the file within so many reads."""
MIN_WASTED_TOKENS: Final = 2_000
"""A `full` is worth a thought above so many tokens."""
MIN_WASTED_EXTENSION_READS: Final = 10
MAX_WASTED_BOUNCE_RATE: Final = 0.05

Where = tuple[str, str]
"""A claim space and a path in it."""


class View(NamedTuple):
    """A view that is watched. `number` is that of its read, counted over all reads of its agent from 1.

    `layers` are those that had a say in it, joined by "+"; those of them that are in `arm` were held out.
    """

    number: int
    space: str
    path: str
    mode: str
    arm: str
    n_tokens: int
    n_total_tokens: int
    layers: str = ""

    @property
    def where(self) -> Where:
        """The file that it shows."""
        return self.space, self.path
