"""Which files keep being read in full after a compressed view, and are better shown in full at once.

A file's reads are its compressed ones: a full one cannot bounce, and if they counted, the memory would undo itself by
being right. Files that never bounced are remembered too, because "half of its reads" needs all of them; they are the
first to go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

from actors.quality_store.path import extension_of
from actors.quality_store.window import Where

MIN_BOUNCES: Final = 2


class PathReads(NamedTuple):
    """A file's compressed reads; `anchored_at` is the UTC second of the last bounce, without one of the last read."""

    n_reads: int
    n_bounces: int
    anchored_at: float

    @property
    def means_full(self) -> bool:
        """Whether it bounced at least twice, and in half of its reads or more."""
        return self.n_bounces >= MIN_BOUNCES and 2 * self.n_bounces >= self.n_reads


class PathMemory:
    """The files, those without a bounce apart; in both parts the one with the oldest anchor first."""

    def __init__(self) -> None:
        self._quiet: dict[Where, PathReads] = {}
        self._bounced: dict[Where, PathReads] = {}

    def __contains__(self, where: Where) -> bool:
        return where in self._quiet or where in self._bounced

    def __len__(self) -> int:
        return len(self._quiet) + len(self._bounced)

    def means_full(self, where: Where, not_before_s: float) -> bool:
        """Whether the file is to be shown in full; not if it last bounced before `not_before_s`."""
        reads = self._bounced.get(where)
        return reads is not None and reads.anchored_at >= not_before_s and reads.means_full

    def n_live(self, not_before_s: float) -> int:
        """How many files are anchored at `not_before_s` or later."""
        n_quiet, n_bounced = self.lapsed(not_before_s)
        return len(self) - n_quiet - n_bounced

    def n_full(self, not_before_s: float) -> int:
        """How many files are to be shown in full."""
        return sum(reads.means_full and reads.anchored_at >= not_before_s for reads in self._bounced.values())

    def lapsed(self, not_before_s: float) -> tuple[int, int]:
        """How many of each part, without a bounce and with one, are anchored before `not_before_s`."""
        return _n_before(self._quiet, not_before_s), _n_before(self._bounced, not_before_s)

    def overflow(self, max_paths: int) -> tuple[int, int]:
        """How many of each part have to go: those without a bounce before all others, except for the newest."""
        n_over = max(0, len(self) - max_paths)
        n_quiet = min(n_over, max(0, len(self._quiet) - 1))
        return n_quiet, n_over - n_quiet

    def read(self, where: Where, at_utc_s: float) -> None:
        """Count a compressed read."""
        bounced = self._bounced.get(where)
        if bounced is not None:
            self._bounced[where] = bounced._replace(n_reads=bounced.n_reads + 1)
            return
        quiet = self._quiet.pop(where, None)
        self._quiet[where] = PathReads(1 if quiet is None else quiet.n_reads + 1, 0, at_utc_s)

    def bounce(self, where: Where, n_bounces: int, at_utc_s: float) -> None:
        """Count bounces; of a file that was forgotten since it was read, they are all that is known."""
        before = self._quiet.pop(where, None) or self._bounced.pop(where, None) or PathReads(0, 0, at_utc_s)
        n_all = before.n_bounces + n_bounces
        self._bounced[where] = PathReads(max(before.n_reads, n_all), n_all, at_utc_s)

    def forget(self, n_quiet: int, n_bounced: int) -> None:
        """Forget the oldest of each part."""
        for part, n_paths in ((self._quiet, n_quiet), (self._bounced, n_bounced)):
            for where in list(islice(part, n_paths)):
                del part[where]

    def move(self, space: str, path: str, new_path: str) -> None:
        """A file has another name now; what was known of a file of that name before is forgotten."""
        where, there = (space, path), (space, new_path)
        self.drop([there])
        for part in (self._quiet, self._bounced):
            if where in part:  # made anew, so that it keeps its place in the order
                rows = [(there if one == where else one, reads) for one, reads in part.items()]
                part.clear()
                part.update(rows)

    def of_extension(self, extension: str) -> list[Where]:
        """The files with an extension, or all for ""."""
        return [where for where in (*self._quiet, *self._bounced) if extension in ("", extension_of(where[1]))]

    def drop(self, files: Iterable[Where]) -> None:
        """Forget these files."""
        for where in files:
            self._quiet.pop(where, None)
            self._bounced.pop(where, None)

    def rows(self) -> Iterator[list[Any]]:
        """The state, in order."""
        for part in (self._quiet, self._bounced):
            for where, reads in part.items():
                yield [*where, *reads]

    def load(self, row: list[Any]) -> None:
        """Take back one of `rows`."""
        reads = PathReads._make(row[2:])
        part = self._bounced if reads.n_bounces else self._quiet
        part[row[0], row[1]] = reads


def _n_before(part: dict[Where, PathReads], not_before_s: float) -> int:
    """How many at the front are older; touches no others."""
    for n_older, reads in enumerate(part.values()):
        if reads.anchored_at >= not_before_s:
            return n_older
    return len(part)
