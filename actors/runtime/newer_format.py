"""What is said of a store, a snapshot or a backup that a newer version has written."""

from __future__ import annotations

from actors.runtime.errors import Corrupt


class NewerFormat(Corrupt):
    """A newer version has written this; nothing is wrong with it."""


def newer_format(what: str, found: int, known: int) -> NewerFormat:
    """The error for what has another format than this version reads."""
    return NewerFormat(
        f"{what} has format {found}, this version reads {known}: use the version that wrote it. Nothing was changed"
    )
