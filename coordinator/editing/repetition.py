"""Whether an edit whose old text is gone was made before: by a retry of the same call, or by somebody else.

A wrong "already applied" tells an agent that its work is done when it is not, so short or scattered evidence does not
count: the new text has to stand where the old one stood, or to be there once, whole, and near nothing else.
"""

from __future__ import annotations

from typing import Final

from coordinator.editing.match import Place, find_places
from coordinator.editing.near_miss import NearMiss, squeezed
from coordinator.editing.text_line import fold, line_of

NEARLY: Final = 0.8
"""From this ratio on, a stretch is nearly the text that was looked for."""

_ALMOST_SURELY: Final = 0.95
_N_TELLING_CHARS: Final = 16


def line_of_earlier_application(
    text: str, old: str, new: str, *, read_text: str | None, near: NearMiss | None
) -> int | None:
    """The line at which `new` took the place of `old`, which is not in `text`; None if nothing proves that.

    `read_text` is the version that the agent read, where that is at hand; `near` is what in `text` is closest to `old`.
    """
    stood = find_places(read_text, old) if read_text is not None else []
    if read_text is None or not stood:
        place = _lone_place(text, old, new, near)
    elif len(stood) == 1 and (line := _line_in_context(text, read_text, stood[0], new)) is not None:
        return line
    else:
        place = _place_that_appeared(text, read_text, new)
    return None if place is None else line_of(text, place.start)


def _line_in_context(text: str, read_text: str, stood: Place, new: str) -> int | None:
    """Where `new` stands between the lines that had `old` between them."""
    before, after = _surroundings(read_text, stood)
    if not (before + after).strip() or find_places(read_text, before + new + after):
        return None
    places = find_places(text, before + new + after)
    return line_of(text, places[0].start) + before.count("\n") if len(places) == 1 else None


def _surroundings(text: str, place: Place) -> tuple[str, str]:
    """The text from the start of the line above a place, and up to the end of the line below it."""
    folded_before, folded_after = fold(text[: place.start]), fold(text[place.end :])
    line_start = folded_before.rfind("\n") + 1
    above = folded_before.rfind("\n", 0, max(0, line_start - 1)) + 1
    line_end = folded_after.find("\n") + 1 or len(folded_after)
    below = folded_after.find("\n", line_end) + 1 or len(folded_after)
    return folded_before[above:], folded_after[:below]


def _place_that_appeared(text: str, read_text: str, new: str) -> Place | None:
    """`new` once, and nowhere in the version that was read."""
    place = _whole_place(text, new)
    return place if place is not None and not find_places(read_text, new) else None


def _lone_place(text: str, old: str, new: str, near: NearMiss | None) -> Place | None:
    """`new` once, without a version to compare with, while nothing elsewhere is nearly `old`.

    A `new` that is a part of `old` proves nothing unless it fills its lines. A short one may stand anywhere; a longer
    one hardly by chance, so that only a slip in quoting `old` speaks against it.
    """
    place = _whole_place(text, new)
    if place is None or (fold(new) in fold(old) and not _fills_lines(text, place)):
        return None
    limit = _ALMOST_SURELY if len(squeezed(new)) >= _N_TELLING_CHARS else NEARLY
    if near is not None and near.ratio >= limit:
        first, last = line_of(text, place.start), line_of(text, max(place.start, place.end - 1))
        return place if near.first_line <= last and first <= near.last_line else None
    return place


def _whole_place(text: str, new: str) -> Place | None:
    """The only place of `new`, where that is more than white space and no part of a longer word."""
    places = find_places(text, new) if new.strip() else []
    if len(places) != 1:
        return None
    place = places[0]
    cuts = _is_word(text[place.start - 1 : place.start + 1]) or _is_word(text[place.end - 1 : place.end + 1])
    return None if cuts else place


def _is_word(pair: str) -> bool:
    return len(pair) == 2 and all(char.isalnum() or char == "_" for char in pair)


def _fills_lines(text: str, place: Place) -> bool:
    starts_line = not text[: place.start].rpartition("\n")[2].strip()
    ends_line = text[place.end - 1] in "\r\n" or text[place.end : place.end + 1] in ("", "\r", "\n")
    return starts_line and ends_line
