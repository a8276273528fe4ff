"""Patterns over one name of a path: `*.py`, `test_?`, `[!._]*`, `*.{js,ts}`.

A name is not empty, not `.` or `..`, and holds no slash, backslash, control character or lone surrogate; answers are
exact over these names, character by code point. `*` is any run of characters, also none; `?` is one; `[abc] [a-z] [!a]`
are classes; `{a,b}` is a choice, not nested, whose parts may hold the other wildcards, and one of which may be empty.

The automata are visited as products, each state once (Thompson 1968), so no pattern is slow by backtracking.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final, NoReturn, TypeAlias

from actors.runtime.errors import BadTarget

Chars: TypeAlias = tuple[tuple[int, int], ...]  # inclusive ranges of code points, ascending, apart
Moves: TypeAlias = tuple[tuple[Chars, int], ...]  # (on one of these characters, to that state)

WILDCARDS: Final = frozenset("*?[{")

_ANY: Final[Chars] = ((0x20, 0x2E), (0x30, 0x5B), (0x5D, 0x7E), (0xA0, 0xD7FF), (0xE000, 0x10FFFF))
_DOT: Final[Chars] = ((0x2E, 0x2E),)
_ESCAPE = re.compile(r"\[([*?\[{])\]")
_WILDCARD = re.compile(r"[*?\[{]")
_CLOSER = re.compile(r"[*?\]}]")
_NAME: Final = 3  # a shape: 0, 1, 2 are so many dots and nothing else, which is no name


@dataclass(frozen=True, slots=True)
class NamePattern:
    """One segment with wildcards, as an automaton from state 0 to the last; `skips` are its empty moves.

    All its names start with `prefix` and end with `suffix`; `is_star` says that this is all there is to it.
    """

    text: str
    n_wildcards: int = field(compare=False)
    prefix: str = field(compare=False)
    suffix: str = field(compare=False)
    is_star: bool = field(compare=False)
    moves: tuple[Moves, ...] = field(compare=False, repr=False)
    skips: tuple[tuple[int, ...], ...] = field(compare=False, repr=False)

    def matches(self, name: str) -> bool:
        """Whether this literal name is one of those the pattern stands for."""
        if not (name.startswith(self.prefix) and name.endswith(self.suffix)):
            return False
        if self.is_star:
            return len(name) >= len(self.prefix) + len(self.suffix)
        states = self._settled({0})
        for code in map(ord, name):
            states = self._settled(
                {after for state in states for chars, after in self.moves[state] if _holds(chars, code)}
            )
        return len(self.moves) - 1 in states

    def _settled(self, states: set[int]) -> set[int]:
        for state in (settled := list(states)):
            settled.extend(after for after in self.skips[state] if after not in states)
            states.update(self.skips[state])
        return states


def escape_name(name: str) -> str:
    """The one spelling of a literal name: each wildcard character becomes a class of itself (`[id]` -> `[[]id]`)."""
    return _WILDCARD.sub(r"[\g<0>]", name)


def parse_name(text: str) -> str | NamePattern:
    """Read one segment that is not `**`.

    Where the only wildcards are escapes (`[*]`, `[?]`, `[[]`, `[{]`) it is the literal name that they spell. Raises
    `BadTarget` for what is malformed, and for a pattern that no name matches: it would never be in anybody's way.
    """
    if WILDCARDS.isdisjoint(text):
        return text
    if WILDCARDS.isdisjoint(_ESCAPE.sub("", text)):
        return _ESCAPE.sub(r"\1", text)
    pattern = _Compiler(text).compile()
    if not names_meet(pattern, _STAR):
        raise BadTarget(f"no name matches {text!r}: give a pattern that stands for more than nothing, '.' and '..'")
    return pattern


def name_matches(step: str | NamePattern, name: str) -> bool:
    """Whether a literal or a pattern stands for this literal name."""
    return step == name if isinstance(step, str) else step.matches(name)


def names_meet(a: str | NamePattern, b: str | NamePattern) -> bool:
    """Whether some name matches both."""
    if isinstance(a, str):
        return name_matches(b, a)
    if isinstance(b, str):
        return a.matches(b)
    if not _affixes_meet(a, b):
        return False
    return (a.is_star and b.is_star) or _automata_meet(a, b)


def _affixes_meet(a: NamePattern, b: NamePattern) -> bool:
    heads = a.prefix.startswith(b.prefix) or b.prefix.startswith(a.prefix)
    return heads and (a.suffix.endswith(b.suffix) or b.suffix.endswith(a.suffix))


@lru_cache(maxsize=4096)
def _automata_meet(a: NamePattern, b: NamePattern) -> bool:
    """Whether both ends can be reached at once, in the product of the automata and the shapes of a name."""
    goal = (len(a.moves) - 1, len(b.moves) - 1, _NAME)
    stack = [(0, 0, 0)]
    seen = set(stack)
    while stack:
        i, j, shape = stack.pop()
        if (i, j, shape) == goal:
            return True
        afters = _product_moves(a.moves[i], b.moves[j], shape)
        afters.extend((after, j, shape) for after in a.skips[i])
        afters.extend((i, after, shape) for after in b.skips[j])
        stack.extend(after for after in afters if after not in seen)
        seen.update(afters)
    return False


def _product_moves(a: Moves, b: Moves, shape: int) -> list[tuple[int, int, int]]:
    moves = []
    for chars, i in a:
        for others, j in b:
            shared = chars if chars == others else _common(chars, others)
            if _holds(shared, 0x2E):
                moves.append((i, j, min(shape + 1, _NAME)))
            if shared and shared != _DOT:
                moves.append((i, j, _NAME))
    return moves


def _holds(chars: Chars, code: int) -> bool:
    for low, high in chars:  # noqa: SIM110 -- the innermost loop; a generator would treble its cost
        if low <= code <= high:
            return True
    return False


def _common(a: Chars, b: Chars) -> Chars:
    if len(a) == 1 == len(b):
        low, high = max(a[0][0], b[0][0]), min(a[0][1], b[0][1])
        return ((low, high),) if low <= high else ()
    pairs = ((max(low, other), min(high, top)) for low, high in a for other, top in b)
    return tuple((low, high) for low, high in pairs if low <= high)


def _without(chars: Chars) -> Chars:
    """All characters of names that are not these."""
    gaps, start = [], 0
    for low, high in chars:
        gaps.append((start, low - 1))
        start = high + 1
    return _common(_ANY, (*((low, high) for low, high in gaps if low <= high), (start, 0x10FFFF)))


def _merged(ranges: list[tuple[int, int]]) -> Chars:
    merged: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


class _Compiler:
    """Reads a segment from left to right and builds its automaton as it goes; `_skips` are its empty moves."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._moves: list[list[tuple[Chars, int]]] = [[]]
        self._skips: list[list[int]] = [[]]
        self._n_wildcards = 0

    def compile(self) -> NamePattern:
        end = self._sequence(0, inside=False)
        self._skips[end].append(self._new_state())
        head, tail = _WILDCARD.split(self._text, maxsplit=1)
        prefix, suffix = head, _CLOSER.split(tail)[-1]
        is_star = self._text == f"{prefix}*{suffix}"
        moves, skips = tuple(map(tuple, self._moves)), tuple(map(tuple, self._skips))
        return NamePattern(self._text, self._n_wildcards, prefix, suffix, is_star, moves, skips)

    def _sequence(self, state: int, *, inside: bool) -> int:
        while self._at < len(self._text):
            char = self._text[self._at]
            if inside and char in ",}":
                break
            self._at += 1
            if char == "{" and inside:
                self._refuse("has '{' within '{...}'", "write the choices side by side, without nesting")
            state = self._item(char, state)
        return state

    def _item(self, char: str, state: int) -> int:
        self._n_wildcards += char in WILDCARDS
        match char:
            case "*":
                return self._star(state)
            case "?":
                return self._move(state, _ANY)
            case "[":
                return self._move(state, self._class())
            case "{":
                return self._choice(state)
            case _:
                return self._move(state, ((ord(char), ord(char)),))

    def _new_state(self) -> int:
        self._moves.append([])
        self._skips.append([])
        return len(self._moves) - 1

    def _move(self, state: int, chars: Chars) -> int:
        after = self._new_state()
        self._moves[state].append((chars, after))
        return after

    def _star(self, state: int) -> int:
        if self._text.startswith("*", self._at):
            self._refuse("has '**' within a name", "'**' stands alone between slashes, as in 'src/**/*.py'")
        after = self._new_state()
        self._skips[state].append(after)
        self._moves[after].append((_ANY, after))
        return after

    def _choice(self, state: int) -> int:
        start, end = self._at, self._new_state()
        closed = False
        while not closed:
            branch = self._new_state()
            self._skips[state].append(branch)
            self._skips[self._sequence(branch, inside=True)].append(end)
            if self._at == len(self._text):
                self._refuse("has a '{' that is never closed", "close it with '}', or write a literal brace as '[{]'")
            closed = self._text[self._at] == "}"
            self._at += 1
        choices = self._text[start : self._at - 1]
        if not choices.strip(","):
            self._refuse("has an empty '{}'", "name the choices, as in '{js,ts}'")
        if len(self._skips[state]) < 2:
            self._refuse(f"has one choice only in '{{{choices}}}'", f"write {choices!r} without the braces")
        return end

    def _class(self) -> Chars:
        end = self._text.find("]", self._at)
        if end < 0:
            self._refuse("has a '[' that is never closed", "close it with ']', or write a literal bracket as '[[]'")
        body = self._text[self._at : end]
        self._at = end + 1
        negated = body.startswith("!")
        listed = body[1:] if negated else body
        if not listed:
            self._refuse("has an empty class", "name its characters, as in '[abc]'; a literal ']' needs no brackets")
        if body[0] == "^" or listed.startswith("[:"):
            self._refuse(f"has the class '[{body}]'", "write '[!...]' for 'not', and spell out named classes: '[a-z]'")
        if len(body) == 1 and body not in WILDCARDS:
            self._refuse(f"has the needless class '[{body}]'", f"write {body!r} itself")
        chars = self._ranges(listed)
        return _without(chars) if negated else _common(_ANY, chars)

    def _ranges(self, listed: str) -> Chars:
        ranges = []
        at = 0
        while at < len(listed):
            step = 3 if listed[at + 1 : at + 2] == "-" and at + 2 < len(listed) else 1
            low, high = listed[at], listed[at + step - 1]
            if low > high:
                self._refuse(f"has the backward range '{low}-{high}'", f"write '{high}-{low}'")
            ranges.append((ord(low), ord(high)))
            at += step
        return _merged(ranges)

    def _refuse(self, found: str, instead: str) -> NoReturn:
        raise BadTarget(f"the pattern {self._text!r} {found}: {instead}")


_STAR: Final = _Compiler("*").compile()
