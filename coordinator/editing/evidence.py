"""What the answer to a failed edit shows, so that the next try can succeed: who changed the file, and its text now.

The text is the file's own, whole lines in order; which of them were printed is returned, because from then on the
agent has seen them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol

from coordinator.editing.file_diff import short_diff
from coordinator.editing.refusal import Cause, Refused
from coordinator.editing.request import Seen
from coordinator.editing.shown_line import Range, merged
from coordinator.editing.text_line import split_lines
from coordinator.reading.source import SourceText

MAX_TOKENS: Final = 4000
"""A file up to so many tokens is shown whole."""

_MAX_TOKEN_CHARS: Final = 128
_MARGINS: Final = (40, 20, 10, 5, 2, 0)
_PLACE_MARGIN: Final = 2
_WITH_TEXT: Final = frozenset(
    {Cause.CHANGED, Cause.AMBIGUOUS, Cause.NOT_SHOWN, Cause.NEVER_THERE, Cause.UNREAD, Cause.STALE_HASH}
)

UnitSpan = tuple[str, int, int]
CountTokens = Callable[[str], int]
ListUnits = Callable[[SourceText], Sequence[UnitSpan]]
"""Gives the units of a text: (name, first line, last line), in any order."""


class Authorship(Protocol):
    """Who made the version that is there now. An entry of the edit log is one."""

    @property
    def agent_id(self) -> str: ...  # noqa: D102 - the protocol's docstring says it

    @property
    def generation(self) -> int | None: ...  # noqa: D102 - the protocol's docstring says it

    @property
    def at_utc_s(self) -> float: ...  # noqa: D102 - the protocol's docstring says it

    @property
    def path(self) -> str: ...  # noqa: D102 - the protocol's docstring says it


@dataclass(frozen=True, slots=True)
class Evidence:
    """`text` goes below the refusal's message; `shown` are the lines of the current file that it prints."""

    text: str = ""
    shown: tuple[Range, ...] = ()


def evidence_for(
    refused: Refused,
    path: str,
    current: SourceText | None,
    seen: Seen | None,
    *,
    count_tokens: CountTokens,
    list_units: ListUnits = lambda _: (),
    author: Authorship | None = None,
    max_tokens: int = MAX_TOKENS,
) -> Evidence:
    """What to print below `refused`. `author` made the current version; None means that no edit of ours did.

    `seen` is the version that the agent knows of: what it read, or what it expects. A file that is not there has
    an `author` too, where one deleted or moved it. Causes that say nothing about the file's text get no evidence.
    """
    if current is None and refused.cause is Cause.MISSING_FILE and author is not None:
        return Evidence(_removed(path, author))
    if current is None or refused.cause not in _WITH_TEXT:
        return Evidence()
    change = _change(current, seen, author) if refused.cause is Cause.CHANGED else _slip(refused)
    if refused.cause is Cause.STALE_HASH:
        change = _since_expected(current, seen, author)
    lines = split_lines(current.text)
    fits = _fitting(lines, count_tokens, max_tokens)
    ranges = _ranges_to_show(refused, current, lines, fits, list_units)
    return Evidence(change + _rendered(path, lines, ranges), ranges)


def _change(current: SourceText, seen: Seen | None, author: Authorship | None) -> str:
    if seen is None or seen.source is None:
        return f"changed {_by(author)}; the version that you read is no longer kept, so there is no diff\n"
    return f"changed {_by(author)}; since you read it:\n{short_diff(seen.source.text, current.text)}"


def _since_expected(current: SourceText, expected: Seen | None, author: Authorship | None) -> str:
    """Nothing for a hash that no version on record has: it may be a slip."""
    if expected is None or expected.source is None:
        return ""
    return (
        f"changed {_by(author)}; since the version that you expect:\n{short_diff(expected.source.text, current.text)}"
    )


def _slip(refused: Refused) -> str:
    """The first line where the quotation and the closest stretch part, so that nobody has to look for it."""
    near = refused.near
    if near is None or not (near.yours or near.theirs):
        return ""
    quoted = f"  you quote {near.yours!r}\n  there is  {near.theirs!r}\n"
    return f"the first difference, from line {near.first_line} on:\n{quoted}"


def _removed(path: str, author: Authorship) -> str:
    what = f"moved to {author.path!r}" if author.path != path else "deleted"
    return f"{path!r} was {what} {_by(author)}\n"


def _by(author: Authorship | None) -> str:
    if author is None:
        return "outside Scentfield"
    at = datetime.fromtimestamp(author.at_utc_s, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    generation = "" if author.generation is None else f" (generation {author.generation})"
    return f"by {author.agent_id}{generation} at {at}"


def _fitting(lines: list[str], count_tokens: CountTokens, max_tokens: int) -> Callable[[Sequence[Range]], bool]:
    def fits(ranges: Sequence[Range]) -> bool:
        text = "".join("".join(lines[first - 1 : last]) for first, last in ranges)
        # No token is longer than this, so a longer text need not be counted.
        return len(text) <= max_tokens * _MAX_TOKEN_CHARS and count_tokens(text) <= max_tokens

    return fits


def _ranges_to_show(
    refused: Refused,
    current: SourceText,
    lines: list[str],
    fits: Callable[[Sequence[Range]], bool],
    list_units: ListUnits,
) -> tuple[Range, ...]:
    """The whole file if it fits; else around the places, or the closest unit, or the lines around it."""
    whole = merged([(1, len(lines))])
    if fits(whole):
        return whole
    if refused.places:
        return _around_places(refused.places, len(lines), fits)
    if refused.near is None:
        return ()
    near = (refused.near.first_line, refused.near.last_line)
    unit = unit_around(list_units(current), near)
    wanted = [unit[1:]] if unit is not None else []
    wanted += [_widened(near, margin, len(lines)) for margin in _MARGINS]
    return next(((span,) for span in wanted if fits([span])), ())


def _around_places(places: Sequence[int], n_lines: int, fits: Callable[[Sequence[Range]], bool]) -> tuple[Range, ...]:
    """As many places as fit, first ones first, each with the lines beside it."""
    for n_places in range(len(places), 0, -1):
        ranges = merged(_widened((line, line), _PLACE_MARGIN, n_lines) for line in places[:n_places])
        if fits(ranges):
            return ranges
    return ()


def unit_around(units: Sequence[UnitSpan], near: Range) -> UnitSpan | None:
    """The smallest unit that holds the stretch, else the smallest that holds its first line."""
    for last in (near[1], near[0]):
        holding = [unit for unit in units if unit[1] <= near[0] and last <= unit[2]]
        if holding:
            return min(holding, key=lambda unit: (unit[2] - unit[1], unit[1], unit[0]))
    return None


def _widened(span: Range, margin: int, n_lines: int) -> Range:
    return max(1, span[0] - margin), min(n_lines, span[1] + margin)


def _rendered(path: str, lines: list[str], ranges: Sequence[Range]) -> str:
    if not lines:
        return f"{path!r} is empty now\n"
    if not ranges:
        return f"{path!r} has {len(lines)} lines, too many to show here: read it with signatures, lines:N-M or full\n"
    parts = [_stretch(path, lines, span) for span in ranges]
    if ranges != ((1, len(lines)),):
        parts.append(f"the rest of {path!r}: read it with lines:N-M, signatures or full\n")
    return "".join(parts)


def _stretch(path: str, lines: list[str], span: Range) -> str:
    body = "".join(lines[span[0] - 1 : span[1]])
    ending = "" if not body or body[-1] in "\r\n" else "\n"
    return f"{path!r} now, lines {span[0]}-{span[1]} of {len(lines)}:\n{body}{ending}"
