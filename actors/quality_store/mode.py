"""The ways a file can be read, as far as the quality store has to tell them apart."""

from __future__ import annotations

from typing import Final

from actors.runtime.errors import Misuse

FULL: Final = "full"
WHOLE_FILE_MODES: Final = (FULL, "map", "signatures", "units", "entropy", "diff")
READ_MODES: Final = (*WHOLE_FILE_MODES, "lines", "expand")


def check_mode(mode: str, known: tuple[str, ...] = WHOLE_FILE_MODES) -> None:
    """Raise `Misuse` for a mode that is not one of `known`."""
    if mode not in known:
        raise Misuse(f"unknown mode {mode[:80]!r}: give one of {', '.join(known)}")


def read_mode(mode: str) -> str:
    """The mode under which a read is counted: `lines:3-9` counts as "lines". Raises `Misuse` for an unknown one."""
    name = mode.partition(":")[0]
    check_mode(name, READ_MODES)
    return name
