"""Names that may be learned under, shown on a board, and leave the machine in a bundle.

File names and client names are free text and could carry secrets; what is not plainly a short label is not kept.
"""

from __future__ import annotations

import re
from typing import Final

from actors.runtime.errors import Misuse

OTHER: Final = "other"
_LABEL: Final = re.compile(r"[a-z0-9+_-]{1,16}")
_ORIGIN: Final = re.compile(r"[0-9a-f]{8,32}")
_SHOWN: Final = 80


def is_label(text: str) -> bool:
    """Whether the text is an extension or a profile that may be kept: `[a-z0-9+_-]{1,16}`."""
    return _LABEL.fullmatch(text) is not None


def is_origin(text: str) -> bool:
    """Whether the text is an origin: 8 to 32 hexadecimal digits that were drawn at random and say nothing."""
    return _ORIGIN.fullmatch(text) is not None


def extension_of(text: str) -> str:
    """The extension as it is learned under: `.RS` and `rs` are one; "" if it is not a label."""
    extension = text.removeprefix(".").lower()
    return extension if is_label(extension) else ""


def check_extension(text: str) -> str:
    """The extension as it is learned under. Raises `Misuse` if it is none."""
    extension = extension_of(text)
    if not extension:
        raise Misuse(f"{text[:_SHOWN]!r} is not an extension: give one of 1 to 16 of a-z 0-9 + _ -, such as .rs")
    return extension


def check_profile(text: str) -> None:
    """Raise `Misuse` unless the text can name a client profile."""
    if not is_label(text):
        raise Misuse(f"{text[:_SHOWN]!r} is not a client profile: give 1 to 16 of a-z 0-9 + _ -, such as claude-code")


def check_origin(text: str) -> None:
    """Raise `ValueError` unless the text is an origin."""
    if not is_origin(text):
        raise ValueError(f"{text[:_SHOWN]!r} is not an origin: hand in 8 to 32 random hexadecimal digits")
