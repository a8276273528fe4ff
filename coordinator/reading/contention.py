"""What an automatic read shows of a file that others have changed, or are at work on. Pure.

It only ever shows more than the agent would have seen: all of the file, or all that changed since it had the whole
picture. What costs less of the two is the view's decision, which shows the file whole where a diff does not pay.
"""

from __future__ import annotations

from typing import Final

from coordinator.reading.mode import Mode
from coordinator.reading.source import SourceText
from coordinator.reading.view_book import SeenFile

HOT_FROM: Final = 0.75
"""Another agent is at work on a file from this heat of its own on: a deposit of 1.0 for four minutes, three reads in a
row for two. That several have had a look at it does not make it hot."""


def fresh_mode(seen: SeenFile | None, current: SourceText, previous: SourceText | None, candidate: str) -> Mode:
    """`diff` for an agent that saw of `previous` what `candidate` would show now, else `full`.

    `previous` is the version that it read last, None where that is no longer kept. A file that has not changed since
    has nothing to tell in a diff.
    """
    if seen is None or previous is None or previous.content_hash == current.content_hash:
        return Mode("full")
    has_seen_all = seen.shown.contains(1, len(previous.lines))
    knows_enough = has_seen_all if candidate == "full" else bool(seen.last_mode)
    return Mode("diff" if knows_enough else "full")
