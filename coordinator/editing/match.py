r"""Where a text stands in a file, and how its replacement is written there.

A match is exact on the decoded text, but for line endings: `\n` given for a CRLF file means that file's line break. A
match never begins or ends between the CR and the LF of one break.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

from coordinator.editing.text_line import LINE_ENDING, fold, n_alike_at_head, n_alike_at_tail, split_lines

MAX_PLACES: Final = 100
"""So many places are looked for; a text that stands more often is said to stand that often "or more"."""

_MAX_HITS: Final = 1000
_MAX_MERGED_LINES: Final = 1000


@dataclass(frozen=True, slots=True)
class Place:
    """One match: offsets into the file's text, the end excluded. `is_exact` is False where line endings differ."""

    start: int
    end: int
    is_exact: bool = True


def find_places(text: str, wanted: str) -> list[Place]:
    r"""Every place of `wanted`, overlapping ones included, in order, `MAX_PLACES` at most. Nothing stands nowhere.

    Who writes a CR means the endings as given, and any others only where those are nowhere. Who writes `\n` alone may
    mean any line break, so in a file of mixed endings places that differ in nothing else are places all the same.
    """
    if not wanted:
        return []
    if "\r" not in wanted and ("\r" not in text or "\n" not in wanted):
        return [Place(at, at + len(wanted)) for at in _hits(text, wanted, MAX_PLACES)]
    exact = _exact_places(text, wanted) if "\r" in wanted else []
    return exact or _places_with_any_endings(text, wanted)


def written_in_place(text: str, place: Place, *, old: str, new: str, newline: str) -> str:
    r"""`new` with the line endings that it gets at `place`.

    A caller that wrote a CR itself, and matched exactly, is taken literally. Otherwise breaks take the ending that the
    replaced stretch uses most, else `newline`, the file's; lines that the edit leaves alone keep the ending they have.
    """
    if place.is_exact and ("\r" in old or "\r" in new):
        return new
    stretch = text[place.start : place.end]
    endings = LINE_ENDING.findall(stretch)
    ending = max(("\n", "\r\n", "\r"), key=endings.count) if endings else newline
    if len(set(endings)) > 1:
        return _merged(split_lines(stretch), split_lines(fold(new)), ending)
    return fold(new).replace("\n", ending)


def _hits(text: str, wanted: str, max_hits: int) -> list[int]:
    hits: list[int] = []
    at = text.find(wanted)
    while at >= 0 and len(hits) < max_hits:
        hits.append(at)
        at = text.find(wanted, at + 1)
    return hits


def _exact_places(text: str, wanted: str) -> list[Place]:
    """The places with the very endings of `wanted`; none where there are so many hits that some stay unseen."""
    hits = _hits(text, wanted, _MAX_HITS)
    whole = [at for at in hits if not _splits(text, at) and not _splits(text, at + len(wanted))]
    return [Place(at, at + len(wanted)) for at in whole[:MAX_PLACES]] if len(hits) < _MAX_HITS else []


def _splits(text: str, at: int) -> bool:
    return text[max(0, at - 1) : at + 1] == "\r\n"


def _places_with_any_endings(text: str, wanted: str) -> list[Place]:
    folded, folded_wanted = fold(text), fold(wanted)
    hits = _hits(folded, folded_wanted, MAX_PLACES)
    line_ends = [match.end() for match in LINE_ENDING.finditer(text)] if hits else []
    spans = [(_unfolded(folded, line_ends, at), _unfolded(folded, line_ends, at + len(folded_wanted))) for at in hits]
    return [Place(start, end, is_exact=text[start:end] == wanted) for start, end in spans]


def _unfolded(folded: str, line_ends: list[int], at: int) -> int:
    """The offset in the text as it is of the offset `at` in the folded text."""
    n_breaks = folded.count("\n", 0, at)
    line_start = line_ends[n_breaks - 1] if n_breaks else 0
    return line_start + at - (folded.rfind("\n", 0, at) + 1)


def _merged(kept: list[str], new: list[str], ending: str) -> str:
    """`new` (folded) with `ending`, but each line that is also in `kept` as it stands there."""
    written = [line.replace("\n", ending) for line in new]
    for at_kept, at_new, n_lines in _common_runs([fold(line) for line in kept], new):
        written[at_new : at_new + n_lines] = kept[at_kept : at_kept + n_lines]
    return "".join(written)


def _common_runs(before: list[str], after: list[str]) -> list[tuple[int, int, int]]:
    if max(len(before), len(after)) <= _MAX_MERGED_LINES:
        return [
            (run.a, run.b, run.size)
            for run in SequenceMatcher(None, before, after, autojunk=False).get_matching_blocks()
        ]
    n_head = n_alike_at_head(before, after)
    n_tail = n_alike_at_tail(before, after, n_head)
    return [(0, 0, n_head), (len(before) - n_tail, len(after) - n_tail, n_tail)]
