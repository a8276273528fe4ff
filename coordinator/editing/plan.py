"""Decide what an edit does to a file, or why it does nothing. Pure: reads no file and writes none.

The match is exact and unique, and a refusal never carries bytes. What an edit that misses was about is decided in a
fixed order, so that only views that hid something are blamed for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from actors.runtime.errors import Misuse
from coordinator.editing import refusal
from coordinator.editing.match import MAX_PLACES, Place, find_places, written_in_place
from coordinator.editing.near_miss import NearMiss, closest_stretch
from coordinator.editing.refusal import Refused
from coordinator.editing.repetition import NEARLY, line_of_earlier_application
from coordinator.editing.request import EditRequest, Seen
from coordinator.editing.shown_line import covers
from coordinator.editing.text_line import count_lines, line_of
from coordinator.reading.source import SourceText, content_hash

FindMarkers = Callable[[str], Sequence[str]]
"""Gives the omission markers of issued views that a text holds."""

_EMPTY = SourceText("", "utf-8", b"", content_hash(b""))


@dataclass(frozen=True, slots=True)
class Applies:
    """What to write.

    `raw` is `new_text` as the file's bytes. The edit touches `n_lines_replaced` lines of the old text from
    `first_line` (1-based) on, which become `n_lines_new` lines of the new one.
    """

    new_text: str = field(repr=False)
    raw: bytes = field(repr=False)
    first_line: int
    n_lines_replaced: int
    n_lines_new: int

    @property
    def n_lines_changed(self) -> int:
        """Lines that differ, counted on the side that has more."""
        return max(self.n_lines_replaced, self.n_lines_new)


Plan = Applies | Refused


@dataclass(frozen=True, slots=True)
class _Touched:
    """The lines that an edit replaces."""

    first_line: int
    n_lines: int


def plan_edit(
    request: EditRequest, current: SourceText | None, seen: Seen | None, *, find_markers: FindMarkers = lambda _: ()
) -> Plan:
    """Decide about one edit of the file whose content is `current` (None: there is no such file).

    `seen` is what this agent last saw of it, None if it never read it. A claim of somebody else (`refusal.claimed`)
    and a binary file (`refusal.binary`) are decided by the caller before this.
    """
    refused = _refused_untried(request, current, find_markers)
    if refused is not None:
        return refused
    if current is None:
        return _created(request) if request.create else refusal.missing_file(request.path)
    places = find_places(current.text, request.old)
    if len(places) == 1:
        return _replaced(request, current, places[0])
    return _explained(request, current, seen, places)


def _refused_untried(request: EditRequest, current: SourceText | None, find_markers: FindMarkers) -> Refused | None:
    return _refused_text(request, find_markers) or _refused_version(request, current)


def _refused_text(request: EditRequest, find_markers: FindMarkers) -> Refused | None:
    for argument, text in (("old", request.old), ("new", request.new)):
        markers = find_markers(text)
        if markers:
            return refusal.marker(request.path, argument, markers[0])
    if request.create:
        return refusal.create_with_old(request.path) if request.old else None
    if not request.old:
        return refusal.empty_old(request.path)
    return refusal.identical(request.path) if request.old == request.new else None


def _refused_version(request: EditRequest, current: SourceText | None) -> Refused | None:
    if request.create and current is not None:
        return refusal.exists(request.path)
    if current is None or request.expect_hash is None or request.expect_hash == current.content_hash:
        return None
    return refusal.stale_hash(request.path, request.expect_hash, current.content_hash)


def _created(request: EditRequest) -> Plan:
    return _planned(request, _EMPTY, request.new, _Touched(first_line=1, n_lines=0))


def _replaced(request: EditRequest, current: SourceText, place: Place) -> Plan:
    text = current.text
    written = written_in_place(text, place, old=request.old, new=request.new, newline=current.newline)
    new_text = text[: place.start] + written + text[place.end :]
    if new_text == text:
        return refusal.identical(request.path)
    return _planned(request, current, new_text, _touched(text, place, written))


def _touched(text: str, place: Place, written: str) -> _Touched:
    """The lines that change: one more than the stretch has if the next line is joined to what is left."""
    first_line = line_of(text, place.start)
    stretch = text[place.start : place.end]
    starts_line = place.start == 0 or text[place.start - 1] in "\r\n"
    leaves_open = not starts_line if not written else written[-1] not in "\r\n"
    joins_next = stretch[-1] in "\r\n" and leaves_open and place.end < len(text)
    return _Touched(first_line, count_lines(stretch) + joins_next)


def _planned(request: EditRequest, current: SourceText, new_text: str, touched: _Touched) -> Plan:
    if "\0" in request.new:
        return refusal.would_be_binary(request.path)
    try:
        raw = current.encode(new_text)
    except Misuse as error:
        return refusal.encoding(request.path, error.message)
    n_more = count_lines(new_text) - count_lines(current.text)
    return Applies(new_text, raw, touched.first_line, touched.n_lines, touched.n_lines + n_more)


def _explained(request: EditRequest, current: SourceText, seen: Seen | None, places: Sequence[Place]) -> Refused:
    """Why `old` is not one place of the file. Decided in the order of the record: applied, changed, ambiguous, ..."""
    lines = [line_of(current.text, place.start) for place in places]
    near = None if places else closest_stretch(current.text, request.old)
    applied_at = None if places else _applied_at(request, current, seen, near)
    if applied_at is not None:
        return refusal.already_applied(request.path, applied_at)
    if seen is not None and seen.content_hash != current.content_hash and _was_read(request.old, seen, bool(places)):
        return refusal.changed(request.path, lines, near)
    if places:
        return refusal.ambiguous(request.path, lines, is_complete=len(places) < MAX_PLACES)
    return _missed(request, current, seen, near)


def _applied_at(request: EditRequest, current: SourceText, seen: Seen | None, near: NearMiss | None) -> int | None:
    read_text = None if seen is None or seen.source is None else seen.source.text
    return line_of_earlier_application(current.text, request.old, request.new, read_text=read_text, near=near)


def _was_read(old: str, seen: Seen, is_there_now: bool) -> bool:
    """Whether the version that the agent read held `old`, or nearly.

    Where that version's text is gone, nobody can tell: a text that vanished counts as changed, so that it teaches
    nothing; one that stands more than once is ambiguous.
    """
    if seen.source is None:
        return not is_there_now
    places = find_places(seen.source.text, old)
    if places or is_there_now:
        return len(places) == 1 or not is_there_now
    near = closest_stretch(seen.source.text, old)
    return near is not None and near.ratio >= NEARLY


def _missed(request: EditRequest, current: SourceText, seen: Seen | None, near: NearMiss | None) -> Refused:
    if seen is None:
        return refusal.unread(request.path, near)
    is_unchanged = seen.content_hash == current.content_hash
    if is_unchanged and near is not None and not covers(seen.shown, near.first_line, near.last_line):
        return refusal.not_shown(request.path, near)
    return refusal.never_there(request.path, near)
