"""The text of a hook of git with the guard's lines in it. Pure.

A shell script gets a few marked lines after its first one, so that it keeps its name, its arguments and its input; what
is no shell script is put aside and called by a script of ours.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

from actors.runtime.errors import Misuse
from coordinator.client_config.marked_block import Marks

MARKS: Final = Marks("# scentfield guard: begin", "# scentfield guard: end")
ASIDE: Final = ".before-scentfield"
"""What the name of a hook that was put aside ends with."""
_SHELL: Final = re.compile(rb"#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?)?(?:\S*/)?(?:a|ba|da|k|z)?sh(?:\s[^\n]*)?\r?(?:\n|\Z)")
_READS_INPUT: Final = frozenset({"pre-push"})


def is_shell(script: bytes) -> bool:
    """Whether a script says by its first line that a shell runs it."""
    return _SHELL.match(script) is not None


def is_guarded(script: bytes) -> bool:
    """Whether the guard's lines are in it."""
    return MARKS.begin.encode() in script


def own_script(hook: str, command: tuple[str, ...]) -> bytes:
    """A hook of ours, which goes on with the one that was put aside, if any."""
    aside = f'scentfield_aside="$(dirname "$0")/{hook}{ASIDE}"\nif [ -x "$scentfield_aside" ]; then'
    return f'#!/bin/sh\n{_block(hook, command)}{aside} exec "$scentfield_aside" "$@"; fi\n'.encode()


def with_guard(hook: str, script: bytes, command: tuple[str, ...]) -> bytes:
    """A shell script with the guard's lines, in place of those that are there. Raises `Misuse` for broken marks."""
    first, newline, rest = without_guard(script).partition(b"\n")
    return first + (newline or b"\n") + _block(hook, command).encode() + rest


def without_guard(script: bytes) -> bytes:
    """The script as it was. Raises `Misuse` where one mark is alone."""
    begin, end = MARKS.begin.encode(), MARKS.end.encode()
    if (script.count(begin), script.count(end)) == (0, 0):
        return script
    before, _, rest = script.partition(begin)
    _, ended, after = rest.partition(end)
    if not ended or begin in after or end in before + after:
        raise Misuse(f"its marks {MARKS.begin!r} and {MARKS.end!r} do not match: correct them by hand")
    return before + after.removeprefix(b"\n")


def is_own(script: bytes, hook: str) -> bool:
    """Whether it is a hook of ours and of nobody else."""
    return is_guarded(script) and without_guard(script).startswith(
        f'#!/bin/sh\nscentfield_aside="$(dirname "$0")/{hook}{ASIDE}"'.encode()
    )


def _block(hook: str, command: tuple[str, ...]) -> str:
    program = shlex.quote(command[0])
    call = f'{shlex.join(command)} {hook} "$@"'
    lines = [
        MARKS.begin,
        f"if [ -x {program} ]; then",
        *(_reading(call) if hook in _READS_INPUT else [f"  {call} || exit $?"]),
        "else",
        f"  printf '%s\\n' 'scentfield guard: '{program}' is gone, so nothing was checked' >&2",
        "  printf '%s\\n' 'next: scentfield guard install, or scentfield guard uninstall' >&2",
        "fi",
        MARKS.end,
    ]
    return "\n".join(lines) + "\n"


def _reading(call: str) -> list[str]:
    """The same for a hook with input, which whatever comes after must read too."""
    return [
        "  scentfield_input=$(cat)",
        f"  printf '%s\\n' \"$scentfield_input\" | {call} || exit $?",
        "  exec <<SCENTFIELD",
        "$scentfield_input",
        "SCENTFIELD",
    ]
