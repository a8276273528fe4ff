"""Which mode `auto` means before anything was learned."""

from __future__ import annotations

from typing import Final

MAX_SMALL_FILE_LINES: Final = 400


def choose_base_mode(n_lines: int) -> tuple[str, str]:
    """The mode for a file of `n_lines`, and the name of the rule that chose it.

    Pending escalations and learned penalties come from the quality store and only ever move the answer to `full`.
    """
    if n_lines > MAX_SMALL_FILE_LINES:
        return "map", "map_over_400_lines"
    return "full", "small_file"
