"""What was shown of files, by extension and mode, and who chose the mode. Bounces and net savings come later."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from actors.quality_store.event import ReadRecorded
from actors.quality_store.limit import Limits
from actors.quality_store.messages import ReadCounted, RecordRead
from actors.quality_store.mode import read_mode
from actors.quality_store.path import OTHER, check_path, extension_of, label_of
from actors.quality_store.tally import Tally
from actors.runtime.errors import Misuse

MAX_TOKENS: Final = 10**9
_SOURCE: Final = re.compile(r"[a-z0-9_]{1,32}")


class ReadBook:
    """Reads, tokens shown and tokens of the whole files by (extension, mode); automatic reads by source."""

    def __init__(self, limits: Limits, record: Callable[[Any], None]) -> None:
        self._limits = limits
        self._record = record
        self.reads = Tally(width=3)
        self.sources = Tally()

    def record_read(self, asked: RecordRead) -> ReadCounted:
        """Count one read. Raises `Misuse` for a path, mode or number that cannot be."""
        check_path(asked.space, asked.path)
        key = (label_of(extension_of(asked.path)), read_mode(asked.mode))
        for n in (asked.n_tokens, asked.n_total_tokens):
            if not 0 <= n <= MAX_TOKENS:
                raise Misuse(f"a view cannot have {n!r} tokens: give a count from 0 to {MAX_TOKENS}")
        row = self.reads.place(key, self._limits.max_rows)
        self._record(ReadRecorded(*row, self._source_row(asked.source), asked.n_tokens, asked.n_total_tokens))
        return ReadCounted(*row)

    def _source_row(self, source: str) -> str:
        if not source:
            return ""
        label = source if _SOURCE.fullmatch(source) else OTHER
        return self.sources.place((label, ""), self._limits.max_sources)[0]

    def read_recorded(self, fact: ReadRecorded) -> None:
        """Apply a read."""
        self.reads.add((fact.label, fact.mode), 1, fact.n_tokens, fact.n_total_tokens)
        if fact.source:
            self.sources.add((fact.source, ""))
