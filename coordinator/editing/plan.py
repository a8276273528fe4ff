"""Decide what an edit does to a file, or why it does nothing. Pure: reads no file and writes none.

The match is exact and unique, and a refusal never carries bytes. What an edit that misses was about is decided in a
fixed order, so that only views that hid something are blamed for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from actors.runtime.errors import Misuse
from coordinator.editing import refusal
from coordinator.editing.match import MAX_PLACES, Place, find_places
from coordinator.editing.near_miss import NearMiss, closest_stretch
from coordinator.editing.refusal import Refused
from coordinator.editing.repetition import NEARLY, line_of_earlier_application
from coordinator.editing.request import EditRequest, Replacement, Seen
from coordinator.editing.shown_line import covers
from coordinator.editing.splice import LineChange, Splice, first_clash, spliced
from coordinator.editing.text_line import count_lines, line_of
from coordinator.reading.source import SourceText, content_hash

FindMarkers = Callable[[str], Sequence[str]]
"""Gives the omission markers of issued views that a text holds."""

NameUnit = Callable[[SourceText, int, int], str]
"""Gives the name of the definition that holds these lines of a text, first and last; empty for none."""

_EMPTY = SourceText("", "utf-8", b"", content_hash(b""))


@dataclass(frozen=True, slots=True)
class Applies:
    """What to write: `raw` is `new_text` as the file's bytes; `changes` are the lines that it touches, in order."""

    new_text: str = field(repr=False)
    raw: bytes = field(repr=False)
    changes: tuple[LineChange, ...]

    @property
    def first_line(self) -> int:
        """The first line that changes, 1-based."""
        return self.changes[0].first_line

    @property
    def n_lines_replaced(self) -> int:
        """Lines of the old text that change."""
        return sum(change.n_replaced for change in self.changes)

    @property
    def n_lines_new(self) -> int:
        """Lines of the new text that they become."""
        return sum(change.n_new for change in self.changes)

    @property
    def n_lines_changed(self) -> int:
        """Lines that differ, counted in each change on the side that has more."""
        return sum(max(change.n_replaced, change.n_new) for change in self.changes)


Plan = Applies | Refused


def plan_edit(
    request: EditRequest,
    current: SourceText | None,
    seen: Seen | None,
    *,
    find_markers: FindMarkers = lambda _: (),
    name_unit: NameUnit = lambda *_: "",
) -> Plan:
    """Decide about one edit of the file whose content is `current` (None: there is no such file).

    `seen` is what this agent last saw of it, None if it never read it. A claim of somebody else (`refusal.claimed`)
    and a binary file (`refusal.binary`) are decided by the caller before this. Several replacements are made all or
    not at all; the refusal is that of the first that cannot be made.
    """
    refused = _refused_untried(request, current, find_markers)
    if refused is not None:
        return refused
    if current is None:
        return _created(request) if request.create else refusal.missing_file(request.path)
    found = [find_places(current.text, one.old) for one in request.replacements]
    if all(len(places) == 1 for places in found):
        return _replaced(request, current, [place for (place,) in found])
    return _explained(request, _Sight(current, seen, name_unit), found)


@dataclass(frozen=True, slots=True)
class _Sight:
    """The file as it is, and as the agent has seen it."""

    current: SourceText
    seen: Seen | None
    name_unit: NameUnit

    def closest(self, old: str) -> NearMiss | None:
        """What of the file is closest to a text, and which definition holds it."""
        near = closest_stretch(self.current.text, old)
        if near is None:
            return None
        return replace(near, unit=self.name_unit(self.current, near.first_line, near.last_line))


def _refused_untried(request: EditRequest, current: SourceText | None, find_markers: FindMarkers) -> Refused | None:
    for number, one in enumerate(request.replacements):
        refused = _refused_text(request, one, find_markers)
        if refused is not None:
            return _of(request, number, refused)
    return _refused_version(request, current)


def _of(request: EditRequest, number: int, refused: Refused) -> Refused:
    """The refusal of one of several replacements says which."""
    return refused if request.edits is None else refusal.numbered(refused, number, request.name_of(number))


def _refused_text(request: EditRequest, one: Replacement, find_markers: FindMarkers) -> Refused | None:
    for argument, text in one._asdict().items():
        markers = find_markers(text)
        if markers:
            return refusal.marker(request.path, argument, markers[0])
    if request.create:
        return refusal.create_with_old(request.path) if one.old else None
    if not one.old:
        return refusal.empty_old(request.path)
    return refusal.identical(request.path) if one.old == one.new else None


def _refused_version(request: EditRequest, current: SourceText | None) -> Refused | None:
    if request.create and current is not None:
        return refusal.exists(request.path)
    if current is None or request.expect_hash is None or request.expect_hash == current.content_hash:
        return None
    return refusal.stale_hash(request.path, request.expect_hash, current.content_hash)


def _created(request: EditRequest) -> Plan:
    return _planned(request, _EMPTY, request.new, (LineChange(1, 0, count_lines(request.new)),))


def _replaced(request: EditRequest, current: SourceText, places: Sequence[Place]) -> Plan:
    splices = [Splice(number, places[number], *one) for number, one in enumerate(request.replacements)]
    clash = first_clash(splices)
    if clash is not None:
        numbers = sorted(splice.number for splice in clash)
        lines = [line_of(current.text, splice.place.start) for splice in clash]
        return refusal.overlap(request.path, numbers, lines)
    new_text, changes = spliced(current.text, splices, newline=current.newline)
    if new_text == current.text:
        return refusal.identical(request.path)
    return _planned(request, current, new_text, changes)


def _planned(request: EditRequest, current: SourceText, new_text: str, changes: tuple[LineChange, ...]) -> Plan:
    for number, one in enumerate(request.replacements):
        if "\0" in one.new:
            return _of(request, number, refusal.would_be_binary(request.path))
    try:
        raw = current.encode(new_text)
    except Misuse as error:
        return refusal.encoding(request.path, error.message)
    return Applies(new_text, raw, changes)


def _explained(request: EditRequest, sight: _Sight, found: Sequence[Sequence[Place]]) -> Refused:
    """Why one of the replacements cannot be made: the first, but for those that were made before."""
    failing = [number for number, places in enumerate(found) if len(places) != 1]
    made: list[tuple[int, Refused]] = []
    for number in failing:
        refused = _why(request.path, request.replacements[number], sight, found[number])
        if not refused.cause.is_success:
            others = [other for other in failing if other != number and other not in dict(made)]
            return _of(request, number, refusal.among(refused, others, is_later=_is_later(request, number)))
        made.append((number, refused))
    if len(made) < len(found):
        return refusal.partly_applied(request.path, [line for _, one in made for line in one.places], [*dict(made)])
    return made[0][1] if request.edits is None else refusal.all_applied(request.path, [one for _, one in made])


def _is_later(request: EditRequest, number: int) -> bool:
    """Whether another replacement of the call would only make the text that this one looks for."""
    old = request.replacements[number].old
    return any(old in one.new for other, one in enumerate(request.replacements) if other != number)


def _why(path: str, one: Replacement, sight: _Sight, places: Sequence[Place]) -> Refused:
    """Why `old` is not one place of the file. Decided in the order of the record: applied, changed, ambiguous, ..."""
    current, seen = sight.current, sight.seen
    lines = [line_of(current.text, place.start) for place in places]
    near = None if places else sight.closest(one.old)
    applied_at = None if places else _applied_at(one, current, seen, near)
    if applied_at is not None:
        return refusal.already_applied(path, applied_at)
    if seen is not None and seen.content_hash != current.content_hash and _was_read(one.old, seen, bool(places)):
        return refusal.changed(path, lines, near)
    if places:
        return refusal.ambiguous(path, lines, is_complete=len(places) < MAX_PLACES)
    return _missed(path, current, seen, near)


def _applied_at(one: Replacement, current: SourceText, seen: Seen | None, near: NearMiss | None) -> int | None:
    read_text = None if seen is None or seen.source is None else seen.source.text
    return line_of_earlier_application(current.text, one.old, one.new, read_text=read_text, near=near)


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


def _missed(path: str, current: SourceText, seen: Seen | None, near: NearMiss | None) -> Refused:
    if seen is None:
        return refusal.unread(path, near)
    is_unchanged = seen.content_hash == current.content_hash
    if is_unchanged and near is not None and not covers(seen.shown, near.first_line, near.last_line):
        return refusal.not_shown(path, near)
    return refusal.never_there(path, near)
