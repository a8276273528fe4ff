"""What an agent asks for when it edits a file, and what it last saw of that file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from actors.runtime.errors import Misuse
from coordinator.reading.source import SourceText


@dataclass(frozen=True, slots=True)
class EditRequest:
    r"""Replace `old`, which must stand in the file exactly once, by `new`.

    Line breaks may be given as `\n` whatever the file uses. `expect_hash` is the SHA-256 (64 hex digits) that the
    file's bytes must have. With `create` the file must not exist yet, `old` stays empty, and `new` is its whole text.
    """

    path: str
    old: str
    new: str
    expect_hash: str | None = None
    create: bool = False

    def __post_init__(self) -> None:
        for name, text in (("old", self.old), ("new", self.new)):
            if not isinstance(text, str):
                raise Misuse(f"the {name} text is {type(text).__name__}, not text: decode it as the file is encoded")


@dataclass(frozen=True, slots=True)
class Seen:
    """What this agent last saw of the file.

    `content_hash` is the version it read, `source` that version's text while its blob is still kept. `shown` are the
    lines of that version that it was shown, 1-based and inclusive. `mode` is that of its last whole-file view.
    """

    content_hash: str
    shown: Sequence[tuple[int, int]] = ()
    mode: str = ""
    source: SourceText | None = None
