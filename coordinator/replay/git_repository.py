"""A repository's history: which commits a range holds, and what each of them did."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from actors.runtime.errors import Misuse, Unavailable
from coordinator.git_command import GitCommand, first_line
from coordinator.replay.patch import LOG_FORMAT

# All that could be set otherwise is said.
_LOG: Final = (
    "log", "--reverse", "--no-merges", "--topo-order", "--raw", "--patch", "--unified=0", "--full-index", "--no-abbrev",
    "--find-renames=50%", "-l400", "-O/dev/null", "--diff-algorithm=myers", "--indent-heuristic",
    "--inter-hunk-context=0", "--submodule=short", "--ignore-submodules=none", "--no-color", "--no-ext-diff",
    "--no-textconv", "--no-show-signature", "--no-notes", "--no-decorate", "--no-relative", "--encoding=UTF-8",
    f"--pretty={LOG_FORMAT}",
)  # fmt: skip


class GitRepository:
    """One repository, bare or with a work tree; `folder` may lie anywhere in it.

    Raises `Misuse` if git does not take it for one, and `Unavailable` where there is no git.
    """

    def __init__(self, folder: Path) -> None:
        if shutil.which("git") is None:
            raise Unavailable("git is not installed, and --git reads a history through it: install it")
        if not folder.is_dir():
            raise Misuse(f"there is no folder {str(folder)!r}: give --git the folder of a repository")
        self.git = GitCommand(folder)
        found = self.git.run("rev-parse", "--is-shallow-repository")
        if found.returncode:
            raise Misuse(
                f"{str(folder)!r} is no git repository that can be read ({first_line(found.stderr)}): give --git one, "
                "or --before and --after two folders"
            )
        self.is_shallow = found.stdout.strip() == b"true"

    def check(self, revision: str) -> None:
        """Raise `Misuse` for a range that git does not know."""
        # Something that looks like an option must not be one.
        found = self.git.run("rev-list", "--max-count=1", "--end-of-options", revision, "--")
        if not revision or found.returncode:
            raise Misuse(
                f"{str(self.git.folder)!r} does not know {revision!r} ({first_line(found.stderr)}): look with git log, "
                "and give --rev a range such as v1.0..HEAD"
            )

    def n_commits(self, revision: str, limit: int, *, merges: bool) -> int:
        """How many commits a range holds, up to `limit`: merges alone, or all others."""
        kind = "--merges" if merges else "--no-merges"
        found = self.git.run("rev-list", "--count", kind, f"--max-count={limit}", "--end-of-options", revision, "--")
        return int(found.stdout or b"0")

    def parents(self, revision: str, limit: int) -> tuple[str, ...]:
        """The parents of the oldest of a range's newest `limit` commits."""
        arguments = ("--topo-order", "--no-merges", f"--max-count={limit}", "--parents")
        found = self.git.run("rev-list", *arguments, "--end-of-options", revision, "--")
        _, *parents = found.stdout.decode("ascii").splitlines()[-1].split()
        return tuple(parents)

    def roots(self, commit: str) -> tuple[str, ...]:
        """The commits without a parent that this one goes back to, sorted: they name a history."""
        found = self.git.run("rev-list", "--max-parents=0", "--end-of-options", commit, "--")
        return tuple(sorted(found.stdout.decode("ascii").split()))

    def shallow_commits(self) -> frozenset[str]:
        """The commits whose parents a shallow clone left behind."""
        if not self.is_shallow:
            return frozenset()
        named = self.git.run("rev-parse", "--git-path", "shallow").stdout.decode("utf-8", "surrogateescape").strip()
        return frozenset((self.git.folder / named).read_text("ascii").split())

    @contextmanager
    def log(self, revision: str, limit: int) -> Iterator[IO[bytes]]:
        """The range's newest `limit` commits with their patches, oldest first; merges are left out.

        Raises `Misuse`, on leaving, where git could not go on.
        """
        arguments = (*_LOG, f"--max-count={limit}", "--end-of-options", revision, "--")
        with tempfile.TemporaryFile() as errors, self.git.running(*arguments, stderr=errors) as process:
            assert process.stdout is not None  # it is a pipe
            yield process.stdout
            if process.wait():
                errors.seek(0)
                said = first_line(errors.read())
                raise Misuse(f"git could not read all of {revision!r} ({said}): look with git fsck")
