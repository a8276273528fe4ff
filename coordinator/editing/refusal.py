"""Why an edit was not made: a cause for programs, and what, where and the next step for whoever reads it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from coordinator.editing.near_miss import NearMiss

MAX_PLACES_NAMED: Final = 20
_MAX_QUOTED: Final = 80


class Cause(StrEnum):
    """Every reason for not writing.

    The first seven are outcomes, in the order in which they are decided; the others are requests that cannot be tried.
    """

    CLAIMED = "claimed"
    ALREADY_APPLIED = "already_applied"
    CHANGED = "changed"
    AMBIGUOUS = "ambiguous"
    NOT_SHOWN = "not_shown"
    NEVER_THERE = "never_there"
    UNREAD = "unread"

    CREATE_CONFLICT = "create_conflict"
    EMPTY_OLD = "empty_old"
    IDENTICAL = "identical"
    MARKER = "marker"
    MISSING_FILE = "missing_file"
    BINARY = "binary"
    OVERLAP = "overlap"
    PARTLY_APPLIED = "partly_applied"
    STALE_HASH = "stale_hash"
    ENCODING = "encoding"

    @property
    def is_recorded(self) -> bool:
        """Whether this is the contract's "old text not found"; `UNREAD` goes without a mode, so it teaches nothing."""
        return self in (Cause.NOT_SHOWN, Cause.NEVER_THERE, Cause.UNREAD)

    @property
    def is_success(self) -> bool:
        """Whether the file already is as the caller wants it."""
        return self is Cause.ALREADY_APPLIED


@dataclass(frozen=True, slots=True)
class Refused:
    """Nothing was written.

    `places` are the lines where `old` begins, `MAX_PLACES_NAMED` at most; `near` is the stretch closest to it.
    `number` is the place in `edits` of the one that cannot be made, from 0; None where only one was asked for.
    """

    cause: Cause
    message: str
    places: tuple[int, ...] = ()
    near: NearMiss | None = None
    number: int | None = None


def numbered(refused: Refused, number: int, name: str) -> Refused:
    """The same of one among several edits; `name` says which."""
    return replace(refused, message=f"{name}{refused.message}", number=number)


def among(refused: Refused, others: Sequence[int], *, is_later: bool) -> Refused:
    """The same with what is to be said of the whole call: which `others` cannot be made either.

    `is_later`: another edit of the call would have made the text that this one looks for.
    """
    said = [refused.message]
    if is_later:
        said.append("each old text is looked for in the file as it was before the call: join the two edits")
    if others:
        verb = "does" if len(others) == 1 else "do"
        said.append(f"{_named(others)} {verb} not stand there once either")
    return replace(refused, message="; ".join(said))


def overlap(path: str, numbers: Sequence[int], lines: Sequence[int]) -> Refused:
    """Two edits of one call want the same text."""
    return Refused(
        Cause.OVERLAP,
        f"{_named(numbers)} overlap in {path!r}, at {_lines(lines)}: join them into one edit",
        places=tuple(lines),
        number=numbers[0],
    )


def partly_applied(path: str, places: Sequence[int], numbers: Sequence[int]) -> Refused:
    """Some edits of the call are in the file and others are not, so that nobody can tell what is wanted."""
    return Refused(
        Cause.PARTLY_APPLIED,
        f"{path!r} already holds the new text of {_named(numbers)}, at {_lines(places)}, but not of the others: "
        "call again without what is there",
        places=tuple(places[:MAX_PLACES_NAMED]),
        number=numbers[0],
    )


def all_applied(path: str, each: Sequence[Refused]) -> Refused:
    """The file is as the caller wants it, by all of several edits."""
    places = [line for one in each for line in one.places]
    return Refused(
        Cause.ALREADY_APPLIED,
        f"{path!r} already holds the new texts of all {len(each)} edits, at {_lines(places)}: nothing to do",
        places=tuple(places[:MAX_PLACES_NAMED]),
    )


def claimed(path: str, refusal: str) -> Refused:
    """Somebody else holds the file; `refusal` says who, since when and what to do. Decided before anything is read."""
    return Refused(Cause.CLAIMED, f"{path!r} was not edited, nothing was tried: {refusal}")


def already_applied(path: str, line: int) -> Refused:
    """The file is as the caller wants it."""
    return Refused(
        Cause.ALREADY_APPLIED,
        f"{path!r} already holds the new text, at line {line}, and the old text no longer: nothing to do",
        places=(line,),
    )


def changed(path: str, places: Sequence[int], near: NearMiss | None) -> Refused:
    """The caller quotes a version that is no longer there."""
    found = f"now stands {_times(places)}, at {_lines(places)}" if places else "is no longer there"
    return Refused(
        Cause.CHANGED,
        f"{path!r} has changed since you read it and the text you quote {found}{_closest(near)}: "
        "look at the current text, and edit that if your edit is still needed",
        places=tuple(places[:MAX_PLACES_NAMED]),
        near=near,
    )


def ambiguous(path: str, places: Sequence[int], *, is_complete: bool) -> Refused:
    """`old` is not one place."""
    times = _times(places) + ("" if is_complete else " or more")
    return Refused(
        Cause.AMBIGUOUS,
        f"the old text stands {times} in {path!r}, at {_lines(places)}: "
        "add lines before or after it until it is unique",
        places=tuple(places[:MAX_PLACES_NAMED]),
    )


def not_shown(path: str, near: NearMiss) -> Refused:
    """The caller quotes lines that its view left out."""
    return Refused(
        Cause.NOT_SHOWN,
        f"the old text is not in {path!r}; the closest is {_where(near)}, and you were not shown all of it: "
        f"quote the current text, or read lines:{near.first_line}-{near.last_line}",
        near=near,
    )


def never_there(path: str, near: NearMiss | None) -> Refused:
    """No version that the caller read held `old`."""
    return Refused(
        Cause.NEVER_THERE,
        f"the old text is not in {path!r}{_closest(near)}: quote the current text exactly, without line numbers",
        near=near,
    )


def unread(path: str, near: NearMiss | None) -> Refused:
    """The caller edits what it has not looked at."""
    return Refused(
        Cause.UNREAD,
        f"the old text is not in {path!r}, which you have not read{_closest(near)}: read the file, then quote its text",
        near=near,
    )


def exists(path: str) -> Refused:
    """`create` on a file that is there."""
    return Refused(
        Cause.CREATE_CONFLICT,
        f"{path!r} already exists and create=True overwrites nothing: edit it with old and new, or take another name",
    )


def create_with_old(path: str) -> Refused:
    """`create` together with a text to replace."""
    return Refused(
        Cause.CREATE_CONFLICT,
        f"creating {path!r} replaces nothing, but an old text was given: leave old empty, or edit without create=True",
    )


def empty_old(path: str) -> Refused:
    """Nothing to look for."""
    return Refused(
        Cause.EMPTY_OLD,
        f"the edit of {path!r} has an empty old text, which stands everywhere: "
        "quote the lines to replace, or pass create=True to write a new file",
    )


def identical(path: str) -> Refused:
    """Nothing to change."""
    return Refused(
        Cause.IDENTICAL, f"old and new are the same text for {path!r}: nothing to do; check what you meant to change"
    )


def marker(path: str, argument: str, found: str) -> Refused:
    """A view's mark for lines left out would have been quoted, or written to disk."""
    return Refused(
        Cause.MARKER,
        f"{argument} for {path!r} holds {_quoted(found)}, which marks lines that a view left out and is not in the "
        "file: get those lines with expand, lines:N-M or full, and quote them",
    )


def missing_file(path: str) -> Refused:
    """No file to edit."""
    return Refused(
        Cause.MISSING_FILE, f"there is no file {path!r}: check the path, or pass create=True and an empty old text"
    )


def missing_whole(path: str) -> Refused:
    """No file to move or delete."""
    return Refused(Cause.MISSING_FILE, f"there is no file {path!r}: nothing was changed; check the path")


def gone(path: str, to: str) -> Refused:
    """The file was moved to just there by an earlier call, or deleted where `to` is its own path."""
    where = "is deleted already" if to == path else f"is at {to!r} already"
    return Refused(Cause.ALREADY_APPLIED, f"{path!r} {where}: nothing to do")


def taken(path: str) -> Refused:
    """The new name of a file is that of another."""
    return Refused(
        Cause.CREATE_CONFLICT,
        f"{path!r} already exists and nothing is overwritten: delete it first, or take another name",
    )


def binary(path: str) -> Refused:
    """The file is not text. The caller decides this where decoding raises `BinaryFile`."""
    return Refused(
        Cause.BINARY, f"{path!r} is binary (it holds NUL bytes) and cannot be edited as text: use the tool that made it"
    )


def would_be_binary(path: str) -> Refused:
    """The new text would make the file unreadable as text."""
    return Refused(
        Cause.BINARY, f"the new text for {path!r} holds a NUL character, which would make the file binary: leave it out"
    )


def stale_hash(path: str, expected: str, found: str) -> Refused:
    """The file is not the version that the caller named."""
    return Refused(
        Cause.STALE_HASH,
        f"{path!r} has hash {found[:12]}..., not the expected {expected[:12]!r}...: it changed since; "
        "read it again, then edit with its hash or without expect_hash",
    )


def encoding(path: str, reason: str) -> Refused:
    """The new text has characters that the file's encoding has not."""
    return Refused(Cause.ENCODING, f"cannot write the new text to {path!r}: {reason}")


def _where(near: NearMiss) -> str:
    lines = (
        f"line {near.first_line}" if near.first_line == near.last_line else f"lines {near.first_line}-{near.last_line}"
    )
    unit = f" in {near.unit}" if near.unit else ""
    return f"{lines}{unit} ({_how(near)})"


def _how(near: NearMiss) -> str:
    if near.is_whitespace_only:
        return f"only white space differs: {near.difference}" if near.difference else "only white space differs"
    return f"it only looks the same: {near.difference}" if near.difference else f"{int(near.ratio * 100)}% alike"


def _closest(near: NearMiss | None) -> str:
    return "" if near is None else f"; the closest is {_where(near)}"


def _named(numbers: Iterable[int]) -> str:
    return ", ".join(f"edits[{number}]" for number in numbers)


def _times(places: Sequence[int]) -> str:
    return "once" if len(places) == 1 else f"{len(places)} times"


def _lines(places: Sequence[int]) -> str:
    named = ", ".join(str(line) for line in places[:MAX_PLACES_NAMED])
    n_more = len(places) - MAX_PLACES_NAMED
    return f"line{'s' if len(places) > 1 else ''} {named}" + (f" and {n_more} more" if n_more > 0 else "")


def _quoted(text: str) -> str:
    return repr(text if len(text) <= _MAX_QUOTED else text[:_MAX_QUOTED] + "...")
