"""What can be claimed, and when two claims are in each other's way.

    src/api.py          a file
    src/                a folder: everything below it, and the path `src` itself; the root folder is `./`
    src/**/test_*.py    a glob; with a slash at its end, everything below each match, and the match itself
    task:login          a label, `scheme:rest`; in the way of the same label only

Paths are relative to the root of the repository, in POSIX form, NFC, case sensitive, and have one spelling: the
machine refuses every other (`parse_target`), the client makes it (`canonical`). Two targets conflict when some path
could match both:

* A folder conflicts with a file of its own path: somebody may be turning the one into the other. So `*` and `src/`
  conflict, too, as `*` matches the path `src`.
* `**` also stands for no name at all: `src/**` covers what `src/` covers.
* Names are compared by code points: two patterns that meet only in a name that is not NFC count as a conflict.

A file whose real name holds wildcard characters is spelled with classes of one character, `[*] [?] [[] [{]`, and a
colon that would make its first name a scheme is `[:]`; these escapes are allowed where they are needed and nowhere
else. So `app/[[]id]/page.tsx` is the file `app/[id]/page.tsx`, and `app/[id]/page.tsx` is a glob. `escape` does it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final, NoReturn

from actors.runtime.errors import BadTarget
from actors.scent_field.glob import Depth, Step, Steps, parse_step, steps_cover, steps_meet
from actors.scent_field.name_pattern import NamePattern, escape_name

MAX_TARGET_CHARS: Final = 1024
MAX_NAME_CHARS: Final = 255  # no file system in use has longer names
MAX_SEGMENTS: Final = 64
MAX_WILDCARDS: Final = 16  # keeps the worst question between two globs short
MAX_RAW_CHARS: Final = 4096  # what `canonical` looks at, PATH_MAX on Linux
MAX_NARROW_SEGMENTS: Final = 3  # wildcard segments; more make a target broad
_N_CACHED: Final = 8192

_PLAIN_CHARS = r"""!"#$%&'()+,\-0-9;<=>@A-Z\]^_`a-z|}~ """
# The common case in one look: a plain file in ASCII, neither a name that ends in a dot nor a colon in it.
_PLAIN = re.compile(rf"(?:[{_PLAIN_CHARS}][{_PLAIN_CHARS}.]*+/){{0,63}}+[{_PLAIN_CHARS}.]*[{_PLAIN_CHARS}]")
_LABEL = re.compile(r"[a-z][a-z0-9_-]*:")
_ESCAPED_LABEL = re.compile(r"[a-z][a-z0-9_-]*\[:\]")
_FORBIDDEN = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_DOTS: Final = frozenset(("", ".", ".."))


class TargetKind(StrEnum):
    """What a target's text stands for."""

    FILE = "file"
    FOLDER = "folder"
    GLOB = "glob"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Target:
    """A canonical target; equal when the texts are.

    `parts` are the names of a file or folder without escapes, the segments of a glob as written, or the label.
    `pattern` is empty for all but globs; it has one step for each segment, and `**` for a slash at the end.
    """

    text: str
    kind: TargetKind = field(compare=False)
    parts: tuple[str, ...] = field(compare=False)
    pattern: Steps = field(default=(), compare=False, repr=False)

    @property
    def is_root(self) -> bool:
        """Whether this is the folder that holds everything."""
        return self.text == "./"

    @property
    def steps(self) -> Steps:
        """The paths it covers, as a pattern; none for a label."""
        match self.kind:
            case TargetKind.FOLDER:
                return (*self.parts, Depth.ANY)
            case TargetKind.GLOB:
                return self.pattern
            case TargetKind.FILE:
                return self.parts
            case _:
                return ()

    @property
    def anchor(self) -> tuple[str, ...]:
        """The literal names that each path it covers starts with."""
        names: list[str] = []
        for step in self.steps:
            if not isinstance(step, str):
                break
            names.append(step)
        return tuple(names)

    @property
    def n_wildcard_segments(self) -> int:
        """How many segments of a glob are not literal."""
        return sum(not isinstance(step, str) for step in self.pattern[: len(self.parts)])


@lru_cache(maxsize=_N_CACHED)
def parse_target(text: str) -> Target:
    """Read a target that is already canonical.

    Raises `BadTarget` for every other text and says what to write instead. Bounds: 1024 characters, 64 segments,
    255 characters in one, 16 wildcards.
    """
    if is_plain(text):
        return Target(text, TargetKind.FILE, tuple(text.split("/")))
    _check_text(text)
    if _LABEL.match(text):
        return _label(text)
    return _path(text)


def is_plain(text: str) -> bool:
    """Whether this is a file in the spelling of nearly all files: ASCII, short, nothing escaped. Its names are as read.

    False says nothing: other files are spelled in other ways.
    """
    return len(text) <= MAX_NAME_CHARS and _PLAIN.fullmatch(text) is not None


def places_not_plain(texts: Sequence[str]) -> list[int]:
    """Where among these texts those are that are not `is_plain`."""
    is_match, longest = _PLAIN.fullmatch, MAX_NAME_CHARS
    return [place for place, text in enumerate(texts) if len(text) > longest or is_match(text) is None]


def canonical(text: str) -> Target:
    """What somebody wrote, as the target it means, by its text alone: links and case are the caller's business.

    `./a`, `a//b`, `a/../b`, `a/.` and other normal forms of Unicode are brought into the one spelling; `./a:b` is a
    file, `a:b` a label. Raises `BadTarget` for what is empty, absolute, malformed, or climbs out of the root.
    """
    if len(text) > MAX_RAW_CHARS:
        _refuse(text, f"has {len(text)} characters", f"{MAX_RAW_CHARS} are the most")
    text = unicodedata.normalize("NFC", text)
    if not text or text.startswith("/") or _LABEL.match(text):
        return parse_target(text)
    segments = text.split("/")
    path = "/".join(_resolved(text, segments))
    if not path:
        return parse_target("./")
    if _LABEL.match(path):
        path = path.replace(":", "[:]", 1)
    return parse_target(path + "/" if segments[-1] in _DOTS else path)


def parse_segment(segment: str, *, is_first: bool) -> Step:
    """Read one segment of a path: its literal name without escapes, a pattern, or `**`.

    Only the first segment of a path may hold `[:]`, after what would be a scheme. Raises `BadTarget` if malformed.
    """
    if is_first and _ESCAPED_LABEL.match(segment):
        segment = segment.replace("[:]", ":", 1)
    return parse_step(segment)


def escape(path: str) -> str:
    """The canonical spelling of a literal path in canonical form (a slash at its end makes it a folder)."""
    escaped = escape_name(path)
    return escaped.replace(":", "[:]", 1) if _LABEL.match(path) else escaped


def overlaps(a: Target, b: Target) -> bool:
    """Whether some path could match both; for labels, whether they are the same. Symmetric."""
    if a.kind is TargetKind.LABEL or b.kind is TargetKind.LABEL:
        return a.text == b.text
    if a.kind is TargetKind.FILE:
        return covers(b, a.parts)
    if b.kind is TargetKind.FILE:
        return covers(a, b.parts)
    if a.kind is b.kind is TargetKind.FOLDER:
        shared = min(len(a.parts), len(b.parts))
        return a.parts[:shared] == b.parts[:shared]
    return steps_meet(a.steps, b.steps)


def covers(target: Target, path_parts: tuple[str, ...]) -> bool:
    """Whether the target matches the literal path of these names; a label matches no path."""
    match target.kind:
        case TargetKind.FILE:
            return target.parts == path_parts
        case TargetKind.FOLDER:
            return target.parts == path_parts[: len(target.parts)]
        case TargetKind.GLOB:
            return steps_cover(target.pattern, path_parts)
        case _:
            return False


def is_inside(inner: Target, outer: Target) -> bool:
    """Whether the one surely covers all that the other does; of two different globs nothing is said."""
    if inner == outer:
        return True
    match inner.kind:
        case TargetKind.FILE:
            return covers(outer, inner.parts)
        case TargetKind.FOLDER | TargetKind.GLOB:
            return outer.kind is TargetKind.FOLDER and inner.anchor[: len(outer.parts)] == outer.parts
        case _:
            return False


def is_broad(target: Target) -> bool:
    """Whether a claim on it deserves a warning: it covers the whole tree, or has more than 3 wildcard segments."""
    if target.kind is not TargetKind.GLOB:
        return target.is_root
    return target.n_wildcard_segments > MAX_NARROW_SEGMENTS or (
        Depth.ANY in target.pattern and all(_is_bare(step) for step in target.pattern)
    )


def _is_bare(step: Step) -> bool:
    return step is Depth.ANY or (isinstance(step, NamePattern) and step.text == "*")


def _check_text(text: str) -> None:
    if not text:
        _refuse(text, "is empty", "name a file, a folder ('src/'), a glob ('src/*.py') or a label ('task:login')")
    if len(text) > MAX_TARGET_CHARS:
        _refuse(text, f"has {len(text)} characters", f"{MAX_TARGET_CHARS} are the most")
    forbidden = _FORBIDDEN.search(text)
    if forbidden:
        _refuse(text, f"holds the character {forbidden[0]!r}", "leave out control characters and broken Unicode")
    if not unicodedata.is_normalized("NFC", text):
        _refuse(text, "is not in Unicode's normal form C", f"write {unicodedata.normalize('NFC', text)!r}")


def _label(text: str) -> Target:
    if text.endswith(":") and text.count(":") == 1:
        _refuse(text, "is a label without a name", f"write what it is about, as in '{text}login'")
    return Target(text, TargetKind.LABEL, (text,))


def _path(text: str) -> Target:
    if text == "./":
        return Target(text, TargetKind.FOLDER, ())
    if "\\" in text:
        _refuse(text, "holds a backslash", "separate names with '/'; wildcards are escaped as '[*]'")
    if text.startswith("/"):
        _refuse(text, "is absolute", "write it relative to the root of the repository")
    is_folder = text.endswith("/")
    segments = text.removesuffix("/").split("/")
    _check_segments(text, segments)
    steps = tuple(parse_segment(segment, is_first=at == 0) for at, segment in enumerate(segments))
    names = tuple(step for step in steps if isinstance(step, str))
    if len(names) == len(steps):
        return Target(text, TargetKind.FOLDER if is_folder else TargetKind.FILE, names)
    n_wildcards = sum(1 if step is Depth.ANY else step.n_wildcards for step in steps if not isinstance(step, str))
    if n_wildcards > MAX_WILDCARDS:
        _refuse(text, f"has {n_wildcards} wildcards", f"{MAX_WILDCARDS} are the most")
    return Target(text, TargetKind.GLOB, tuple(segments), (*steps, Depth.ANY) if is_folder else steps)


def _check_segments(text: str, segments: list[str]) -> None:
    if len(segments) > MAX_SEGMENTS:
        _refuse(text, f"has {len(segments)} segments", f"{MAX_SEGMENTS} are the most")
    for segment in segments:
        if segment in _DOTS:
            _refuse(text, f"has the segment {segment!r}", "the client writes paths without '.', '..' and '//'")
        if len(segment) > MAX_NAME_CHARS:
            _refuse(text, f"has a name of {len(segment)} characters", f"{MAX_NAME_CHARS} are the most")


def _resolved(text: str, segments: list[str]) -> list[str]:
    """The segments without the `.`, `..` and empty ones."""
    kept: list[str] = []
    for segment in segments:
        if segment != "..":
            kept.extend(() if segment in _DOTS else (segment,))
            continue
        if not kept:
            _refuse(text, "climbs out of the root", "name something inside the repository")
        if not isinstance(parse_segment(kept.pop(), is_first=not kept), str):
            _refuse(text, "has '..' after a wildcard", "write the path without '..'")
    return kept


def _refuse(text: str, found: str, instead: str) -> NoReturn:
    shown = repr(text) if len(text) <= 80 else f"{text[:80]!r}..."
    raise BadTarget(f"the target {shown} {found}: {instead}")
