"""What an agent asks for when it edits a file, and what it last saw of that file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from actors.runtime.errors import Misuse
from coordinator.editing.atomic_file import MAX_FILE_BYTES
from coordinator.reading.source import SourceText

MAX_EDITS: Final = 100
"""So many replacements fit one call."""
MAX_TEXT_BYTES: Final = MAX_FILE_BYTES
"""The texts of one call, old and new ones together, as UTF-8."""


class Replacement(NamedTuple):
    """Put `new` where `old` stands, which must be exactly one place of the file."""

    old: str
    new: str


@dataclass(frozen=True, slots=True)
class EditRequest:
    r"""Replace `old`, which must stand in the file exactly once, by `new`; or do so with each of `edits`.

    All of `edits` are looked for in the file as it is before the call, so their order does not matter, and they are
    made together or not at all. Line breaks may be given as `\n` whatever the file uses. `expect_hash` is the SHA-256
    (64 hex digits) that the file's bytes must have. With `create` the file must not exist yet, `old` stays empty, and
    `new` is its whole text. Raises `Misuse` for what no file could make right.
    """

    path: str
    old: str = ""
    new: str = ""
    expect_hash: str | None = None
    create: bool = False
    edits: tuple[Replacement, ...] | None = None

    def __post_init__(self) -> None:
        if self.edits is not None:
            self._check_edits(self.edits)
        n_bytes = 0
        for number, replacement in enumerate(self.replacements):
            for name, text in replacement._asdict().items():
                where = f"{self.name_of(number)}the {name} text"
                if not isinstance(text, str):
                    raise Misuse(f"{where} is {type(text).__name__}, not text: decode it as the file is encoded")
                n_bytes += len(text.encode("utf-8", "surrogatepass"))
        if n_bytes > MAX_TEXT_BYTES:
            raise Misuse(f"the texts of this edit have {n_bytes} bytes, {MAX_TEXT_BYTES} are the most: make several")

    def _check_edits(self, edits: tuple[Replacement, ...]) -> None:
        if self.old or self.new or self.create:
            raise Misuse("edits stand instead of old, new and create: give one kind of request")
        if not edits:
            raise Misuse("edits is empty: give (old, new) for each text to replace")
        if len(edits) > MAX_EDITS:
            raise Misuse(f"{len(edits)} edits were given, {MAX_EDITS} fit one call: make several calls")

    @property
    def replacements(self) -> tuple[Replacement, ...]:
        """All that is to be replaced, in the order in which it was given."""
        return (Replacement(self.old, self.new),) if self.edits is None else self.edits

    def name_of(self, number: int) -> str:
        """How a message begins that is about one of several replacements; empty where there is but one."""
        return "" if self.edits is None else f"edits[{number}]: "


def replacements_of(pairs: Iterable[Sequence[str]] | None) -> tuple[Replacement, ...] | None:
    """What a caller gave as `edits`. Raises `Misuse` unless it is pairs of old and new text."""
    if pairs is None:
        return None
    try:
        given = list(pairs)
    except TypeError:
        raise Misuse(f"edits is {type(pairs).__name__}: give a list of (old, new)") from None
    for number, pair in enumerate(given):
        if not isinstance(pair, (tuple, list)) or len(pair) != len(Replacement._fields):
            raise Misuse(f"edits[{number}] is not a pair: give (old, new) for each text to replace")
    return tuple(Replacement(*pair) for pair in given)


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
