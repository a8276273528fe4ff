"""Walks the commits of a range and gives every file that one of them changed, as it was before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from actors.runtime.errors import Misuse
from coordinator.reading.generated import is_lock_file
from coordinator.replay.blob_reader import BlobReader, reading_blobs
from coordinator.replay.change import (
    LOCK_FILE,
    MAX_FILES_A_COMMIT,
    MAX_QUERY_CHARACTERS,
    Change,
    Skipped,
    usable_source,
)
from coordinator.replay.git_repository import GitRepository
from coordinator.replay.past import N_PAST_COMMITS, Past
from coordinator.replay.patch import Commit, Entry, commits_of

_MAX_COUNTED_MERGES: Final = 1_000_000
_SUBMODULE: Final = b"160000"
_SYMLINK: Final = b"120000"
_STATUSES: Final = {"A": "added", "D": "deleted", "T": "type_changed", "U": "unmerged"}


class History:
    """The newest `limit` commits of a range, without merges, in topological order, the oldest first.

    What is passed over is counted in `skipped`; `commits` has the names of those that were walked. Raises `Misuse` for
    a range that git does not know or that holds nothing to replay.
    """

    def __init__(self, repository: GitRepository, revision: str, limit: int) -> None:
        repository.check(revision)
        self._repository = repository
        self._revision = revision
        self._limit = limit
        self._shallow = repository.shallow_commits()
        self.skipped = Skipped()
        self.commits: list[str] = []
        self.n_commits = repository.n_commits(revision, limit, merges=False)
        n_merges = repository.n_commits(revision, _MAX_COUNTED_MERGES, merges=True)
        if not self.n_commits:
            held = f"{n_merges} merges and nothing else" if n_merges else "no commits"
            raise Misuse(f"{revision!r} holds {held}: give --rev a range with commits, such as HEAD~50..HEAD")
        if n_merges and self.n_commits < limit:  # else some of them lie before what is walked
            self.skipped["merge"] = n_merges

    def origin(self) -> tuple[str, ...]:
        """What names this history, whichever range of it was walked: its first commits."""
        return self._repository.roots(self.commits[-1]) if self.commits else ()

    def changes(self, told: Callable[[int], None] = lambda _: None) -> Iterator[Change]:
        """The changes, oldest commit first. `told` hears how many commits are read."""
        past = self._past()
        with self._repository.log(self._revision, self._limit) as stream, reading_blobs(self._repository.git) as blobs:
            for at, commit in enumerate(commits_of(stream)):
                self.commits.append(commit.name)
                yield from self._changes_of(at, commit, blobs, past)
                past.add(commit)
                told(at + 1)

    def _past(self) -> Past:
        """What was done to files before the walk begins."""
        past = Past()
        for parent in self._repository.parents(self._revision, self._limit):
            with self._repository.log(parent, N_PAST_COMMITS) as stream:
                for commit in commits_of(stream):
                    past.add(commit)
        return past

    def _changes_of(self, at: int, commit: Commit, blobs: BlobReader, past: Past) -> Iterator[Change]:
        if commit.name in self._shallow:
            self.skipped["shallow_boundary"] += 1
            return
        if len(commit.entries) > MAX_FILES_A_COMMIT:
            self.skipped["sweeping_commit"] += 1
            return
        for entry in commit.entries:
            found = self._change(at, commit, entry, blobs)
            if isinstance(found, str):
                self.skipped[found] += 1
            else:
                yield found._replace(past=past.of(entry))

    def _change(self, at: int, commit: Commit, entry: Entry, blobs: BlobReader) -> Change | str:
        reason = _unfit(entry)
        if reason:
            return reason
        try:
            path = entry.path.decode("utf-8")
        except UnicodeDecodeError:
            return "name_not_utf8"
        if is_lock_file(path):
            return LOCK_FILE
        before = blobs.read(entry.old_blob)
        if before is None:
            return "missing_object"
        hunks = commit.hunks_of(entry)
        if not hunks:
            return "binary"
        source = usable_source(before, hunks)
        return source if isinstance(source, str) else Change(at, path, before, hunks, _query(commit.message))


def _unfit(entry: Entry) -> str:
    """Why a file has no text before and after; "" if it may have."""
    if _SUBMODULE in (entry.old_mode, entry.new_mode):
        return "submodule"
    if entry.status in _STATUSES:
        return _STATUSES[entry.status]
    if _SYMLINK in (entry.old_mode, entry.new_mode):
        return "symlink"
    if entry.old_blob == entry.new_blob:
        return "renamed_only" if entry.status == "R" else "mode_only"
    return ""


def _query(message: str) -> str:
    return message.strip()[:MAX_QUERY_CHARACTERS]
