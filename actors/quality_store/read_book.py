"""What was shown of files, what came of it, and what follows for the next read.

A read is one whole-file view by one agent. What the agent reads and edits next says whether a compressed view was
enough (clean) or not (a bounce), and whether a `full` was needed (or wasted). Kinds of files, and single files, that
bounce too often are read in full. `lines`, `expand` and what was shown so before cost tokens, and say nothing else.

Every change is handed to `record` as an event, which must have changed the state before `record` returns, because the
next decision builds on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

from actors.quality_store.arm import arm_of
from actors.quality_store.bounce_rate import rate_of
from actors.quality_store.cause import FAILURE, SUCCESS
from actors.quality_store.event import (
    AgentForgotten,
    EditMissed,
    EditTried,
    ExtensionForgotten,
    FilesForgotten,
    MemoryMoved,
    PathsForgotten,
    ViewShown,
)
from actors.quality_store.ledger_book import LedgerBook
from actors.quality_store.limit import Limits
from actors.quality_store.messages import FollowMove, ReadCounted, RecordOutcome, RecordRead
from actors.quality_store.mode import FULL, WHOLE_FILE_MODES, read_mode
from actors.quality_store.note_book import NoteBook
from actors.quality_store.path import OTHER, check_path, extension_of, label_of
from actors.quality_store.read_state import ReadState
from actors.quality_store.row import RateRow
from actors.quality_store.source import is_free, is_named
from actors.quality_store.window import (
    MAX_WASTED_BOUNCE_RATE,
    MIN_WASTED_EXTENSION_READS,
    MIN_WASTED_TOKENS,
    View,
)
from actors.runtime.errors import Misuse
from actors.runtime.holdout import utc_day

MAX_TOKENS: Final = 10**9
_SOURCE: Final = re.compile(r"[a-z0-9_]{1,32}")


class _Verdict(NamedTuple):
    """What a read decides about the views before it; `wasted` goes with `unused`."""

    is_watched: bool = False
    bounced: Sequence[View] = ()
    is_retry: bool = False
    clean: Sequence[View] = ()
    unused: Sequence[View] = ()
    wasted: tuple[bool, ...] = ()


_NOTHING: Final = _Verdict()


class ReadBook:
    """Decides what a read or an edit says about the views before it. `state` changes only by what is recorded."""

    def __init__(
        self,
        state: ReadState,
        limits: Limits,
        record: Callable[[Any], None],
        notes: NoteBook,
        ledger_book: LedgerBook,
    ) -> None:
        self._state = state
        self._limits = limits
        self._record = record
        self._notes = notes
        self._ledger_book = ledger_book

    # Commands

    def record_read(self, session_id: str, asked: RecordRead, utc_s: float) -> ReadCounted:
        """Take note of a view. Raises `Misuse` for a path, mode, number or layer that cannot be."""
        check_path(asked.space, asked.path)
        mode, arm, layers = read_mode(asked.mode), arm_of(asked.arms), arm_of(asked.layers)
        check_tokens(asked.n_tokens, asked.n_total_tokens)
        self.expire(utc_s)
        is_read = mode in WHOLE_FILE_MODES and not asked.is_unchanged
        verdict = self._verdict(session_id, asked, mode, arm, utc_s) if is_read else _NOTHING
        row = self._state.reads.place((label_of(extension_of(asked.path)), mode), self._limits.max_rows)
        self._record(
            ViewShown(
                session_id,
                asked.space,
                asked.path,
                mode,
                self._source_row(asked.source),
                arm,
                asked.n_tokens,
                asked.n_total_tokens,
                is_read,
                verdict.is_watched,
                bool(verdict.bounced),
                verdict.is_retry,
                len(verdict.clean),
                verdict.wasted,
                self._limits.max_rows,
                utc_s,
                layers,
                self._limits.max_units,
            )
        )
        if is_read:
            self._tell(session_id, verdict, asked.n_tokens, utc_s)
            self._make_room(session_id)
        return ReadCounted(*row)

    def _source_row(self, source: str) -> str:
        if is_named(source):
            return ""
        label = source if _SOURCE.fullmatch(source) else OTHER
        return self._state.sources.place((label, ""), self._limits.max_sources)[0]

    def _verdict(self, session_id: str, asked: RecordRead, mode: str, arm: str, utc_s: float) -> _Verdict:
        trail, where = self._state.trails.get(session_id), (asked.space, asked.path)
        number = trail.n_reads + 1
        bounced: Sequence[View]
        if mode != FULL:
            is_watched, bounced = True, ()
        elif is_free(asked.source, arm):
            is_watched = asked.n_tokens > MIN_WASTED_TOKENS
            bounced = () if asked.is_changed else trail.bounced(where, number)
        else:
            is_watched, bounced = False, ()
        unused = trail.unused(number)
        return _Verdict(
            is_watched,
            bounced,
            trail.owes(where, number),
            trail.clean(number, bounced),
            unused,
            tuple([self._is_wasted(view, utc_s) for view in unused]),
        )

    def _is_wasted(self, view: View, utc_s: float) -> bool:
        """Whether files of this kind hardly ever bounce, so that this one need not have been shown in full."""
        extension = extension_of(view.path)
        if self._state.rates.counts(extension).n_reads < MIN_WASTED_EXTENSION_READS:
            return False
        return self._state.rates.rate(extension, utc_day(utc_s)) < MAX_WASTED_BOUNCE_RATE

    def _tell(self, session_id: str, verdict: _Verdict, n_tokens: int, utc_s: float) -> None:
        for view in verdict.bounced:
            self._notes.bounce(session_id, view, n_tokens if view is verdict.bounced[-1] else 0, utc_s)
        for view in verdict.clean:
            self._notes.clean(session_id, view, utc_s)
        for view, is_wasted in zip(verdict.unused, verdict.wasted, strict=True):
            if is_wasted:
                self._notes.wasted(session_id, view, utc_s)

    def check_edit(self, asked: RecordOutcome) -> None:
        """Raise `Misuse` for a number or layer that cannot be."""
        arm_of(asked.arms)
        check_tokens(asked.n_tokens)

    def record_edit(self, session_id: str, asked: RecordOutcome, signal: str, utc_s: float) -> None:
        """Take note of how an edit ended; `signal` is what it said about the agent's last view. Raises nothing."""
        where, arm = (asked.space, asked.path), arm_of(asked.arms)
        trail, is_success = self._state.trails.get(session_id), asked.outcome == SUCCESS
        if not signal and not is_success and not trail.watches_full(where):
            self._record(EditMissed(session_id, *where, asked.mode, asked.cause, utc_s))
            return
        self.expire(utc_s)
        last = trail.last_view(where, asked.mode) or View(0, *where, asked.mode, arm, 0, 0)
        self._record(
            EditTried(
                session_id,
                *where,
                asked.mode,
                arm,
                signal,
                is_success,
                asked.n_tokens,
                self._limits.max_rows,
                utc_s,
                self._limits.max_units,
            )
        )
        if signal == FAILURE:
            self._notes.edit_failure(session_id, last, asked.cause, asked.n_tokens, utc_s)
        elif signal:
            self._notes.edit_success(session_id, last, utc_s)
        self._make_room(session_id)

    def follow_move(self, asked: FollowMove, utc_s: float) -> None:
        """Take along what the path memory knows of a file. The paths were checked."""
        self.expire(utc_s)
        if asked[:2] in self._state.paths:
            self._record(MemoryMoved(*asked))

    def expire(self, utc_s: float) -> None:
        """Close the ledger's day if it is over, and collect the files whose time in the path memory is."""
        self._ledger_book.close_before(utc_s)
        n_quiet, n_bounced = self._state.paths.lapsed(self._path_horizon(utc_s))
        if n_quiet or n_bounced:
            self._record(PathsForgotten("decayed", n_quiet, n_bounced))

    def _make_room(self, session_id: str) -> None:
        limits = self._limits
        n_files = len(self._state.trails.get(session_id).files) - limits.max_files
        if n_files > 0:
            self._record(FilesForgotten(session_id, n_files))
        while len(self._state.trails) > limits.max_agents:
            self._record(AgentForgotten(self._state.trails.first_out()))
        while len(self._state.rates) > limits.max_extensions:
            self._record(ExtensionForgotten(self._state.rates.first_out()))
        if len(self._state.paths) > limits.max_paths:
            self._record(PathsForgotten("evicted", *self._state.paths.overflow(limits.max_paths)))

    # Queries

    def extension_means_full(self, path: str, utc_s: float) -> bool:
        """Whether files of this kind bounce too often to be compressed."""
        limits = self._limits
        return self._state.rates.means_full(
            extension_of(path), utc_day(utc_s), min_reads=limits.min_bounce_reads, full_rate=limits.full_bounce_rate
        )

    def path_means_full(self, space: str, path: str, utc_s: float) -> bool:
        """Whether this file bounces too often to be compressed."""
        return self._state.paths.means_full((space, path), self._path_horizon(utc_s))

    def rate_rows(self, utc_s: float) -> tuple[RateRow, ...]:
        """All extensions by label; those that share the label "other" are added up."""
        today, sums = utc_day(utc_s), dict[str, list[float]]()
        full = set()
        for extension, counts in self._state.rates.items():
            parts = (counts.n_reads, counts.n_bounces, *counts.weighted(today))
            label = label_of(extension)
            sums[label] = [have + more for have, more in zip(sums.get(label, [0, 0, 0.0, 0.0]), parts, strict=True)]
            if self.extension_means_full(f"a.{extension}", utc_s):
                full.add(label)
        return tuple(
            RateRow(label, int(n_reads), int(n_bounces), rate_of(*weighted), label in full)
            for label, (n_reads, n_bounces, *weighted) in sorted(sums.items())
        )

    def n_paths(self, utc_s: float) -> int:
        """How many files the path memory holds."""
        return self._state.paths.n_live(self._path_horizon(utc_s))

    def n_full_paths(self, utc_s: float) -> int:
        """How many files it shows in full."""
        return self._state.paths.n_full(self._path_horizon(utc_s))

    def n_decayed_paths(self, utc_s: float) -> int:
        """How many were forgotten because their time was over, those not collected yet included."""
        return self._state.evictions["path", "decayed"] + len(self._state.paths) - self.n_paths(utc_s)

    def _path_horizon(self, utc_s: float) -> float:
        return utc_s - self._limits.path_decay_s


def check_tokens(*counts: int) -> None:
    """Raise `Misuse` for a number of tokens that nothing can have."""
    for n in counts:
        if not 0 <= n <= MAX_TOKENS:
            raise Misuse(f"a view cannot have {n!r} tokens: give a count from 0 to {MAX_TOKENS}")
